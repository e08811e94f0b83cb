// What the system does in its own way on Apple platforms: linux.c has the same functions.
#if defined(__APPLE__)
#include "platform.h"

#include <string.h>

int rim_platform_open_leased(const char *path) {
  (void)path;
  return -EWOULDBLOCK;  // there are no leases
}

bool rim_may_be_remote(int fd) {
  struct statfs s;
  return fstatfs(fd, &s) < 0 || !(s.f_flags & MNT_LOCAL);
}

int rim_name_of(int fd, char *name, int capacity) {
  char all[MAXPATHLEN];
  if (fcntl(fd, F_GETPATH, all) < 0) return -errno;
  int count = (int)strlen(all);
  if (count >= capacity) return -ENAMETOOLONG;
  memcpy(name, all, (size_t)count);
  return count;
}

int64_t rim_pread_resident(int fd, void *buffer, size_t count, int64_t offset) {
  (void)fd, (void)buffer, (void)count, (void)offset;
  return -EOPNOTSUPP;
}

int rim_populate(void *pages, size_t count) {
  (void)pages, (void)count;
  return -ENOTSUP;
}

int64_t rim_realtime_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return nanoseconds(t);
}

int64_t rim_realtime_tick_ns(void) { return 10000000; }

#endif
