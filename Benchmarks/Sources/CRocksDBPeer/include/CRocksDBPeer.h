// RocksDB's block cache with its compressed tier: an LRU cache of blocks as they are, and behind it another of blocks
// compressed by LZ4. Only what RocksDB 7.8 has, and only where BENCHMARK_ROCKSDB is defined; otherwise nothing is
// available and nothing can be created.
// Convention: a result of zero or more is a success, a negative result is -errno. All may be called on any thread.
//
// How a block comes to lie in the compressed tier (as of 7.8; there is no way to put it there):
// - What the first tier evicts is offered to the second, which only remembers the key, and takes it when it is evicted
//   once more. So insert all blocks twice, in the same order: all but the last ones, which the first tier has, are
//   compressed then.
// - A block that is found compressed is decompressed for whoever asked, and stays compressed. The first tier only
//   remembers the key, and charges some 100 bytes for it. Room for the block is made in the first tier meanwhile, so
//   the first look-ups after a fill evict and compress some of its blocks: one of each shard if they are of 64 KiB.
// - If it is found again as long as its key is remembered, it moves: it leaves the second tier and pushes another out
//   of the first, which is compressed in the course of that look-up. With a first tier for a sixteenth of the blocks
//   that was at most 2% of the look-ups in a cycle over all of them, 18% of those at random, and every other one where
//   each block was looked up twice in a row.
#ifndef CROCKSDBPEER_H
#define CROCKSDBPEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Whether this was built with a RocksDB that it knows.
bool bench_rocksdb_is_available(void);

struct bench_rocksdb;

/// An empty cache with room for so many bytes, bookkeeping included, of blocks as they are and of compressed ones. NULL
/// if it is not available or there is no memory for it.
///
/// All other settings are RocksDB's: shards of at least 512 KiB, 64 at most, each with its share of the room. A first
/// tier of few blocks has less than its share of many keys in some shards and more in others.
struct bench_rocksdb *bench_rocksdb_create(size_t primary, size_t secondary);
/// The same without a compressed tier: an LRU cache, or a HyperClockCache for blocks of about `block_size`.
struct bench_rocksdb *bench_rocksdb_create_single(size_t capacity, size_t block_size, bool is_clock);
void bench_rocksdb_destroy(struct bench_rocksdb *cache);

/// Inserts a copy of `size` bytes as the block at `offset`.
int64_t bench_rocksdb_insert(struct bench_rocksdb *cache, int64_t offset, const void *bytes, size_t size);

/// Where look-ups found their blocks.
struct bench_rocksdb_hits {
  int64_t primary, secondary, missed;
};

/// Looks up the block at `offset` and copies it into `destination`, unless it is not there, which `hits` says: it
/// counts on. -EIO: it has another size.
int64_t bench_rocksdb_get(
    struct bench_rocksdb *cache, int64_t offset, void *destination, size_t size, struct bench_rocksdb_hits *hits);

/// Looks up the blocks at `count` offsets, one after the other, and only touches them: the first word is looked at in
/// the cache's own memory and the block let go, as a reader would that shares it. `hits` counts on. -EIO: a block has
/// another size, or its first word is not that of the benchmark's file at `offset`.
int64_t bench_rocksdb_read(
    struct bench_rocksdb *cache, const int64_t *offsets, size_t count, size_t size, struct bench_rocksdb_hits *hits);

/// Looks up those of the first tier and lets them go, without a look at their memory.
void bench_rocksdb_find(
    struct bench_rocksdb *cache, const int64_t *offsets, size_t count, struct bench_rocksdb_hits *hits);

/// Bytes charged to the first tier. The compressed one does not tell.
int64_t bench_rocksdb_primary_usage(const struct bench_rocksdb *cache);

#if defined(__cplusplus)
}
#endif

#endif
