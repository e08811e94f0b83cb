import CBenchmarkPeers
import Foundation
import RangeIO

/// What one contender does in the cells of the spill section: its stores, filled and verified, and its runs.
struct SpillTrials: Sendable {
  let contender: SpillContender
  /// Where its directories are.
  let directory: URL
  private var filled: [Int: Filled] = [:]
  /// What is opened again, by its name: resident and cold runs share it.
  private var ended: [String: SpillDirectory] = [:]
  private let blocks: [Int: [Bytes]]

  private struct Filled: Sendable {
    let directory: SpillDirectory
    let peer: any SpillPeer
  }

  /// Fills and verifies what `topics` need.
  ///
  /// - Parameter blocks: those that are written, by size.
  init(
    _ contender: SpillContender, _ topics: [SpillTopic], _ blocks: [Int: [Bytes]], in directory: URL,
    _ progress: Progress
  ) async throws {
    self.contender = contender
    self.directory = directory.appendingPathComponent(contender.folder)
    self.blocks = blocks
    for topic in topics where contender.takesPart(topic) {
      progress.show("filling \(contender.name.rawValue): \(topic.id)")
      if case .reopen(_, let end, _) = topic {
        let name = Self.folder(topic, end)
        if ended[name] == nil { ended[name] = try await leave(topic, end) }
      } else if filled[topic.size] == nil {
        filled[topic.size] = try await fill(topic)
      }
    }
  }

  /// The contender of the tables.
  var entry: Contender {
    Contender(
      name: contender.name,
      variants: { cell in
        guard case .spill(let topic) = cell.topic, contender.takesPart(topic) else { return [] }
        return [Variant(label: contender.label) { try await run($0, topic) }]
      },
      close: {
        for store in filled.values { try await store.peer.close() }
        try? FileManager.default.removeItem(at: directory)
      })
  }

  // MARK: stores

  /// A store with all blocks of the size, closed and opened once, of which every byte was compared.
  private func fill(_ topic: SpillTopic) async throws -> Filled {
    let data = try SpillData(size: topic.size)
    let directory = try SpillDirectory(empty: directory.appendingPathComponent("blocks-\(topic.size)"))
    let writer = try await contender.open(directory.url, .none)
    try await data.fill(writer, count: topic.blocks)
    try await writer.close()
    let peer = try await contender.open(directory.url, .none)
    try await data.verify(peer, count: topic.blocks)
    try directory.settle()
    return Filled(directory: directory, peer: peer)
  }

  /// A store with as many blocks as the topic says, as its writer left it.
  private func leave(_ topic: SpillTopic, _ end: SpillEnd) async throws -> SpillDirectory {
    // Once more for the copy.
    try BenchmarkFile.requireSpace(3 * topic.blocks * topic.size, in: directory.deletingLastPathComponent())
    let directory = try SpillDirectory(empty: directory.appendingPathComponent(Self.folder(topic, end)))
    switch end {
    case .closed: try await contender.fill(directory.url, blocks: topic.blocks, size: topic.size).close()
    case .killed: try await KilledWriter.run(contender, directory.url, blocks: topic.blocks, size: topic.size)
    }
    try directory.settle()
    return directory
  }

  private static func folder(_ topic: SpillTopic, _ end: SpillEnd) -> String { "\(topic.blocks)-\(end)" }

  // MARK: runs

  private func run(_ job: Job, _ topic: SpillTopic) async throws -> Outcome {
    guard case .reads(let offsets, let size, _) = job else { preconditionFailure("a job of reads") }
    switch topic {
    case .hit:
      return try await resident(topic) { try await $0.read(offsets, size: size) }
    case .miss:
      let past = topic.blocks * size
      return try await resident(topic) { try await $0.miss(offsets.map { $0 + past }, size: size) }
    case .write(_, let durability): return try await write(topic, durability)
    case .reopen(_, let end, let temperature): return try await reopen(topic, end, temperature, first: offsets[0])
    }
  }

  private func resident(_ topic: SpillTopic, _ run: (any SpillPeer) async throws -> Outcome) async throws -> Outcome {
    guard let store = filled[topic.size] else { preconditionFailure("a store that was filled") }
    return try await store.directory.whileResident {
      let before = bench_usage()
      var outcome = try await run(store.peer)
      outcome.usage = bench_usage() - before
      return outcome
    }
  }

  private func write(_ topic: SpillTopic, _ durability: SpillDurability) async throws -> Outcome {
    let directory = try SpillDirectory(empty: directory.appendingPathComponent("written"))
    let peer = try await contender.open(directory.url, durability)
    try directory.settle()
    let blocks = (blocks[topic.size] ?? []).prefix(contender.mostWrites)
    let watch = Stopwatch()
    try await peer.write(blocks, at: 0)
    try await peer.flush()
    var outcome = watch.outcome()
    outcome.reads = blocks.count
    try await peer.close()
    try directory.remove()
    return outcome
  }

  private func reopen(
    _ topic: SpillTopic, _ end: SpillEnd, _ temperature: Cell.Temperature, first offset: Int
  ) async throws -> Outcome {
    guard var store = ended[Self.folder(topic, end)] else { preconditionFailure("a store that was filled") }
    // What opens it mends it.
    if end == .killed { store = try store.copy(to: directory.appendingPathComponent("copy")) }
    try temperature == .cold ? store.chill() : store.warm()
    let watch = Stopwatch()
    let peer = try await contender.open(store.url, .none)
    let found = try await peer.bytes(at: offset, count: topic.size)
    let outcome = watch.outcome()
    let number = offset / topic.size
    guard let found, found == (try SpillData(size: topic.size)).blocks(number..<number + 1)[0] else {
      throw WrongBytes(offset: offset, expected: topic.size, got: found?.count ?? 0)
    }
    try await peer.close()
    if end == .killed { try store.remove() }
    return outcome
  }
}

extension SpillContender {
  /// Opens a store in an empty directory and writes into it, flushed.
  func fill(_ directory: URL, blocks: Int, size: Int) async throws -> any SpillPeer {
    let peer = try await open(directory, .none)
    try await SpillData(size: size).fill(peer, count: blocks)
    return peer
  }
}
