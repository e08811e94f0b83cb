#include "CBenchmarkPeers.h"
#include "CLZ4Peers.h"
#include "codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct compressed {
  void *bytes;
  size_t count;
};

struct bench_lz4 {
  size_t size, count;
  struct compressed *blocks;
};

struct bench_lz4 *bench_lz4_create(size_t size, size_t count, double noise) {
  struct bench_lz4 *result = calloc(1, sizeof *result);
  void *block = malloc(size), *room = malloc(codec_bound(size));
  int is_memory = result && block && room && (result->blocks = calloc(count, sizeof *result->blocks));
  if (is_memory) result->size = size;
  for (size_t i = 0; is_memory && i < count; i++) {
    bench_fill_compressible(block, size, (int64_t)(i * size), noise);
    struct compressed *to = &result->blocks[i];
    to->count = codec_compress(block, size, room, codec_bound(size), 1);
    to->bytes = malloc(to->count);
    result->count++;
    is_memory = to->bytes != NULL;
    if (is_memory) memcpy(to->bytes, room, to->count);
  }
  free(block);
  free(room);
  if (is_memory) return result;
  bench_lz4_destroy(result);
  return NULL;
}

void bench_lz4_destroy(struct bench_lz4 *blocks) {
  if (!blocks) return;
  for (size_t i = 0; i < blocks->count; i++) free(blocks->blocks[i].bytes);
  free(blocks->blocks);
  free(blocks);
}

int64_t bench_lz4_byte_count(const struct bench_lz4 *blocks) {
  int64_t sum = 0;
  for (size_t i = 0; i < blocks->count; i++) sum += (int64_t)blocks->blocks[i].count;
  return sum;
}

int64_t bench_lz4_decompress(const struct bench_lz4 *blocks, const int64_t *offsets, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t number = (size_t)offsets[i] / blocks->size;
    if (number >= blocks->count) return -EINVAL;
    const struct compressed *block = &blocks->blocks[number];
    uint64_t *buffer = malloc(blocks->size);
    if (!buffer) return -ENOMEM;
    size_t got = codec_decompress(block->bytes, block->count, buffer, blocks->size);
    int is_right = got == blocks->size && buffer[0] == bench_word((uint64_t)offsets[i] / 8);
    free(buffer);
    if (!is_right) return -EIO;
  }
  return 0;
}

int64_t bench_lz4_compress(
    const void *plain, size_t size, const int64_t *offsets, size_t count, int acceleration, size_t *fitting) {
  size_t capacity = size * 7 / 8;
  void *room = malloc(capacity);
  if (!room) return -ENOMEM;
  int64_t sum = 0;
  *fitting = 0;
  for (size_t i = 0; i < count; i++) {
    size_t got = codec_compress((const char *)plain + offsets[i], size, room, capacity, acceleration);
    sum += (int64_t)got;
    *fitting += got > 0;
  }
  free(room);
  return sum;
}
