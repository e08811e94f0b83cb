// What the system does in its own way on Linux: apple.c has the same functions.
#if defined(__linux__)
#include "platform.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>

#if !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22  // Linux 5.14; the headers of the machine that builds may be older than its kernel
#endif

// Of a regular file that a process has leased to write to it: waits for its end of that. In two steps, so that what is
// waited for is the file that was looked at, and never the writer of a FIFO.
int rim_platform_open_leased(const char *path) {
  int named = open(path, O_PATH | O_CLOEXEC);
  if (named < 0) return -errno;
  struct stat s;
  char again[32];
  snprintf(again, sizeof again, "/proc/self/fd/%d", named);
  int fd = -1, error = EWOULDBLOCK;
  if (fstat(named, &s) == 0 && S_ISREG(s.st_mode)) {
    do {
      fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno != ENOENT) error = errno;  // ENOENT: there is no /proc
  }
  close(named);
  return fd < 0 ? -error : fd;
}

bool rim_may_be_remote(int fd) {
  struct statfs s;
  if (fstatfs(fd, &s) < 0) return true;
  // As CRangeIOSystem has them: those that answer from this machine.
  static const uint32_t local[] = {
      0x0000ef53, 0x58465342, 0x9123683e, 0x01021994, 0x858458f6, 0x958458f6, 0x794c7630,  // ext, xfs, btrfs, in memory
      0x0000f15f, 0x2fc12fc1, 0xca451a4e, 0xf2f52010, 0x3153464a, 0x52654973, 0x00003434,  // zfs, bcachefs, f2fs and others
      0x00004d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0x00004244, 0x0000482b,              // fat, ntfs, hfs
      0x00009660, 0x15013346, 0x73717368, 0xe0f5e1e2, 0x28cd3d45, 0x000072b6, 0x24051905,  // to read only, and of flash
  };
  for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
    if (local[i] == (uint32_t)s.f_type) return false;
  return true;
}

int rim_name_of(int fd, char *name, int capacity) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  ssize_t count = readlink(path, name, (size_t)capacity);
  if (count < 0) return -errno;
  return count < capacity ? (int)count : -ENAMETOOLONG;
}

int64_t rim_pread_resident(int fd, void *buffer, size_t count, int64_t offset) {
#if defined(RWF_NOWAIT)
  struct iovec piece = {buffer, count};
  ssize_t n = preadv2(fd, &piece, 1, (off_t)offset, RWF_NOWAIT);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
#else
  (void)fd, (void)buffer, (void)count, (void)offset;
  return -EOPNOTSUPP;
#endif
}

int rim_populate(void *pages, size_t count) {
  int result;
  do {
    result = madvise(pages, count, MADV_POPULATE_READ);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

int64_t rim_realtime_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME_COARSE, &t);
  return nanoseconds(t);
}

int64_t rim_realtime_tick_ns(void) {
  struct timespec t;
  return clock_getres(CLOCK_REALTIME_COARSE, &t) == 0 ? nanoseconds(t) : 10000000;
}

#endif
