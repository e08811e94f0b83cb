#include "platform.h"

#include "CRangeIOMapped.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

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
  rim_residency there[at_once];
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
