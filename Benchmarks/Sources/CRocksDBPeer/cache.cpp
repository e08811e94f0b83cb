#include "CRocksDBPeer.h"

#include <cerrno>

#if defined(BENCHMARK_ROCKSDB) && __has_include(<rocksdb/secondary_cache.h>) && __has_include(<rocksdb/version.h>)
#include <rocksdb/version.h>
// The functions of a block (CacheItemHelper) are others in every few versions; this is the one that was tried.
#if ROCKSDB_MAJOR == 7 && ROCKSDB_MINOR == 8
#define IS_AVAILABLE 1
#endif
#endif

#if defined(IS_AVAILABLE)

#include "CBenchmarkPeers.h"

#include <rocksdb/cache.h>
#include <rocksdb/secondary_cache.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

using rocksdb::Cache;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

/// Its bytes follow.
struct Block {
  size_t size;
  char *bytes() { return reinterpret_cast<char *>(this + 1); }
};

/// NULL if there is no memory for it.
Block *make_block(const void *bytes, size_t size) {
  auto *block = static_cast<Block *>(std::malloc(sizeof(Block) + size));
  if (!block) return nullptr;
  block->size = size;
  std::memcpy(block->bytes(), bytes, size);
  return block;
}

/// As long as RocksDB's own keys, which end with the offset as well.
struct Key {
  uint64_t file = 1;
  int64_t offset;
  explicit Key(int64_t offset) : offset(offset) {}
  Slice slice() const { return Slice(reinterpret_cast<const char *>(this), sizeof *this); }
};

const Cache::CacheItemHelper helper(
    [](void *block) { return static_cast<Block *>(block)->size; },
    [](void *block, size_t offset, size_t count, void *out) {
      std::memcpy(out, static_cast<Block *>(block)->bytes() + offset, count);
      return Status::OK();
    },
    [](const Slice &, void *block) { std::free(block); });

}  // namespace

struct bench_rocksdb {
  std::shared_ptr<Cache> cache;

  /// Calls `use` with the block, if there is one. 0 or -errno.
  template <typename Use>
  int64_t look_up(int64_t offset, size_t size, bench_rocksdb_hits *hits, Use use) {
    const Key key(offset);
    bool was_compressed = false;
    // Called for a block of the second tier only, with bytes that it decompressed and is about to free.
    const Cache::CreateCallback create = [&was_compressed](
                                             const void *bytes, size_t count, void **block, size_t *charge) {
      was_compressed = true;
      *block = make_block(bytes, count);
      *charge = count;
      return *block ? Status::OK() : Status::MemoryLimit();
    };
    Cache::Handle *handle = cache->Lookup(key.slice(), &helper, create, Cache::Priority::LOW, /*wait=*/true);
    if (!handle) {
      hits->missed++;
      return 0;
    }
    (was_compressed ? hits->secondary : hits->primary)++;
    auto *block = static_cast<Block *>(cache->Value(handle));
    const int64_t result = block->size == size ? use(block->bytes()) : -EIO;
    cache->Release(handle);
    return result;
  }
};

bool bench_rocksdb_is_available(void) { return true; }

bench_rocksdb *bench_rocksdb_create(size_t primary, size_t secondary) {
  try {
    rocksdb::CompressedSecondaryCacheOptions compressed;
    compressed.capacity = secondary;
    compressed.compression_type = rocksdb::kLZ4Compression;
    rocksdb::LRUCacheOptions options;
    options.capacity = primary;
    options.secondary_cache = rocksdb::NewCompressedSecondaryCache(compressed);
    return new bench_rocksdb{rocksdb::NewLRUCache(options)};
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

bench_rocksdb *bench_rocksdb_create_single(size_t capacity, size_t block_size, bool is_clock) {
  try {
    if (!is_clock) return new bench_rocksdb{rocksdb::NewLRUCache(capacity)};
    return new bench_rocksdb{rocksdb::HyperClockCacheOptions(capacity, block_size).MakeSharedCache()};
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void bench_rocksdb_destroy(bench_rocksdb *cache) { delete cache; }

int64_t bench_rocksdb_insert(bench_rocksdb *cache, int64_t offset, const void *bytes, size_t size) {
  Block *block = make_block(bytes, size);
  if (!block) return -ENOMEM;
  return cache->cache->Insert(Key(offset).slice(), block, &helper, size).ok() ? 0 : -ENOMEM;
}

int64_t bench_rocksdb_get(
    bench_rocksdb *cache, int64_t offset, void *destination, size_t size, bench_rocksdb_hits *hits) {
  return cache->look_up(offset, size, hits, [=](const char *bytes) -> int64_t {
    std::memcpy(destination, bytes, size);
    return 0;
  });
}

int64_t bench_rocksdb_read(
    bench_rocksdb *cache, const int64_t *offsets, size_t count, size_t size, bench_rocksdb_hits *hits) {
  for (size_t i = 0; i < count; i++) {
    const int64_t offset = offsets[i];
    const int64_t error = cache->look_up(offset, size, hits, [=](const char *bytes) -> int64_t {
      uint64_t word;
      std::memcpy(&word, bytes, sizeof word);
      return word == bench_word(static_cast<uint64_t>(offset) / 8) ? 0 : -EIO;
    });
    if (error < 0) return error;
  }
  return 0;
}

void bench_rocksdb_find(bench_rocksdb *cache, const int64_t *offsets, size_t count, bench_rocksdb_hits *hits) {
  for (size_t i = 0; i < count; i++) {
    Cache::Handle *handle = cache->cache->Lookup(Key(offsets[i]).slice());
    (handle ? hits->primary : hits->missed)++;
    if (handle) cache->cache->Release(handle);
  }
}

int64_t bench_rocksdb_primary_usage(const bench_rocksdb *cache) {
  return static_cast<int64_t>(cache->cache->GetUsage());
}

#else

bool bench_rocksdb_is_available(void) { return false; }

bench_rocksdb *bench_rocksdb_create(size_t, size_t) { return nullptr; }

bench_rocksdb *bench_rocksdb_create_single(size_t, size_t, bool) { return nullptr; }

void bench_rocksdb_destroy(bench_rocksdb *) {}

int64_t bench_rocksdb_insert(bench_rocksdb *, int64_t, const void *, size_t) { return -ENOTSUP; }

int64_t bench_rocksdb_get(bench_rocksdb *, int64_t, void *, size_t, bench_rocksdb_hits *) { return -ENOTSUP; }

int64_t bench_rocksdb_read(bench_rocksdb *, const int64_t *, size_t, size_t, bench_rocksdb_hits *) {
  return -ENOTSUP;
}

void bench_rocksdb_find(bench_rocksdb *, const int64_t *, size_t, bench_rocksdb_hits *) {}

int64_t bench_rocksdb_primary_usage(const bench_rocksdb *) { return -ENOTSUP; }

#endif
