import CRocksDBPeer
import RangeIO

/// RocksDB's block cache with its compressed tier, in loops of C++: how it takes blocks in, `CRocksDBPeer.h` explains.
///
/// On any thread; whoever calls takes the time.
final class RocksDBPeer: @unchecked Sendable {
  // Unchecked: RocksDB locks itself.
  private let cache: OpaquePointer

  /// - Parameters:
  ///   - primary: the limit of blocks as they are, in bytes.
  ///   - secondary: the limit of compressed ones.
  /// - Returns: `nil` where there is no RocksDB, or none that the benchmark knows.
  init?(primary: Int, secondary: Int) throws {
    guard bench_rocksdb_is_available() else { return nil }
    guard let cache = bench_rocksdb_create(primary, secondary) else {
      throw SystemFailure.noMemory("make a cache of RocksDB")
    }
    self.cache = cache
  }

  deinit { bench_rocksdb_destroy(cache) }

  /// Bytes charged for blocks as they are. What the compressed ones take, RocksDB does not tell.
  var primaryByteCount: Int { Int(bench_rocksdb_primary_usage(cache)) }

  /// Inserts the first `count` blocks so that they are compressed, but for the last ones, which are not evicted.
  func fill(_ blocks: CompressibleBlocks, count: Int) throws {
    // It compresses what it evicts for the second time.
    for _ in 0..<2 {
      for number in 0..<count {
        let offset = number * blocks.blockSize
        try insert(blocks.bytes(offset..<offset + blocks.blockSize), at: offset)
      }
    }
  }

  /// Inserts a copy of a block.
  func insert(_ block: Bytes, at offset: Int) throws {
    let result = block.withUnsafeBytes { bench_rocksdb_insert(cache, Int64(offset), $0.baseAddress, $0.count) }
    try SystemFailure.check(result, "insert into RocksDB's cache")
  }

  /// Where look-ups found their blocks.
  struct Hits {
    var primary: Int
    var secondary: Int
    var missed: Int

    fileprivate init(_ hits: bench_rocksdb_hits) {
      (primary, secondary, missed) = (Int(hits.primary), Int(hits.secondary), Int(hits.missed))
    }
  }

  /// Copies the block at `offset`; what is in `destination` does not matter after a miss.
  func get(_ offset: Int, into destination: UnsafeMutableRawBufferPointer) throws -> Hits {
    var hits = bench_rocksdb_hits()
    let result = bench_rocksdb_get(cache, Int64(offset), destination.baseAddress, destination.count, &hits)
    try SystemFailure.check(result, "copy from RocksDB's cache")
    return Hits(hits)
  }

  /// Touches the blocks at `offsets` where the cache has them, without copying.
  func read(_ offsets: [Int], blockSize: Int) throws -> Hits {
    var hits = bench_rocksdb_hits()
    let result = offsets.withUnsafeBufferPointer { offsets in
      offsets.withMemoryRebound(to: Int64.self) {
        bench_rocksdb_read(cache, $0.baseAddress, $0.count, blockSize, &hits)
      }
    }
    try SystemFailure.check(result, "read from RocksDB's cache")
    return Hits(hits)
  }
}
