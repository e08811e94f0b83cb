import RangeIO
import RangeIOTiers

/// Does once, and little of it, all that a store does with a directory: every system call is one that it may die in.
struct Exercise {
  let directory: String

  init(_ directory: String) { self.directory = directory }

  func run() async throws {
    var configuration = SpillStore.Configuration(
      known: directory, limit: .kibibytes(192), segmentSize: .kibibytes(32))
    configuration.codec = IdentityCodec()
    configuration.work = .threads(IOThreads(limit: 1))
    configuration.syncsEvery = .kibibytes(16)
    var store = try await SpillStore.open(configuration)
    var blocks = KnownBlocks(store)
    try await write(0..<10, blocks, store)
    try await remove(3..<5, blocks, store)
    try await store.close()

    store = try await SpillStore.open(configuration)
    blocks = KnownBlocks(store)
    try await write(10..<14, blocks, store)
    try Journal.say(.full)
    try await write(14..<50, blocks, store)
    try await remove(40..<42, blocks, store)
    try await write(50..<60, blocks, store)
    try Journal.say(.clearing)
    store.removeAll()
    try await store.flush()
    try Journal.say(.cleared)
    try await write(60..<70, blocks, store)
    try await store.close()
    try Journal.say(.end)
  }

  private func write(_ range: Range<Int>, _ blocks: KnownBlocks, _ store: SpillStore) async throws {
    for part in stride(from: range.lowerBound, to: range.upperBound, by: 4) {
      let part = part..<min(part + 4, range.upperBound)
      for block in part { _ = blocks.put(block, in: store) }
      try await store.flush()
      try Journal.say(.written(part))
    }
  }

  private func remove(_ range: Range<Int>, _ blocks: KnownBlocks, _ store: SpillStore) async throws {
    try Journal.say(.removing(range))
    blocks.erase(range, in: store)
    try await store.flush()
    try Journal.say(.removed(range))
  }
}
