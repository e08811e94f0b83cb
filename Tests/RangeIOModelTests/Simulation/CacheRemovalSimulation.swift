import Foundation

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting

private struct Wrong: Error {
  let what: String
}

/// A source whose bytes tell when they were fetched, under readers and removals.
final class CacheRemovalSimulation: Sendable {
  /// Each byte is the number of the read that brought it.
  private final class Stamping: RangeSource {
    let reads = Locked<[ByteRange]>([])
    private let time: ReadClock
    private let latency: @Sendable () -> Duration

    init(_ time: ReadClock, _ latency: @escaping @Sendable () -> Duration) {
      self.time = time
      self.latency = latency
    }

    func describe() async throws -> SourceDescription {
      SourceDescription(id: "stamps", validator: HeldSource.Version(number: 1), byteCount: 8192)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      let number = reads.withLock { reads in
        reads.append(range)
        return reads.count - 1
      }
      try await time.sleep(for: latency())
      return Bytes(repeatElement(UInt8(min(number, 255)), count: range.count))
    }
  }

  private let simulation: Simulation
  private let generator: Locked<SeededGenerator>
  private let store = MemoryStore(limit: .kibibytes(64))

  init(_ simulation: Simulation) {
    self.simulation = simulation
    generator = Locked(SeededGenerator(seed: simulation.seed &* 13 &+ 5))
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
    let tasks = (0..<4).map { number in
      simulation.start { [reader = readers[number % 2]] in
        for _ in 0..<4 {
          try await self.simulation.clock.sleep(for: .microseconds(self.random(in: 0...2000)))
          let lower = self.random(in: 0...8191)
          let range = lower..<min(8192, lower + self.random(in: 1...3000))
          let oldest = removed.withLock { $0 }
          let bytes = try await reader.read(range)
          guard bytes.count == range.count else { throw Wrong(what: "\(bytes.count) bytes for \(range)") }
          guard !Self.bytes(bytes, holdAnyBelow: oldest) else {
            throw Wrong(what: "\(range) was fetched by read \(bytes.min() ?? 0), but all before \(oldest) was removed")
          }
        }
      }
    }
    for _ in 0..<random(in: 1...4) {
      try await simulation.clock.sleep(for: .microseconds(random(in: 0...4000)))
      switch random(in: 0...2) {
      case 0: store.removeAll()
      case 1: store.remove(source: "stamps")
      default: store.remove(0..<8192, of: readers[0].source)
      }
      let count = source.reads.withLock { $0.count }
      removed.withLock { $0 = count }
    }
    for task in tasks { try await task.value }
    for reader in readers { await reader.close() }
    guard store.isQuiet else { throw Wrong(what: "something is still on its way") }
  }

  private static func bytes(_ bytes: Bytes, holdAnyBelow bound: Int) -> Bool {
    var isFound = false
    bytes.forEachSpan { span in
      span.withUnsafeBytes { piece in
        for value in 0..<Int32(bound) where memchr(piece.baseAddress!, value, piece.count) != nil { isFound = true }
      }
    }
    return isFound
  }

  private func random(in range: ClosedRange<Int>) -> Int {
    generator.withLock { Int.random(in: range, using: &$0) }
  }
}

extension CacheRemovalSimulation: SeededCheck {
  static let name = "removals from a cache"
  static var seeds: Range<Int> { first(TestScale.seeds / 4) }

  static func run(seed: UInt64) throws -> NoTally {
    try Simulation.run(seed: seed) { try await CacheRemovalSimulation($0).run() }
    return NoTally()
  }
}
