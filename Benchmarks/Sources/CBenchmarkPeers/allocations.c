// Counts the allocations of the whole process, Swift's among them, while asked to.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBenchmarkPeers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

// A program's own functions of these names come before those of the C library, for its shared libraries too. glibc says
// how to replace malloc; these only count and pass on, so everything else (free above all) stays glibc's.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool counting;
static atomic_llong allocations;

static inline void note(void) {
  // One look at a flag that nobody writes to: what it adds to other measurements cannot be measured.
  if (atomic_load_explicit(&counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  note();
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

int bench_start_counting(void) {
  atomic_store(&allocations, 0);
  atomic_store(&counting, true);
  return 0;
}

int64_t bench_stop_counting(void) {
  atomic_store(&counting, false);
  return atomic_load(&allocations);
}

#else

int bench_start_counting(void) { return -ENOTSUP; }

int64_t bench_stop_counting(void) { return -ENOTSUP; }

#endif
