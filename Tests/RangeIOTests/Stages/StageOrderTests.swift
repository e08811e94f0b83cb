import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Every order of two built-in stages: refused, where the table says so, or right in all that a reader does.
struct StageOrderTests {
  /// A built-in stage.
  struct Kind: Sendable, CustomTestStringConvertible {
    let name: String
    /// Those that are refused below it.
    let refusesBelow: Set<String>
    /// Whether it is refused without a cache somewhere below it.
    var needsCaching = false
    /// Makes one over these bytes: with the bytes that are seen above it, and whether it is at rest.
    let make: @Sendable (_ below: [UInt8]) -> Placed

    var testDescription: String { name }
  }

  struct Placed {
    let stage: ReadPipeline
    let bytes: [UInt8]
    var isAtRest: () -> Bool = { true }
  }

  /// The table. From the top down; a stage refuses those above it in the list that have a place of their own, and the
  /// ones that would do harm twice.
  static let kinds: [Kind] = [
    Kind(name: "Observing", refusesBelow: []) { Placed(stage: .observing(), bytes: $0) },
    Kind(name: "TimeLimit", refusesBelow: []) { Placed(stage: .timeLimit(.seconds(60)), bytes: $0) },
    Kind(name: "Decoding", refusesBelow: []) { below in
      let stage: ReadPipeline = .decoding(name: "mask", blockSize: .bytes(300)) { Bytes(mask($0, Array($1))) }
      let bytes = stride(from: 0, to: below.count, by: 300).enumerated()
        .flatMap { mask($0.offset, Array(below[$0.element..<min($0.element + 300, below.count)])) }
      return Placed(stage: stage, bytes: bytes)
    },
    Kind(name: "Caching", refusesBelow: ["ReadAhead"]) { below in
      let store = MemoryStore(limit: .bytes(20_000))
      let stage: ReadPipeline = .caching(store, fill: .requestedFirst, blockSize: .bytes(1024))
      return Placed(stage: stage, bytes: below) { store.isQuiet }
    },
    Kind(name: "ReadAhead", refusesBelow: ["ReadAhead"], needsCaching: true) {
      let budget = ReadAheadBudget(.bytes(10_000))
      return Placed(stage: .readAhead(budget: budget), bytes: $0)
    },
    Kind(name: "Merging", refusesBelow: ["ReadAhead", "Caching", "Merging"]) {
      Placed(stage: .merging(), bytes: $0)
    },
    // Retries of two would multiply.
    Kind(name: "Retrying", refusesBelow: ["ReadAhead", "Caching", "Merging", "Retrying"]) {
      Placed(stage: .retrying(random: SeededGenerator(seed: 1)), bytes: $0)
    },
    // As would second tries.
    Kind(name: "Hedging", refusesBelow: ["ReadAhead", "Caching", "Merging", "Retrying", "Hedging"]) {
      Placed(stage: .hedging(maxShare: 1, minSamples: 1), bytes: $0)
    },
    Kind(name: "Verifying", refusesBelow: ["ReadAhead", "Caching", "Merging", "Retrying", "Hedging"]) { below in
      let digests = stride(from: 0, to: below.count, by: 700)
        .map { quickHash(Bytes(below[$0..<min($0 + 700, below.count)])) }
      return Placed(
        stage: .verifying(blockSize: .bytes(700), digests: digests, hash: quickHash), bytes: below)
    },
    // Two that are listed in two orders in two readers would wait for each other for ever.
    Kind(
      name: "Limiting",
      refusesBelow: ["ReadAhead", "Caching", "Merging", "Retrying", "Hedging", "Verifying", "Limiting"]
    ) {
      let limiting: ReadPipeline = .limiting(maxConcurrentReads: 2, bytesPerSecond: .mebibytes(10), burst: .bytes(5000))
      return Placed(stage: limiting, bytes: $0) { limiting.occupancy == (0, 0) }
    },
  ]

  /// Orders of one of each below the stage at the top, that are not refused. Seven stages have one order among
  /// themselves and three stand anywhere: 10! / 7! = 720 in all. Of these 9! / 7! have a certain one of the three at the
  /// top, and 9! / 6! the first of the seven.
  static let orders = ["Observing": 72, "TimeLimit": 72, "Decoding": 72, "ReadAhead": 504]

  /// What the transformation of these tests does.
  private static func mask(_ block: Int, _ bytes: [UInt8]) -> [UInt8] {
    bytes.enumerated().map { $0.element ^ UInt8(truncatingIfNeeded: block * 31 + $0.offset) }
  }

  @Test(arguments: kinds, kinds)
  func `two stages are refused or right`(above: Kind, below: Kind) throws {
    let hasCaching = below.name == "Caching"
    let isRefused =
      above.refusesBelow.contains(below.name) || above.needsCaching && !hasCaching || below.needsCaching
    for seed in 0..<3 as Range<UInt64> {
      try Simulation.run(seed: seed) { try await Self.use([above, below], isRefused: isRefused, $0) }
    }
  }

