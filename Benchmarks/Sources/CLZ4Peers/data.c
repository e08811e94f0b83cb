#include "CBenchmarkPeers.h"
#include "CLZ4Peers.h"
#include "codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// What repetitions repeat lies at most so far before them.
static const size_t reach = 4096;
/// Bytes of noise between two repetitions, unless there is so much of it that repetitions would be too short for LZ4.
static const double usual_noise = 12;
static const double least_repetition = 8;

static uint64_t next(uint64_t *state) {
  *state += 1;
  return bench_word(*state);
}

/// A number from `least` on, `mean` on average.
static size_t draw(uint64_t *state, double mean, size_t least) {
  double span = 2 * (mean - (double)least) + 1;
  // The lowest bit is always one.
  return least + (span > 1 ? (size_t)((double)(next(state) >> 11) * 0x1p-53 * span) : 0);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void bench_fill_compressible(void *block, size_t size, int64_t offset, double noise) {
  unsigned char *bytes = block;
  uint64_t state = (uint64_t)offset / 8;
  double repetition = noise > 0 ? usual_noise * (1 - noise) / noise : (double)size;
  double between = usual_noise;
  if (repetition < least_repetition) {
    repetition = least_repetition;
    between = noise < 1 ? least_repetition * noise / (1 - noise) : (double)size;
  }
  // Longer ones than blocks have no meaning, and would not fit a size_t.
  if (repetition > (double)size) repetition = (double)size;
  if (between > (double)size) between = (double)size;

  uint64_t word = bench_word(state);
  memcpy(bytes, &word, sizeof word);
  // Far from the states of other blocks.
  state = bench_word(state ^ UINT64_C(0x5555555555555555));
  size_t at = sizeof word;
  while (at < size) {
    size_t end = at + smaller(draw(&state, between, 1), size - at);
    for (; at < end; at += smaller(sizeof word, end - at)) {
      word = next(&state);
      memcpy(bytes + at, &word, smaller(sizeof word, end - at));
    }
    if (noise >= 1) continue;
    end = at + smaller(draw(&state, repetition, 4), size - at);
    size_t distance = 1 + (size_t)(next(&state) >> 1) % smaller(at, reach);
    for (; at < end; at++) bytes[at] = bytes[at - distance];
  }
}

/// The bytes to which blocks of altogether 256 KiB are compressed. Zero: no memory.
static size_t compressed(unsigned char *block, unsigned char *room, size_t size, size_t count, double noise) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    bench_fill_compressible(block, size, (int64_t)(i * size), noise);
    sum += codec_compress(block, size, room, codec_bound(size), 1);
  }
  return sum;
}

double bench_compressible_noise(size_t size, double fraction) {
  if (fraction >= 1) return 1;
  // Many small blocks, for their mean.
  size_t count = 1 + (1 << 18) / size;
  unsigned char *block = malloc(size), *room = malloc(codec_bound(size));
  double low = 0, high = 1;
  if (block && room) {
    for (int step = 0; step < 14; step++) {
      double middle = (low + high) / 2;
      if ((double)compressed(block, room, size, count, middle) > fraction * (double)(size * count)) {
        high = middle;
      } else {
        low = middle;
      }
    }
  }
  int is_memory = block && room;
  free(block);
  free(room);
  return is_memory ? (low + high) / 2 : -ENOMEM;
}
