@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting
@testable import RangeIOTiers

private struct Wrong: Error {
  let what: String
}

/// A source whose bytes tell when they were fetched, under readers and removals, in two tiers.
final class TieredRemovalSimulation: Sendable {
  /// Each byte is the number of the read that brought it.
  private final class Stamping: RangeSource {
    let reads = Locked(0)
    private let time: ReadClock
    private let latency: @Sendable () -> Duration

    init(_ time: ReadClock, _ latency: @escaping @Sendable () -> Duration) {
      self.time = time
      self.latency = latency
    }

    func describe() async throws -> SourceDescription {
      SourceDescription(id: "stamps", validator: HeldSource.Version(number: 1), byteCount: 16_384)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      let number = reads.withLock { reads in
        defer { reads += 1 }
        return reads
      }
      try await time.sleep(for: latency())
      return Bytes(count: range.count) { buffer in
        buffer.initializeMemory(as: UInt8.self, repeating: UInt8(min(number, 255)))
      }
    }
  }

  private let simulation: Simulation
  private let generator: Locked<SeededGenerator>
  private let store: TieredStore
  private let codec = WatchedCodec()

  init(_ simulation: Simulation) {
    self.simulation = simulation
    generator = Locked(SeededGenerator(seed: simulation.seed &* 17 &+ 5))
    var configuration = TieredStore.Configuration(memory: .bytes(6000), compressed: .bytes(12_000))
    configuration.compressed.codec = codec
    configuration.compressed.inlineLimit = simulation.seed % 2 == 0 ? .bytes(0) : .kibibytes(128)
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    store = TieredStore(configuration)
  }

  func run() async throws {
    let source = Stamping(simulation.time) { .microseconds(self.random(in: 0...3000)) }
    // What was read from the source before the last removal of each kind has begun.
    let removed = Locked(0)
    var readers: [RangeReader] = []
    for _ in 0..<2 {
      let fill = [ReadPipeline.CacheFill.block, .exact, .requestedFirst][random(in: 0...2)]
      readers.append(
        try await RangeReader(
          source, [.caching(store, fill: fill, blockSize: .bytes(1024))], configuration: simulation.configuration))
    }
    let description = readers[0].source
    let remove = { @Sendable [self] in
      switch random(in: 0...2) {
      case 0: store.removeAll()
      case 1: store.remove(source: "stamps")
      default: store.remove(0..<16_384, of: description)
      }
      let count = source.reads.withLock { $0 }
      removed.withLock { $0 = count }
    }
    let left = Locked(random(in: 0...2))
    let interfere = { @Sendable [self] in
      guard random(in: 0...9) == 0 else { return }
      let isDue = left.withLock { left in
        left -= 1
        return left >= 0
      }
      if isDue { remove() }
    }
    codec.whileEncoding(interfere)
    codec.whileDecoding(interfere)
    let tasks = (0..<4).map { number in
      simulation.start { [reader = readers[number % 2]] in
        for _ in 0..<8 {
          try await self.simulation.clock.sleep(for: .microseconds(self.random(in: 0...2000)))
          let lower = self.random(in: 0...16_383)
          let range = lower..<min(16_384, lower + self.random(in: 1...3000))
          let oldest = removed.withLock { $0 }
          let bytes = try await reader.read(range)
          guard bytes.count == range.count else { throw Wrong(what: "\(bytes.count) bytes for \(range)") }
          guard Self.oldestRead(bytes) >= min(oldest, 255) else {
            throw Wrong(what: "\(range) was fetched before read \(oldest), and all of that was removed")
          }
        }
      }
    }
    for _ in 0..<random(in: 1...4) {
      try await simulation.clock.sleep(for: .microseconds(random(in: 0...8000)))
      remove()
    }
    for task in tasks { try await task.value }
    codec.whileEncoding(nil)
    codec.whileDecoding(nil)
    for reader in readers { await reader.close() }
    for _ in 0..<20 where !store.mover.isIdle { try await simulation.clock.sleep(for: .milliseconds(1)) }
    guard store.mover.isIdle, store.counts().memory.reservedBytes == 0 else {
      throw Wrong(what: "something is still on its way")
    }
    if let fault = TieredRecount(store).faults.first { throw Wrong(what: fault) }
  }

  /// The least of the bytes. Runs of one value are long: a word at a time.
  private static func oldestRead(_ bytes: Bytes) -> Int {
    bytes.withUnsafeBytes { buffer in
      var least = UInt8.max
      var index = 0
      while index < buffer.count {
        least = min(least, buffer[index])
        let word = UInt64(buffer[index]) &* 0x0101_0101_0101_0101
        index += 1
        while index + 8 <= buffer.count, buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self) == word {
          index += 8
        }
      }
      return Int(least)
    }
  }

  private func random(in range: ClosedRange<Int>) -> Int {
    generator.withLock { Int.random(in: range, using: &$0) }
  }
}

extension TieredRemovalSimulation: SeededCheck {
  static let name = "removals from two tiers"
  static var seeds: Range<Int> { first(max(40, TestScale.seeds / 20)) }

  static func run(seed: UInt64) throws -> NoTally {
    try Simulation.run(seed: seed) { try await TieredRemovalSimulation($0).run() }
    return NoTally()
  }
}
