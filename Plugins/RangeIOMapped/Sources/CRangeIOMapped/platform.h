// What differs between the platforms: functions in linux.c and apple.c, and here the names that the C library has for one thing
// on each. Include it first: Linux declares some functions only if asked to.
#ifndef RIM_PLATFORM_H
#define RIM_PLATFORM_H

#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CRangeIOMapped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#if defined(__linux__)
#include <sys/vfs.h>
typedef unsigned char rim_residency;
#else
#include <sys/mount.h>
#include <sys/param.h>
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
typedef char rim_residency;  // of a page, as mincore(2) tells it
#endif

// Of clocks. A file may have times that so many nanoseconds cannot tell.
static inline int64_t nanoseconds(struct timespec t) {
  int64_t whole, sum;
  bool is_too_much = __builtin_mul_overflow((int64_t)t.tv_sec, (int64_t)1000000000, &whole) ||
                     __builtin_add_overflow(whole, (int64_t)t.tv_nsec, &sum);
  return !is_too_much ? sum : t.tv_sec < 0 ? INT64_MIN : INT64_MAX;
}

/// Opens a regular file that a process has leased to write to it, and waits for its end of that: a descriptor or -errno.
int rim_platform_open_leased(const char *path);

#endif
