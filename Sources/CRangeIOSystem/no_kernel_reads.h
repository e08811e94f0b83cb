// A system without reads that the kernel does by itself. Included by the file of each that has none.

#include "CRangeIOSystem.h"

#include <errno.h>

int rio_reads_open(int capacity, uint64_t *queue) {
  (void)capacity, (void)queue;
  return -ENOSYS;
}

int rio_reads_begin(uint64_t queue, int fd, void *buffer, size_t count, int64_t offset, void *read) {
  (void)queue, (void)fd, (void)buffer, (void)count, (void)offset, (void)read;
  return -ENOSYS;
}

int rio_reads_collect(uint64_t queue, struct rio_ended_read *ended, int capacity) {
  (void)queue, (void)ended, (void)capacity;
  return -ENOSYS;
}
