#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBenchmarkPeers.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int sync_data(int fd) {
#if defined(__APPLE__)
  return fsync(fd);
#else
  return fdatasync(fd);
#endif
}

int64_t bench_pwrite_stream(const char *path, const void *bytes, size_t count, size_t window, bool syncs) {
  int64_t start = now_ns();
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return -errno;
  int64_t error = 0;
  for (size_t done = 0; done < count && error == 0;) {
    size_t wanted = window < count - done ? window : count - done;
    ssize_t n = pwrite(fd, (const char *)bytes + done, wanted, (off_t)done);
    if (n > 0) done += (size_t)n;
    if (n < 0 && errno != EINTR) error = -errno;
  }
  if (error == 0 && syncs && sync_data(fd) < 0) error = -errno;
  close(fd);
  return error < 0 ? error : now_ns() - start;
}

int bench_settle(const char *path) {
#if defined(__APPLE__)
  (void)path;
  sync();
  return 0;
#else
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -errno;
  int error = syncfs(fd) < 0 ? -errno : 0;
  close(fd);
  return error;
#endif
}
