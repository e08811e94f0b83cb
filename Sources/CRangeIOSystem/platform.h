// What the files of this module share, and what differs between the platforms: functions in linux.c and apple.c, and here the
// names that the C library has for one thing on each. Include it first: Linux declares some functions only if asked to.
#ifndef RIO_PLATFORM_H
#define RIO_PLATFORM_H

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CRangeIOSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#if defined(__linux__)
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

// `result` of a call that signals may interrupt, repeated until it was not.
#define UNINTERRUPTED(result, call) \
  do {                              \
    result = (call);                \
  } while (result < 0 && errno == EINTR)

static inline int outcome(int result) { return result < 0 ? -errno : result; }

// Of clocks. A file may have times that so many nanoseconds cannot tell.
static inline int64_t nanoseconds(struct timespec t) {
  int64_t whole, sum;
  bool is_too_much = __builtin_mul_overflow((int64_t)t.tv_sec, (int64_t)1000000000, &whole) ||
                     __builtin_add_overflow(whole, (int64_t)t.tv_nsec, &sum);
  return !is_too_much ? sum : t.tv_sec < 0 ? INT64_MIN : INT64_MAX;
}

/// The time on the clock after so long, for waits that end by the clock.
static inline struct timespec rio_deadline(int64_t timeout_ns) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  int64_t ns = until.tv_nsec + timeout_ns % 1000000000;
  until.tv_sec += timeout_ns / 1000000000 + ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  return until;
}

/// What only one platform knows of the flags of a descriptor, see rio_why_unreadable.
enum rio_unreadable rio_platform_why_unreadable(int flags);

/// Opens the inode behind `fd` again, even one that has been unlinked. Negative where the platform cannot.
int rio_platform_open_again(int fd);

/// Opens what `path` leads to from `directory`, unless that lies outside of it: -EXDEV; -ENOSYS where the system cannot tell.
int rio_platform_open_beneath(int directory, const char *path, int flags, bool through_links);

/// How to open what is only to be looked at, for its status.
int rio_platform_flags_to_look(void);

/// dup2(2), with FD_CLOEXEC: the result, and errno.
int rio_platform_replace(int with, int fd);

/// fstat(2): the result, and errno.
int rio_platform_fstat(int fd, struct stat *out);

/// preadv of what the page cache holds, without waiting for the disk: the result, or -errno.
int64_t rio_platform_preadv_resident(int fd, const struct iovec *pieces, int count, int64_t offset);

/// Gives the memory of whole pages back, see rio_drop_pages.
void rio_platform_drop_pages(void *pages, size_t count);

/// Asks for huge pages, or forbids them, where the system has them.
void rio_platform_wish_huge_pages(void *pages, size_t count, bool wished);

/// Sets blocks aside for the first `count` bytes of a file: 0 or -errno.
int rio_platform_set_blocks_aside(int fd, int64_t count);

/// Names the calling thread, for debuggers.
void rio_platform_name_thread(const char *name);

/// Whether the processor has instructions for CRC-32C, and for products without carries. Asked on aarch64 alone.
void rio_platform_detect(bool *sums, bool *products);

#endif
