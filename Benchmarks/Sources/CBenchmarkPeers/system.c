#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBenchmarkPeers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

void bench_fill(void *buffer, size_t count, int64_t offset) {
  uint64_t *words = buffer;
  for (size_t i = 0; i < count / 8; i++) words[i] = bench_word((uint64_t)offset / 8 + i);
}

int64_t bench_page_size(void) { return sysconf(_SC_PAGESIZE); }

int64_t bench_resident_pages(int fd, int64_t count) {
  const int64_t page = bench_page_size();
  const size_t pages = (size_t)((count + page - 1) / page);
  // Mapped and never touched: looking does not change what is looked at.
  void *map = mmap(NULL, (size_t)count, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return -errno;
  int64_t resident = 0;
  unsigned char *states = malloc(pages);
#if defined(__APPLE__)
  int failed = states ? mincore(map, (size_t)count, (char *)states) : -1;
#else
  int failed = states ? mincore(map, (size_t)count, states) : -1;
#endif
  if (failed < 0) {
    resident = states ? -errno : -ENOMEM;
  } else {
    for (size_t i = 0; i < pages; i++) resident += states[i] & 1;
  }
  free(states);
  munmap(map, (size_t)count);
  return resident;
}

int bench_drop_cache(int fd, int64_t count) {
#if defined(__APPLE__)
  void *map = mmap(NULL, (size_t)count, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return -errno;
  int result = msync(map, (size_t)count, MS_INVALIDATE) < 0 ? -errno : 0;
  munmap(map, (size_t)count);
  return result;
#else
  return -posix_fadvise(fd, 0, (off_t)count, POSIX_FADV_DONTNEED);
#endif
}

int bench_sync(int fd) { return fsync(fd) < 0 ? -errno : 0; }

int bench_advise_sequential(int fd) {
#if defined(__APPLE__)
  (void)fd;
  return 0;
#else
  return -posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
}

int bench_advise_random(int fd) {
#if defined(__APPLE__)
  (void)fd;
  return 0;
#else
  return -posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
#endif
}

int bench_open_direct(const char *path) {
#if defined(__linux__)
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
  return fd < 0 ? -errno : fd;
#elif defined(__APPLE__)
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  if (fcntl(fd, F_NOCACHE, 1) == 0) return fd;
  int error = errno;
  close(fd);
  return -error;
#else
  (void)path;
  return -ENOTSUP;
#endif
}

struct bench_usage bench_usage(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  struct bench_usage result = {
      .minor_faults = u.ru_minflt,
      .cpu_ns = ((int64_t)u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
                ((int64_t)u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000,
  };
  return result;
}
