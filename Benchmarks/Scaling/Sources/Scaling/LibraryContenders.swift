import Foundation
import RangeIO
import RangeIOTiers

extension Laboratory {
  /// A reader of the file that keeps just what is asked for.
  func reader(_ store: some ChunkStore, of path: String? = nil, _ blocks: Blocks) async throws -> RangeReader {
    try await RangeReader(
      FileSource(path ?? file.path), [.caching(store, fill: .exact, blockSize: .bytes(blocks.size))])
  }

  private func filled(_ limit: ByteCount, _ blocks: Blocks) async throws -> RangeReader {
    let reader = try await reader(MemoryStore(limit: limit), blocks)
    try await fill(reader, blocks)
    return reader
  }

  /// Blocks that are in memory: one reader and store for all tasks, or for each.
  func hits(_ blocks: Blocks) -> [Contender] {
    var contenders: [Contender] = []
    for (kind, lane) in [("read", reading), ("cached", cached)] {
      contenders.append(Contender(kind, { try await filled(.gibibytes(1), blocks) }) { lane($0, blocks) })
      guard blocks.count * blocks.size < store / 2 else { continue }
      contenders.append(
        Contender("\(kind), 64 MiB", { try await filled(.mebibytes(64), blocks) }) { lane($0, blocks) })
      func each(_ name: String, _ read: Blocks) -> Contender {
        Contender(name: name) { most in
          var lanes: [Lane] = []
          for _ in 0..<most { lanes.append(lane(try await filled(.mebibytes(64), blocks), read)) }
          return { [lanes] in Contender.Lanes(all: Array(lanes[..<$0])) }
        }
      }
      contenders.append(each("\(kind), a store each", blocks))
      guard blocks.count > 1 else { continue }
      // Tasks that share a store and no block, since those that meet at a block also share its count of references.
      var apart = blocks
      apart.isApart = true
      contenders.append(
        Contender("\(kind), 64 MiB, apart", { try await filled(.mebibytes(64), blocks) }) { [apart] in lane($0, apart) }
      )
      contenders.append(each("\(kind), a store each, apart", apart))
    }
    return contenders
  }

  /// Blocks of the whole file at random, most of which are not in a store.
  func evicting(_ blocks: Blocks) -> [Contender] {
    func random(_ name: String, _ reader: @escaping @Sendable () async throws -> RangeReader) -> Contender {
      Contender(
        name,
        {
          let reader = try await reader()
          if blocks.isSkewed {
            try await Walk.warm(blocks, reading(reader, blocks))
          } else {
            try await fill(reader, blocks, first: store / blocks.size)
          }
          return reader
        }
      ) { reading($0, blocks) }
    }
    var leastRecent = MemoryStore.Configuration(limit: .bytes(store))
    leastRecent.eviction = .lru
    return [
      random("read, evicting") { try await reader(MemoryStore(limit: .bytes(store)), blocks) },
      random("read, evicting by LRU") { [leastRecent] in try await reader(MemoryStore(leastRecent), blocks) },
      random("read, no cache") { try await RangeReader(FileSource(file.path)) },
      random("read, default cache") { try await RangeReader(file.path) },
    ]
  }

  /// Blocks that are read once into a store with room for all of them.
  func keeping(_ blocks: Blocks) -> [Contender] {
    [
      Contender("read, kept", isNew: true, { try await reader(MemoryStore(limit: .gibibytes(32)), blocks) }) {
        reading($0, blocks)
      }
    ]
  }

  func tiers(_ blocks: Blocks) -> [Contender] {
    [
      Contender(
        "read, memory and LZ4",
        {
          let tiers = TieredStore(memory: .bytes(store / 2), compressed: .bytes(store))
          let reader = try await reader(tiers, of: tierFile, blocks)
          try await fill(reader, blocks)
          return reader
        }
      ) { reading($0, blocks) }
    ]
  }

  func disk(_ blocks: Blocks) -> [Contender] {
    [
      Contender(
        "read, disk tier",
        {
          let folder = directory.appendingPathComponent("range-io-scaling-disk")
          try? FileManager.default.removeItem(at: folder)  // There is none at first.
          var configuration = DiskConfiguration(directory: folder.path, limit: .bytes(8 * store))
          configuration.keepsFastSources = true
          configuration.freeSpaceFloor = .bytes(0)
          let tiers = try await TieredStore(disk: configuration)
          let reader = try await reader(tiers, of: tierFile, blocks)
          for number in 0..<blocks.count {
            _ = try await reader.read(blocks.range(number))
            if number % 16 == 15 { try await tiers.flush() }
          }
          try await tiers.flush()
          let before = reader.statistics().source.reduce(0) { $0 + $1.reads }
          try await fill(reader, blocks)
          let missed = reader.statistics().source.reduce(0) { $0 + $1.reads } - before
          guard missed < blocks.count / 50 else {
            throw SystemFailure(code: ENOENT, doing: "find \(missed) blocks in the disk tier")
          }
          return reader
        }
      ) { reading($0, blocks) }
    ]
  }

  func cold(_ blocks: Blocks) -> [Contender] {
    [
      Contender(
        "read", isNew: true,
        {
          try makeResident(false)
          return try await RangeReader(FileSource(file.path))
        }
      ) { reading($0, blocks) }
    ]
  }

  func streams(_ byteCount: Int) -> [Contender] {
    [
      Contender("stream", { try await RangeReader(FileSource(file.path)) }) { reader in
        { _ in
          var count = 0
          for try await piece in reader.stream(0..<byteCount) {
            try WrongBytes.check(piece, at: count)
            count += piece.count
          }
          return count
        }
      }
    ]
  }
}

extension RangeReader: CountsMisses {
  nonisolated var misses: Int { statistics().source.reduce(0) { $0 + $1.reads } }
}

@Sendable private func reading(_ reader: RangeReader, _ blocks: Blocks) -> Lane {
  { walk in
    for done in 0..<blocks.batch {
      guard let offset = walk.next(blocks) else { return done }
      try WrongBytes.check(try await reader.read(offset..<offset + blocks.size), at: offset)
    }
    return blocks.batch
  }
}

@Sendable private func cached(_ reader: RangeReader, _ blocks: Blocks) -> Lane {
  { walk in
    for done in 0..<blocks.batch {
      guard let offset = walk.next(blocks) else { return done }
      try WrongBytes.check(reader.cached(offset..<offset + blocks.size), at: offset)
    }
    return blocks.batch
  }
}
