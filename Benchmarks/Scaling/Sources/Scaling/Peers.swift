import CBenchmarkPeers
import CRocksDBPeer
import Foundation
import RangeIO
import Synchronization

extension Laboratory {
  /// C's `pread` of the same blocks, into memory from `malloc` that is freed.
  func pread(_ blocks: Blocks, of path: String? = nil, isCold: Bool = false) -> Contender {
    Contender(
      "C pread", isNew: true,
      {
        if isCold { try makeResident(false) }
        return try Descriptor(path ?? file.path)
      }
    ) { descriptor in
      { walk in
        let offsets = (0..<blocks.batch).compactMap { _ in walk.next(blocks).map(Int64.init) }
        let result = bench_pread(descriptor.number, offsets, offsets.count, blocks.size, 1, false, false)
        try SystemFailure.check(result, "pread")
        return offsets.count
      }
    }
  }

  func preadStream(_ byteCount: Int) -> Contender {
    Contender("C pread, 1 MiB malloc a window", { try Descriptor(file.path) }) { descriptor in
      { _ in
        try SystemFailure.check(
          bench_pread_stream(descriptor.number, Int64(byteCount), 1 << 20, false, false), "stream")
        return byteCount
      }
    }
  }

  /// A dictionary behind a lock, or behind as many as there are parts.
  func dictionary(_ blocks: Blocks, parts: Int) -> Contender {
    Contender(
      parts == 1 ? "Dictionary, one Mutex" : "Dictionary, \(parts) × Mutex",
      {
        let parts = (0..<parts).map { _ in Part() }
        for number in 0..<blocks.count {
          let bytes = Bytes(count: blocks.size) { bench_fill($0.baseAddress, $0.count, Int64(number * blocks.size)) }
          parts[number % parts.count].blocks.withLock { $0[number] = bytes }
        }
        return parts
      }
    ) { parts in
      { walk in
        for _ in 0..<blocks.batch {
          guard let offset = walk.next(blocks) else { return 0 }
          let number = offset / blocks.size
          try WrongBytes.check(parts[number % parts.count].blocks.withLock { $0[number] }, at: offset)
        }
        return blocks.batch
      }
    }
  }

  /// RocksDB's caches; none where there is no RocksDB.
  ///
  /// - Parameter isNew: whether each run has a new one.
  func rocksDB(_ blocks: Blocks, limit: Int, isFilled: Bool = false, isNew: Bool = false) -> [Contender] {
    guard bench_rocksdb_is_available() else { return [] }
    return [("RocksDB LRU", false), ("RocksDB HyperClock", true)].map { name, isClock in
      let make: @Sendable () async throws -> RocksDB = {
        let cache = try RocksDB(bench_rocksdb_create_single(limit, blocks.size, isClock), file.path)
        for number in 0..<(isFilled ? blocks.count : 0) { try cache.insert(number * blocks.size, blocks.size) }
        if blocks.isSkewed { try await Walk.warm(blocks) { walk in try cache.read(&walk, blocks) } }
        return cache
      }
      let lane: @Sendable (RocksDB) -> Lane = { cache in
        { walk in try cache.read(&walk, blocks) }
      }
      return Contender(name, isNew: isNew, make, lane: lane)
    }
  }

  /// RocksDB's LRU cache above its compressed one.
  func rocksDBTiers(_ blocks: Blocks) -> [Contender] {
    guard bench_rocksdb_is_available() else { return [] }
    return [
      Contender("RocksDB LRU and LZ4", { try RocksDB(bench_rocksdb_create(store / 2, store), tierFile) }) { cache in
        { walk in try cache.read(&walk, blocks, hasTiers: true) }
      }
    ]
  }
}

private final class Part: Sendable {
  let blocks = Mutex<[Int: Bytes]>([:])
}

/// A descriptor that is closed with its last user.
private final class Descriptor: Sendable {
  let number: CInt

  init(_ path: String) throws {
    number = open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw SystemFailure(code: errno, doing: "open \(path)") }
  }

  deinit { close(number) }
}

/// One of RocksDB's caches, and the file that it lacks blocks of.
private final class RocksDB: CountsMisses, @unchecked Sendable {
  // Unchecked: RocksDB locks itself.
  private let cache: OpaquePointer
  private let file: Descriptor
  private let missed = Atomic<Int>(0)
  var misses: Int { missed.load(ordering: .relaxed) }

  init(_ cache: OpaquePointer?, _ path: String) throws {
    guard let cache else { throw SystemFailure.noMemory("make a cache of RocksDB") }
    (self.cache, file) = (cache, try Descriptor(path))
  }

  deinit { bench_rocksdb_destroy(cache) }

  /// Looks up so many blocks; reads and inserts those that are not there. `hasTiers`: also where they are compressed.
  func read(_ walk: inout Walk, _ blocks: Blocks, hasTiers: Bool = false) throws -> Int {
    for done in 0..<blocks.batch {
      guard let offset = walk.next(blocks) else { return done }
      var (number, hits) = (Int64(offset), bench_rocksdb_hits())
      if hasTiers || WrongBytes.looks(at: offset) {
        try SystemFailure.check(bench_rocksdb_read(cache, &number, 1, blocks.size, &hits), "read from RocksDB's cache")
      } else {
        bench_rocksdb_find(cache, &number, 1, &hits)
      }
      if hits.missed > 0 {
        missed.add(1, ordering: .relaxed)
        try insert(offset, blocks.size)
      }
    }
    return blocks.batch
  }

  func insert(_ offset: Int, _ size: Int) throws {
    try withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
      guard Foundation.pread(file.number, buffer.baseAddress, size, off_t(offset)) == size else {
        throw WrongBytes(offset: offset)
      }
      let result = bench_rocksdb_insert(cache, Int64(offset), buffer.baseAddress, size)
      try SystemFailure.check(result, "insert into RocksDB's cache")
    }
  }
}