  /// In parts by the topmost stage, for as many processors.
  @Test(arguments: kinds)
  func `one of each is right in every order that is not refused`(topmost: Kind) throws {
    var right = 0
    func order(_ above: [Kind], _ left: [Kind]) throws {
      guard !left.isEmpty else {
        try Simulation.run(seed: UInt64(right)) { try await Self.use(above, isRefused: false, $0) }
        right += 1
        return
      }
      for (index, kind) in left.enumerated() where !above.contains(where: { $0.refusesBelow.contains(kind.name) }) {
        var rest = left
        rest.remove(at: index)
        try order(above + [kind], rest)
      }
    }
    try order([topmost], Self.kinds.filter { $0.name != topmost.name })
    #expect(right == Self.orders[topmost.name, default: 0])
  }

  /// Builds a reader with these stages and does with it what readers do.
  private static func use(_ kinds: [Kind], isRefused: Bool, _ simulation: Simulation) async throws {
    let byteCount = 5003
    var bytes = Array(SyntheticSource.bytes(0..<byteCount))
    var placed: [Placed] = []
    for kind in kinds.reversed() {
      placed.insert(kind.make(bytes), at: 0)
      bytes = placed[0].bytes
    }
    let source = SyntheticSource(byteCount: byteCount, latency: .milliseconds(1), time: simulation.time)
    var configuration = simulation.configuration
    configuration.streamWindow = 2048
    let pipeline = ReadPipeline(stages: placed.flatMap(\.stage.stages))
    guard !isRefused else {
      let error = await #expect(throws: ReadError.self) {
        try await RangeReader(source, pipeline, configuration: configuration)
      }
      #expect(error?.code == .invalidConfiguration)
      return
    }
    let reader = try await RangeReader(source, pipeline, configuration: configuration)
    try await read(reader, bytes, simulation)
    try await cancel(reader, bytes, simulation)
    try await close(reader, bytes, simulation)
    #expect(source.isClosed)
    #expect(placed.allSatisfy { $0.isAtRest() })
    #expect(simulation.clock.sleeperCount == 0)
  }

  /// Single and vectored reads at once, and a stream.
  private static func read(_ reader: RangeReader, _ bytes: [UInt8], _ simulation: Simulation) async throws {
    var random = TestRandom(simulation.seed)
    let single = (0..<12).map { _ in random.range(within: bytes.count) }
    let vectored = (0..<4).map { _ in (0..<5).map { _ in random.range(within: bytes.count) } }
    let singles = single.map { range in simulation.start { try await reader.read(range) } }
    let vectors = vectored.map { ranges in simulation.start { try await reader.read(ranges) } }
    for (range, read) in zip(single, singles) { #expect(Array(try await read.value) == Array(bytes[range])) }
    for (ranges, read) in zip(vectored, vectors) {
      #expect(try await read.value.map { Array($0) } == ranges.map { Array(bytes[$0]) })
    }
    let range = random.range(within: bytes.count)
    var streamed: [UInt8] = []
    for try await piece in reader.stream(range, chunkSize: .bytes(500)) { streamed += Array(piece) }
    #expect(streamed == Array(bytes[range]))
  }

  /// A read that is cancelled beside one that is not.
  private static func cancel(_ reader: RangeReader, _ bytes: [UInt8], _ simulation: Simulation) async throws {
    var random = TestRandom(simulation.seed &+ 1)
    for _ in 0..<4 {
      let range = random.range(within: bytes.count)
      let cancelled = simulation.start { try await reader.read(range) }
      let staying = simulation.start { try await reader.read(range) }
      try await simulation.clock.sleep(for: .microseconds(random.below(3000)))
      let now = simulation.clock.now
      cancelled.cancel()
      switch await cancelled.result {
      case .success(let read): #expect(Array(read) == Array(bytes[range]))
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(simulation.clock.now == now, "who is cancelled is answered at once")
      }
      #expect(Array(try await staying.value) == Array(bytes[range]))
    }
  }

  /// The end, with reads under way.
  private static func close(_ reader: RangeReader, _ bytes: [UInt8], _ simulation: Simulation) async throws {
    let reads = (0..<6).map { number in
      simulation.start { try await reader.read(number * 800..<number * 800 + 700) }
    }
    try await simulation.clock.sleep(for: .microseconds(500))
    let now = simulation.clock.now
    await reader.close()
    for (number, read) in reads.enumerated() {
      switch await read.result {
      case .success(let read): #expect(Array(read) == Array(bytes[number * 800..<number * 800 + 700]))
      case .failure(let error): #expect((error as? ReadError)?.code == .closed, "\(error)")
      }
    }
    #expect(simulation.clock.now == now || simulation.clock.now.offset <= now.offset + .milliseconds(1))
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<1) }
    #expect(error?.code == .closed)
  }
}
