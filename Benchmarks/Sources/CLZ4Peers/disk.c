#include "CBenchmarkPeers.h"
#include "CLZ4Peers.h"
#include "codec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The library's own, in the same executable.
uint32_t rio_crc32c(uint32_t crc, const void *bytes, size_t count);

/// What a store's index knows of a block.
struct record {
  int64_t offset;
  uint32_t count, crc;
};

struct bench_disk {
  int fd;
  bool is_compressed;
  size_t size, count;
  double noise;
  struct record *records;
  /// Room for one block as it is stored.
  void *stored;
};

static int write_all(int fd, const char *bytes, size_t count, int64_t offset) {
  for (size_t done = 0; done < count;) {
    ssize_t n = pwrite(fd, bytes + done, count - done, (off_t)(offset + (int64_t)done));
    if (n < 0 && errno != EINTR) return -errno;
    if (n > 0) done += (size_t)n;
  }
  return 0;
}

static int fill(struct bench_disk *disk) {
  void *block = malloc(disk->size);
  if (!block) return -ENOMEM;
  int64_t end = 0;
  int error = 0;
  for (size_t i = 0; i < disk->count && error == 0; i++) {
    bench_fill_compressible(block, disk->size, (int64_t)(i * disk->size), disk->noise);
    const void *bytes = block;
    size_t count = disk->size;
    if (disk->is_compressed) {
      count = codec_compress(block, disk->size, disk->stored, codec_bound(disk->size), 1);
      bytes = disk->stored;
    }
    disk->records[i] = (struct record){.offset = end, .count = (uint32_t)count, .crc = rio_crc32c(0, bytes, count)};
    error = write_all(disk->fd, bytes, count, end);
    end += (int64_t)count;
  }
  free(block);
  return error;
}

int bench_disk_create(
    const char *path, size_t size, size_t count, double noise, bool is_compressed, struct bench_disk **made) {
  struct bench_disk *disk = calloc(1, sizeof *disk);
  if (!disk) return -ENOMEM;
  *disk = (struct bench_disk){
      .fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
      .is_compressed = is_compressed,
      .size = size,
      .count = count,
      .noise = noise,
      .records = calloc(count, sizeof *disk->records),
      .stored = malloc(codec_bound(size)),
  };
  int error = disk->fd < 0 ? -errno : !disk->records || !disk->stored ? -ENOMEM : fill(disk);
  if (error < 0) {
    bench_disk_destroy(disk);
  } else {
    *made = disk;
  }
  return error;
}

void bench_disk_destroy(struct bench_disk *disk) {
  if (disk->fd >= 0) close(disk->fd);
  free(disk->records);
  free(disk->stored);
  free(disk);
}

/// The block at `offset` in memory of its own; NULL and `error`, if that fails.
static uint64_t *read_block(const struct bench_disk *disk, int64_t offset, int *error) {
  size_t number = (size_t)offset / disk->size;
  *error = -EINVAL;
  if (number >= disk->count) return NULL;
  const struct record *record = &disk->records[number];
  uint64_t *block = malloc(disk->size);
  *error = -ENOMEM;
  if (!block) return NULL;
  void *stored = disk->is_compressed ? disk->stored : block;
  ssize_t n = pread(disk->fd, stored, record->count, (off_t)record->offset);
  *error = n < 0 ? -errno : -EIO;
  if (n == (ssize_t)record->count && rio_crc32c(0, stored, record->count) == record->crc &&
      (!disk->is_compressed || codec_decompress(stored, record->count, block, disk->size) == disk->size)) {
    return block;
  }
  free(block);
  return NULL;
}

int64_t bench_disk_read(const struct bench_disk *disk, const int64_t *offsets, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int error;
    uint64_t *block = read_block(disk, offsets[i], &error);
    if (!block) return error;
    bool is_right = block[0] == bench_word((uint64_t)offsets[i] / 8);
    free(block);
    if (!is_right) return -EIO;
  }
  return 0;
}

int64_t bench_disk_verify(const struct bench_disk *disk) {
  void *expected = malloc(disk->size);
  if (!expected) return -ENOMEM;
  int error = 0;
  for (size_t i = 0; i < disk->count && error == 0; i++) {
    uint64_t *block = read_block(disk, (int64_t)(i * disk->size), &error);
    if (!block) break;
    bench_fill_compressible(expected, disk->size, (int64_t)(i * disk->size), disk->noise);
    error = memcmp(block, expected, disk->size) == 0 ? 0 : -EIO;
    free(block);
  }
  free(expected);
  return error;
}
