import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTiers

/// A source of which a test keeps blocks in two tiers by hand, and moves them step by step.
struct TieredSource {
  let store: TieredStore
  let clock = ManualClock()
  /// Runs what is moved in the background, when the test says so.
  let executor = JobCount()
  let codec = WatchedCodec()
  let source: SourceDescription
  let token: ChunkToken

  var tiers: MemoryTiers { store.memory! }
  var mover: DemotionQueue { store.mover }
  var counts: TieredStore.Counts { store.counts() }

  init(
    memory: Int = 40_000, compressed: Int = 60_000,
    _ configure: (inout TieredStore.Configuration) -> Void = { _ in }
  ) {
    var configuration = TieredStore.Configuration(memory: .bytes(memory), compressed: .bytes(compressed))
    configuration.compressed.codec = codec
    configuration.time = ReadClock(clock)
    configuration.background = BackgroundWork(executor: executor)
    configure(&configuration)
    store = TieredStore(configuration)
    source = Self.description(0)
    token = store.token(of: source, on: BlockGrid(blockSize: 1024)!)
  }

  static func description(_ version: Int) -> SourceDescription {
    SourceDescription(
      id: "source", validator: ModelValidator(number: version), byteCount: 1 << 17, preferredBlockSize: .kibibytes(1))
  }

  func expected(_ range: ByteRange) -> Bytes { SyntheticSource.bytes(range, compressibility: 0.8) }

  func block(_ number: Int) -> ByteRange { number * 1024..<(number + 1) * 1024 }

  /// Stores the right bytes above.
  @discardableResult func put(_ range: ByteRange) -> Bool {
    let ticket = token.ticket(fetchedAt: store.now)
    guard let reservation = store.reserve(range, ofRun: range.count, for: token) else { return false }
    return store.insert(expected(range), at: range, ticket: ticket, reservation: reservation)
  }

  /// Evicts all that is above.
  func evictAll() { tiers.memory.giveUp(tiers.memory.ledger.bytes) }

  /// Stores bytes and has them moved down.
  func sink(_ range: ByteRange) {
    put(range)
    evictAll()
    executor.run()
  }

  func look(_ range: ByteRange) -> ChunkLookup { store.lookUp(range, token: token.number, grid: token.grid) }

  /// The pieces below that hold `range`, as found.
  func held(_ range: ByteRange) -> [DeferredPiece] {
    if case .partial(_, let held, _) = look(range) { held } else { [] }
  }

  func isFound(_ range: ByteRange) -> Bool {
    switch look(range) {
    case .hit: true
    case .partial(_, _, let gaps): gaps.isEmpty
    case .miss: false
    }
  }

  func isAbove(_ range: ByteRange) -> Bool { tiers.memory.holds(range, token: token.number, grid: token.grid) }
  func isBelow(_ range: ByteRange) -> Bool { tiers.compressed!.holds(range, token: token.number, grid: token.grid) }
  func isOnItsWay(_ block: Int) -> Bool { mover.queue.has(token: token.number, block: block) }

  /// What does not add up when all is at rest.
  var faults: [String] {
    executor.run()
    var recount = TieredRecount(store)
    recount.compare { _, range in expected(range) }
    return recount.faults
  }
}
