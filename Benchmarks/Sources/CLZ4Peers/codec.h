// The same LZ4 that the library uses: liblz4, on Apple platforms the system's library Compression.
#ifndef CODEC_H
#define CODEC_H

#include <stddef.h>

#if defined(__APPLE__)
#include <compression.h>

static inline size_t codec_bound(size_t count) { return count + count / 255 + 16; }

/// The compressed bytes; 0 if there is no room for them.
static inline size_t codec_compress(const void *source, size_t count, void *room, size_t capacity, int acceleration) {
  (void)acceleration;
  return compression_encode_buffer(room, capacity, source, count, NULL, COMPRESSION_LZ4_RAW);
}

/// The decompressed bytes; 0 if `source` is damaged.
static inline size_t codec_decompress(const void *source, size_t count, void *room, size_t capacity) {
  return compression_decode_buffer(room, capacity, source, count, NULL, COMPRESSION_LZ4_RAW);
}

#else
#include <lz4.h>

static inline size_t codec_bound(size_t count) { return (size_t)LZ4_compressBound((int)count); }

/// The compressed bytes; 0 if there is no room for them.
static inline size_t codec_compress(const void *source, size_t count, void *room, size_t capacity, int acceleration) {
  return (size_t)LZ4_compress_fast(source, room, (int)count, (int)capacity, acceleration);
}

/// The decompressed bytes; 0 if `source` is damaged.
static inline size_t codec_decompress(const void *source, size_t count, void *room, size_t capacity) {
  int result = LZ4_decompress_safe(source, room, (int)count, (int)capacity);
  return result < 0 ? 0 : (size_t)result;
}

#endif

#endif
