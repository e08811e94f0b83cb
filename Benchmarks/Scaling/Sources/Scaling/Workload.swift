/// What is measured by how many tasks do it at once.
enum Workload: String, CaseIterable, Codable {
  case hot
  case few = "hits-1000"
  case many = "hits-100000"
  case evicting, ycsb, keeping, tiers, disk, cold, streams

  var title: String {
    switch self {
    case .hot: "hits of one block of 4 KiB"
    case .few: "hits of 1,000 blocks of 4 KiB"
    case .many: "hits of 100,000 blocks of 4 KiB"
    case .evicting: "reads of 4 KiB at random over a resident file, stores of 64 MiB"
    case .ycsb: "reads of 4 KiB as in YCSB's workload C (zipfian, 0.99) over a resident file, stores of 64 MiB"
    case .keeping: "each block of 4 KiB once, of a resident file, all kept"
    case .tiers: "128 MiB in blocks of 64 KiB, 32 MiB in memory and 64 MiB of LZ4"
    case .disk: "hits of 64 KiB on the disk tier"
    case .cold: "reads of 4 KiB of a file that is not in the page cache"
    case .streams: "streams of 64 MiB of a resident file"
    }
  }

  /// What one of `rate` is.
  var unit: String { self == .streams ? "GB/s" : "million reads a second" }
  var perUnit: Double { self == .streams ? 1e9 : 1e6 }

  /// How many at once: for cold reads as many as a disk takes.
  func crowds(mostTasks: Int, threads: Int) -> [Crowd] {
    if self == .cold { return [1, 4, 16, 64].map(Crowd.tasks) }
    var counts = Array(sequence(first: 1) { $0 * 2 < mostTasks ? $0 * 2 : nil })
    if mostTasks > 1 { counts.append(mostTasks) }
    return counts.map(Crowd.tasks) + (threads > 0 ? [.threads(threads)] : [])
  }

  func contenders(_ laboratory: Laboratory) -> [Contender] {
    switch self {
    case .hot: hits(laboratory, 1)
    case .few: hits(laboratory, 1000)
    case .many: hits(laboratory, 100_000)
    case .evicting:
      laboratory.evicting(laboratory.allBlocks) + [laboratory.pread(laboratory.allBlocks)]
        + laboratory.rocksDB(laboratory.allBlocks, limit: laboratory.store)
    case .ycsb:
      { blocks in
        laboratory.evicting(blocks) + [laboratory.pread(blocks)] + laboratory.rocksDB(blocks, limit: laboratory.store)
      }(Blocks(size: Laboratory.blockSize, count: laboratory.allBlocks.count, isSkewed: true))
    case .keeping:
      { blocks in
        laboratory.keeping(blocks) + [laboratory.pread(blocks)]
          + laboratory.rocksDB(blocks, limit: 32 << 30, isNew: true)
      }(Blocks(size: Laboratory.blockSize, count: laboratory.allBlocks.count, isOnce: true))
    case .tiers:
      laboratory.tiers(laboratory.tierBlocks) + [laboratory.pread(laboratory.tierBlocks, of: laboratory.tierFile)]
        + laboratory.rocksDBTiers(laboratory.tierBlocks)
    case .disk:
      laboratory.disk(laboratory.tierBlocks) + [laboratory.pread(laboratory.tierBlocks, of: laboratory.tierFile)]
    case .cold:
      { blocks in
        var pread = laboratory.pread(blocks, isCold: true)
        pread.blocksThreads = true
        return laboratory.cold(blocks) + [pread]
      }(Blocks(size: Laboratory.blockSize, count: laboratory.allBlocks.count, batch: 8))
    case .streams: laboratory.streams(64 << 20) + [laboratory.preadStream(64 << 20)]
    }
  }

  private func hits(_ laboratory: Laboratory, _ count: Int) -> [Contender] {
    let blocks = laboratory.hitBlocks(count)
    return laboratory.hits(blocks) + [
      laboratory.pread(blocks), laboratory.dictionary(blocks, parts: 1), laboratory.dictionary(blocks, parts: 64),
    ] + laboratory.rocksDB(blocks, limit: 1 << 30, isFilled: true)
  }

  /// What must hold between two of the contenders.
  ///
  /// - Parameter threads: so many threads of their own against two of them.
  func ratios(threads: Int) -> [Ratio] {
    let two = Crowd.tasks(2)
    func crowded(_ name: String) -> Ratio {
      Ratio("\(name): \(threads) threads against 2", (name, .threads(threads)), (name, .threads(2)), atLeast: 0.9)
    }
    switch self {
    case .few:
      var ratios: [Ratio] = []
      for kind in ["read", "cached"] {
        for (store, size) in [(kind, "1 GiB"), ("\(kind), 64 MiB", "64 MiB")] {
          ratios.append(
            Ratio(
              "\(kind) by two tasks: one store of \(size) against a store each", (store, two),
              ("\(kind), a store each", two), atLeast: 0.95))
        }
        ratios.append(
          Ratio(
            "\(kind) by two tasks, each every second block: one store of 64 MiB against a store each",
            ("\(kind), 64 MiB, apart", two), ("\(kind), a store each, apart", two), atLeast: 0.95))
      }
      for crowd in [two, .threads(threads)] {
        ratios.append(
          Ratio(
            "cached by \(crowd) against RocksDB HyperClock", ("cached", crowd), ("RocksDB HyperClock", crowd),
            atLeast: 1.5))
      }
      return ratios + [crowded("cached, 64 MiB"), crowded("read, 64 MiB")]
    case .evicting:
      return [
        Ratio(
          "read, evicting, against no cache, two tasks", ("read, evicting", two), ("read, no cache", two), atLeast: 0.7),
        crowded("read, evicting"),
      ]
    case .tiers: return [crowded("read, memory and LZ4")]
    default: return []
    }
  }
}

/// Two sides whose rates are measured in turn.
struct Ratio: Sendable {
  let name: String
  let above: (contender: String, crowd: Crowd)
  let below: (contender: String, crowd: Crowd)
  let goal: Double

  init(_ name: String, _ above: (String, Crowd), _ below: (String, Crowd), atLeast goal: Double) {
    (self.name, self.above, self.below, self.goal) = (name, above, below, goal)
  }
}
