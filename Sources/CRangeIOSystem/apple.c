// What the system does in its own way on Apple platforms: linux.c has the same functions.
#if defined(__APPLE__)
#include "platform.h"

#include <malloc/malloc.h>
#include <os/lock.h>
#include <pthread.h>
#include <sys/disk.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

// MARK: descriptors

int rio_open_waiting(const char *path) { return rio_open_readonly(path); }

enum rio_unreadable rio_platform_why_unreadable(int flags) {
  (void)flags;
  return rio_readable;
}

int rio_platform_open_again(int fd) {
  (void)fd;
  return -ENOTSUP;  // /dev/fd duplicates
}

int rio_reopen_direct(int fd) {
  // By its name, since /dev/fd duplicates, and F_NOCACHE is of all duplicates together.
  char path[MAXPATHLEN];
  struct stat one, other;
  if (fcntl(fd, F_GETPATH, path) < 0 || fstat(fd, &one) < 0) return -errno;
  int again = rio_open_readonly(path);
  if (again < 0) return again;
  // The name may lead to another file by now.
  int error = fstat(again, &other) < 0 ? errno : one.st_dev != other.st_dev || one.st_ino != other.st_ino ? ENOTSUP : 0;
  if (error == 0 && fcntl(again, F_NOCACHE, 1) < 0) error = errno;
  if (error == 0) return again;
  close(again);
  return -error;
}

bool rio_direct_alignment(int fd, uint32_t *memory, uint32_t *offset) {
  // What is not aligned is read by way of the page cache. A page is 4,096 or 16,384 bytes.
  (void)fd;
  *memory = *offset = 16384;
  return true;
}

void rio_give_back_memory(void) { malloc_zone_pressure_relief(NULL, 0); }

int rio_pipe(int *reading, int *writing) {
  // A program that another thread starts between the two calls inherits them: the system has no call that does both.
  int ends[2];
  if (pipe(ends) < 0) return -errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC), fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  *reading = ends[0], *writing = ends[1];
  return 0;
}

int rio_platform_open_beneath(int directory, const char *path, int flags, bool through_links) {
  (void)directory, (void)path, (void)flags, (void)through_links;
  return -ENOSYS;
}

int rio_platform_flags_to_look(void) { return O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK; }

int rio_platform_replace(int with, int fd) {
  int result = dup2(with, fd);
  if (result >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return result;
}

int rio_name_of(int fd, char *name, int capacity) {
  char all[MAXPATHLEN];
  if (fcntl(fd, F_GETPATH, all) < 0) return -errno;
  int count = (int)strlen(all);
  if (count >= capacity) return -ENAMETOOLONG;
  memcpy(name, all, (size_t)count);
  return count;
}

int rio_platform_fstat(int fd, struct stat *out) { return fstat(fd, out); }

bool rio_descriptors_are_left(int count) {
  (void)count;
  return true;
}

// MARK: reading

int64_t rio_pread_resident(int fd, void *buffer, size_t count, int64_t offset) {
  (void)fd, (void)buffer, (void)count, (void)offset;
  return -EOPNOTSUPP;
}

int64_t rio_platform_preadv_resident(int fd, const struct iovec *pieces, int count, int64_t offset) {
  (void)fd, (void)pieces, (void)count, (void)offset;
  return -EOPNOTSUPP;
}

#include "no_kernel_reads.h"

void rio_advise(int fd, int64_t offset, int64_t count, bool will_read) {
  if (!will_read) return;
  struct radvisory advice = {.ra_offset = offset, .ra_count = count > INT32_MAX ? INT32_MAX : (int)count};
  (void)fcntl(fd, F_RDADVISE, &advice);
}

int64_t rio_device_size(int fd) {
  uint64_t blocks = 0;
  uint32_t block_size = 0;
  if (ioctl(fd, DKIOCGETBLOCKCOUNT, &blocks) < 0) return -(int64_t)errno;
  if (ioctl(fd, DKIOCGETBLOCKSIZE, &block_size) < 0) return -(int64_t)errno;
  return (int64_t)(blocks * block_size);
}

// MARK: file systems

bool rio_is_synthetic_filesystem(int fd) {
  (void)fd;
  return false;
}

bool rio_may_be_remote(int fd) {
  struct statfs s;
  return fstatfs(fd, &s) < 0 || !(s.f_flags & MNT_LOCAL);
}

int64_t rio_disk_free_bytes(int fd) {
  struct statfs s;  // statvfs counts blocks in 32 bits there
  int result;
  UNINTERRUPTED(result, fstatfs(fd, &s));
  if (result < 0) return -errno;
  if (s.f_blocks == 0) return INT64_MAX;  // it tells no sizes at all, as many do that are not on a disk
  int64_t bytes;
  return __builtin_mul_overflow(s.f_bavail, s.f_bsize, &bytes) ? INT64_MAX : bytes;
}

int rio_platform_set_blocks_aside(int fd, int64_t count) {
  struct stat s;
  if (fstat(fd, &s) < 0) return -errno;
  int64_t missing = count - (int64_t)s.st_blocks * 512;
  if (missing <= 0) return 0;
  fstore_t store = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_length = (off_t)missing};
  int result;
  UNINTERRUPTED(result, fcntl(fd, F_PREALLOCATE, &store));
  return outcome(result);
}

