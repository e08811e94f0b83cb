import RangeIO
import RangeIOTesting
import RangeIOTiers
import SystemPackage

/// Writes and removes blocks until it is killed.
struct EndlessWriter {
  let directory: String
  let disk: any SpillDisk
  var random: SeededGenerator
  let first: Int

  init(_ directory: String, seed: UInt64, tornWrite: Int?) {
    self.directory = directory
    random = SeededGenerator(seed: seed)
    // Several of them use one directory, one after the other, each its own blocks.
    first = Int(seed % 1000) << 16
    disk = tornWrite.map { DyingDisk(inWrite: $0, seed: seed) as any SpillDisk } ?? SystemDisk()
  }

  mutating func run() async throws {
    var configuration = SpillStore.Configuration(known: directory, limit: .gibibytes(1), segmentSize: .kibibytes(256))
    configuration.encrypt(key: UInt32(first >> 16 & 1) + 1)
    configuration.codec = random.next() % 2 == 0 ? IdentityCodec() : LZ4Codec()
    if random.next() % 4 == 0 { configuration.syncsEvery = .kibibytes(64) }
    configuration.disk = disk
    let store = try await SpillStore.open(configuration)
    let blocks = KnownBlocks(store)
    var next = first
    while next - first < 1 << 16 - 256 {
      let count = Int.random(in: 1...120, using: &random)
      for block in next..<next + count where !blocks.put(block, in: store) { fatalError("block \(block) was refused") }
      try await store.flush()
      try Journal.say(.written(next..<next + count))
      if random.next() % 4 == 0 {
        let lower = Int.random(in: first..<next + count, using: &random)
        let removed = lower..<min(next + count, lower + 8)
        try Journal.say(.removing(removed))
        blocks.erase(removed, in: store)
        try await store.flush()
        try Journal.say(.removed(removed))
      }
      next += count
    }
  }
}
