#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBenchmarkPeers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool same_version(const struct stat *a, const struct stat *b) {
#if defined(__APPLE__)
  const struct timespec am = a->st_mtimespec, bm = b->st_mtimespec, ac = a->st_ctimespec, bc = b->st_ctimespec;
#else
  const struct timespec am = a->st_mtim, bm = b->st_mtim, ac = a->st_ctim, bc = b->st_ctim;
#endif
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && am.tv_sec == bm.tv_sec &&
         am.tv_nsec == bm.tv_nsec && ac.tv_sec == bc.tv_sec && ac.tv_nsec == bc.tv_nsec;
}

/// Memory for `size` bytes, aligned for a direct read if asked.
static uint64_t *allocate(size_t size, bool is_direct) {
  if (!is_direct) return malloc(size);
  void *buffer = NULL;
  return posix_memalign(&buffer, 4096, size) == 0 ? buffer : NULL;
}

/// One read as a careful C program does it, or a copy from where the file is mapped. Zero, or -errno.
static int read_once(int fd, const char *map, int64_t offset, size_t size, const struct stat *version, bool is_direct) {
  uint64_t *buffer = allocate(size, is_direct);
  if (!buffer) return -ENOMEM;
  int error = 0;
  ssize_t n;
  if (map) {
    memcpy(buffer, map + offset, size);
    n = (ssize_t)size;
  } else {
    n = pread(fd, buffer, size, (off_t)offset);
  }
  if (n < 0) {
    error = -errno;
  } else if ((size_t)n != size || buffer[0] != bench_word((uint64_t)offset / 8)) {
    error = -EIO;
  } else if (version) {
    struct stat now;
    if (fstat(fd, &now) < 0) {
      error = -errno;
    } else if (!same_version(version, &now)) {
      error = -ESTALE;
    }
  }
  free(buffer);
  return error;
}

struct work {
  int fd;
  /// Where the file is mapped, if it is to be copied from there.
  const char *map;
  const int64_t *offsets;
  size_t count, size;
  const struct stat *version;
  bool is_direct;
  atomic_size_t next;
  atomic_int error;
  // The gate at which threads wait for each other, so that starting them is not measured.
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int ready;
  bool open;
};

static void *worker(void *context) {
  struct work *work = context;
  pthread_mutex_lock(&work->mutex);
  work->ready++;
  pthread_cond_broadcast(&work->changed);
  while (!work->open) pthread_cond_wait(&work->changed, &work->mutex);
  pthread_mutex_unlock(&work->mutex);
  for (;;) {
    size_t index = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
    if (index >= work->count) return NULL;
    int error = read_once(work->fd, work->map, work->offsets[index], work->size, work->version, work->is_direct);
    if (error < 0) {
      atomic_store(&work->error, error);
      return NULL;
    }
  }
}

static int64_t read_on_threads(struct work *work, int threads) {
  pthread_t *ids = calloc((size_t)threads, sizeof *ids);
  if (!ids) return -ENOMEM;
  int started = 0;
  for (; started < threads; started++) {
    int error = pthread_create(&ids[started], NULL, worker, work);
    if (error != 0) {
      atomic_store(&work->error, -error);
      atomic_store(&work->next, work->count);
      break;
    }
  }
  pthread_mutex_lock(&work->mutex);
  while (work->ready < started) pthread_cond_wait(&work->changed, &work->mutex);
  int64_t start = now_ns();
  work->open = true;
  pthread_cond_broadcast(&work->changed);
  pthread_mutex_unlock(&work->mutex);
  for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
  int64_t elapsed = now_ns() - start;
  free(ids);
  int error = atomic_load(&work->error);
  return error < 0 ? error : elapsed;
}

static int64_t read_all(int fd, const char *map, const int64_t *offsets, size_t count, size_t size, int threads,
                        const struct stat *version, bool is_direct) {
  if (threads > 1) {
    struct work work = {
        .fd = fd,
        .map = map,
        .offsets = offsets,
        .count = count,
        .size = size,
        .version = version,
        .is_direct = is_direct,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    return read_on_threads(&work, threads);
  }
  int64_t start = now_ns();
  for (size_t i = 0; i < count; i++) {
    int error = read_once(fd, map, offsets[i], size, version, is_direct);
    if (error < 0) return error;
  }
  return now_ns() - start;
}

int64_t bench_pread(int fd, const int64_t *offsets, size_t count, size_t size, int threads, bool checks_version,
                    bool is_direct) {
  struct stat version;
  if (fstat(fd, &version) < 0) return -errno;
  return read_all(fd, NULL, offsets, count, size, threads, checks_version ? &version : NULL, is_direct);
}

int64_t bench_mapped(int fd, int64_t byte_count, const int64_t *offsets, size_t count, size_t size, int threads,
                     bool advises) {
  char *map = mmap(NULL, (size_t)byte_count, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return -errno;
  if (advises) madvise(map, (size_t)byte_count, MADV_RANDOM);
  int64_t result = read_all(fd, map, offsets, count, size, threads, NULL, false);
  munmap(map, (size_t)byte_count);
  return result;
}

int64_t bench_mapped_stream(int fd, int64_t count, size_t window, bool advises) {
  char *map = mmap(NULL, (size_t)count, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return -errno;
  if (advises) madvise(map, (size_t)count, MADV_SEQUENTIAL);
  int64_t start = now_ns();
  int64_t result = 0;
  for (int64_t position = 0; position < count && result == 0; position += (int64_t)window) {
    size_t wanted = (int64_t)window < count - position ? window : (size_t)(count - position);
    result = read_once(fd, map, position, wanted, NULL, false);
  }
  if (result == 0) result = now_ns() - start;
  munmap(map, (size_t)count);
  return result;
}

int64_t bench_pread_stream(int fd, int64_t count, size_t window, bool reuses_buffer, bool is_direct) {
  int64_t start = now_ns();
  uint64_t *buffer = NULL;
  int64_t position = 0;
  int error = 0;
  while (position < count && error == 0) {
    if (!buffer) buffer = allocate(window, is_direct);
    if (!buffer) return -ENOMEM;
    size_t wanted = (int64_t)window < count - position ? window : (size_t)(count - position);
    ssize_t n = pread(fd, buffer, wanted, (off_t)position);
    if (n < 0) {
      error = -errno;
    } else if ((size_t)n != wanted || buffer[0] != bench_word((uint64_t)position / 8)) {
      error = -EIO;
    } else {
      position += n;
    }
    if (!reuses_buffer) {
      free(buffer);
      buffer = NULL;
    }
  }
  free(buffer);
  return error < 0 ? error : now_ns() - start;
}