int rio_disk_sync_file(int fd) {
  int result;
  // Orders the writes before it with those after it. What waits for the platter, F_FULLFSYNC, takes tens of milliseconds.
  UNINTERRUPTED(result, fcntl(fd, F_BARRIERFSYNC));
  if (result >= 0) return 0;
  UNINTERRUPTED(result, fsync(fd));
  return outcome(result);
}

void rio_disk_begin_writing(int fd, int64_t count, int64_t offset) { (void)fd, (void)count, (void)offset; }

int rio_disk_lock_record(int fd, bool exclusively) {
  (void)fd, (void)exclusively;
  return -ENOTSUP;
}

int rio_disk_unlock_record(int fd) {
  (void)fd;
  return -ENOTSUP;
}

int rio_disk_holders(int fd, int64_t *processes, int capacity) {
  (void)fd, (void)processes, (void)capacity;
  return 0;
}

// MARK: clock and memory

int64_t rio_realtime_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return nanoseconds(t);
}

int64_t rio_continuous_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t rio_realtime_tick_ns(void) { return 10000000; }

void rio_platform_drop_pages(void *pages, size_t count) { madvise(pages, count, MADV_FREE_REUSABLE); }

void rio_platform_wish_huge_pages(void *pages, size_t count, bool wished) { (void)pages, (void)count, (void)wished; }

// MARK: threads

void rio_unfair_lock(const void *word) { os_unfair_lock_lock((os_unfair_lock_t)word); }

bool rio_unfair_try_lock(const void *word) { return os_unfair_lock_trylock((os_unfair_lock_t)word); }

void rio_unfair_unlock(const void *word) { os_unfair_lock_unlock((os_unfair_lock_t)word); }

// There are no unnamed POSIX semaphores.
struct rio_parker {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool woken;
};

struct rio_parker *rio_parker_create(void) {
  struct rio_parker *parker = malloc(sizeof *parker);
  if (parker == NULL) return NULL;
  pthread_mutex_init(&parker->mutex, NULL);
  pthread_cond_init(&parker->condition, NULL);
  parker->woken = false;
  return parker;
}

void rio_parker_destroy(struct rio_parker *parker) {
  pthread_cond_destroy(&parker->condition);
  pthread_mutex_destroy(&parker->mutex);
  free(parker);
}

void rio_parker_wake(struct rio_parker *parker) {
  pthread_mutex_lock(&parker->mutex);
  parker->woken = true;
  pthread_cond_signal(&parker->condition);
  pthread_mutex_unlock(&parker->mutex);
}

bool rio_parker_wait(struct rio_parker *parker, int64_t timeout_ns) {
  struct timespec until = rio_deadline(timeout_ns);
  pthread_mutex_lock(&parker->mutex);
  int result = 0;
  while (!parker->woken && result == 0) {
    result = pthread_cond_timedwait(&parker->condition, &parker->mutex, &until);
  }
  bool woken = parker->woken;
  parker->woken = false;
  pthread_mutex_unlock(&parker->mutex);
  return woken;
}

bool rio_is_main_thread(void) { return pthread_main_np() != 0; }

void rio_platform_name_thread(const char *name) { pthread_setname_np(name); }

void rio_platform_detect(bool *sums, bool *products) { *sums = *products = true; }

#endif
