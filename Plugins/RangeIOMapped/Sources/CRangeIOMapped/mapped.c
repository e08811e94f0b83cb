#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CRangeIOMapped.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22  // Linux 5.14; the headers of the machine that builds may be older than its kernel
#endif

#if defined(__linux__)
// Of a regular file that a process has leased to write to it: waits for its end of that. In two steps, so that what is
// waited for is the file that was looked at, and never the writer of a FIFO.
static int open_leased(const char *path) {
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
#endif

int rim_open(const char *path) {
  int fd;
  do {
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  } while (fd < 0 && errno == EINTR);
#if defined(__linux__)
  if (fd < 0 && errno == EWOULDBLOCK) return open_leased(path);
#endif
  return fd < 0 ? -errno : fd;
}

bool rim_may_be_remote(int fd) {
  struct statfs s;
  if (fstatfs(fd, &s) < 0) return true;
#if defined(__linux__)
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
#else
  return !(s.f_flags & MNT_LOCAL);
#endif
}

uint64_t rim_filesystem_id(int fd) {
  struct statfs s;
  uint32_t words[2] = {0, 0};
  if (fstatfs(fd, &s) < 0) return 0;
  // Its fields have other names on each platform.
  memcpy(words, &s.f_fsid, sizeof words < sizeof s.f_fsid ? sizeof words : sizeof s.f_fsid);
  return (uint64_t)words[1] << 32 | words[0];
}

// Not retried on EINTR: Linux has released the descriptor by then, and a second close could hit another file.
int rim_close(int fd) { return close(fd) < 0 ? -errno : 0; }

// Of clocks. A file may have times that so many nanoseconds cannot tell.
static int64_t nanoseconds(struct timespec t) {
  int64_t whole, sum;
  bool is_too_much = __builtin_mul_overflow((int64_t)t.tv_sec, (int64_t)1000000000, &whole) ||
                     __builtin_add_overflow(whole, (int64_t)t.tv_nsec, &sum);
  return !is_too_much ? sum : t.tv_sec < 0 ? INT64_MIN : INT64_MAX;
}

static struct rim_time file_time(struct timespec t) {
  return (struct rim_time){.seconds = (int64_t)t.tv_sec, .nanoseconds = (uint32_t)t.tv_nsec};
}

static void fill(struct rim_status *out, const struct stat *s) {
  out->device = (uint64_t)s->st_dev;
  out->inode = (uint64_t)s->st_ino;
  out->links = (uint64_t)s->st_nlink;
  out->size = (int64_t)s->st_size;
#if defined(__APPLE__)
  out->modified = file_time(s->st_mtimespec);
  out->changed = file_time(s->st_ctimespec);
#else
  out->modified = file_time(s->st_mtim);
  out->changed = file_time(s->st_ctim);
#endif
  out->is_regular = S_ISREG(s->st_mode);
  out->is_directory = S_ISDIR(s->st_mode);
  out->is_fifo = S_ISFIFO(s->st_mode);
  out->mode = (uint32_t)s->st_mode;
  out->owner = (uint32_t)s->st_uid;
  out->group = (uint32_t)s->st_gid;
}

int rim_fstat(int fd, struct rim_status *out) {
  struct stat s;
  if (fstat(fd, &s) < 0) return -errno;
  fill(out, &s);
  return 0;
}

int rim_stat_path(const char *path, struct rim_status *out) {
  struct stat s;
  if (stat(path, &s) < 0) return -errno;
  fill(out, &s);
  return 0;
}

int rim_name_of(int fd, char *name, int capacity) {
#if defined(__APPLE__)
  char all[MAXPATHLEN];
  if (fcntl(fd, F_GETPATH, all) < 0) return -errno;
  int count = (int)strlen(all);
  if (count >= capacity) return -ENAMETOOLONG;
  memcpy(name, all, (size_t)count);
  return count;
#else
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  ssize_t count = readlink(path, name, (size_t)capacity);
  if (count < 0) return -errno;
  return count < capacity ? (int)count : -ENAMETOOLONG;
#endif
}

int64_t rim_pread(int fd, void *buffer, size_t count, int64_t offset) {
  if (count > (size_t)1 << 30) count = (size_t)1 << 30;
  ssize_t n;
  do {
    n = pread(fd, buffer, count, (off_t)offset);
  } while (n < 0 && errno == EINTR);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
}

int64_t rim_pread_resident(int fd, void *buffer, size_t count, int64_t offset) {
#if defined(__linux__) && defined(RWF_NOWAIT)
  struct iovec piece = {buffer, count};
  ssize_t n = preadv2(fd, &piece, 1, (off_t)offset, RWF_NOWAIT);
  return n < 0 ? -(int64_t)errno : (int64_t)n;
#else
  (void)fd, (void)buffer, (void)count, (void)offset;
  return -EOPNOTSUPP;
#endif
}

void *rim_map(int fd, size_t count, int *error) {
  void *base = mmap(NULL, count, PROT_READ, MAP_SHARED, fd, 0);
  if (base != MAP_FAILED) return base;
  *error = errno;
  return NULL;
}

void rim_unmap(void *base, size_t count) { munmap(base, count); }

int rim_populate(void *pages, size_t count) {
#if defined(MADV_POPULATE_READ)
  int result;
  do {
    result = madvise(pages, count, MADV_POPULATE_READ);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
#else
  (void)pages, (void)count;
  return -ENOTSUP;
#endif
}

bool rim_is_resident(void *pages, size_t count) {
  enum { at_once = 4096 };
#if defined(__APPLE__)
  char there[at_once];
#else
  unsigned char there[at_once];
#endif
  size_t page = rim_page_size();
  size_t left = (count + page - 1) / page;
  for (char *start = pages; left > 0;) {
    size_t some = left < at_once ? left : at_once;
    if (mincore(start, some * page, there) < 0) return false;
    for (size_t i = 0; i < some; i++)
      if (!(there[i] & 1)) return false;
    start += some * page;
    left -= some;
  }
  return true;
}

void rim_advise(void *pages, size_t count, enum rim_advice advice) {
  int native = MADV_NORMAL;
  switch (advice) {
    case rim_normal: native = MADV_NORMAL; break;
    case rim_random: native = MADV_RANDOM; break;
    case rim_sequential: native = MADV_SEQUENTIAL; break;
    case rim_will_need: native = MADV_WILLNEED; break;
  }
  madvise(pages, count, native);
}

size_t rim_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

int64_t rim_realtime_ns(void) {
  struct timespec t;
#if defined(__linux__)
  clock_gettime(CLOCK_REALTIME_COARSE, &t);
#else
  clock_gettime(CLOCK_REALTIME, &t);
#endif
  return nanoseconds(t);
}

int64_t rim_realtime_tick_ns(void) {
#if defined(__linux__)
  struct timespec t;
  if (clock_getres(CLOCK_REALTIME_COARSE, &t) == 0) return nanoseconds(t);
#endif
  return 10000000;
}

struct rim_lock {
  pthread_mutex_t mutex;
};

struct rim_lock *rim_lock_create(void) {
  struct rim_lock *lock = malloc(sizeof *lock);
  if (lock == NULL || pthread_mutex_init(&lock->mutex, NULL) != 0) abort();
  return lock;
}

void rim_lock_destroy(struct rim_lock *lock) {
  pthread_mutex_destroy(&lock->mutex);
  free(lock);
}

void rim_lock_lock(struct rim_lock *lock) { pthread_mutex_lock(&lock->mutex); }
void rim_lock_unlock(struct rim_lock *lock) { pthread_mutex_unlock(&lock->mutex); }
