import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// One run of random operations on two tiers, and beside it for every unit of every block whether it may be found, and
/// since when.
///
/// What a cache holds it may lose at any time, so the table does not say what must be found but what must not: what was
/// never kept, was removed, belongs to a version that is gone, or is too old. What is found must be right. That chunks
/// are not lost on their way, and every account, is compared with a walk through both tiers.
///
/// Work in the background runs when an operation says so, a job at a time; and in the midst of compressing and
/// decompressing, when no lock is held, other operations happen now and then.
final class TieredModel: TierModel, @unchecked Sendable {
  // Unchecked: it has one thread. The codec calls back within calls that are made from here.
  struct Version {
    let source: Int
    let description: SourceDescription
    let content: Bytes
    var isPinned: [Bool]
    var metadata: Bytes?
  }

  /// What the store keeps under one token.
  struct Kept {
    let token: ChunkToken
    let version: Int
    let isRead: Bool
    var isAlive = true
    var generation = 0
    /// For each unit when it was last asked for from the source, of what was kept; `none` where nothing may be found.
    var births: [Int64]
    /// For each block when it was last read or came.
    var touched: [Int64]
  }

  /// Bytes on their way from the source.
  struct Flight {
    let kept: Int
    let generation: Int
    let range: ByteRange
    let ticket: ChunkTicket
    let reservation: ChunkReservation
  }

  /// A piece that was found below, and is brought later.
  struct Holding {
    let kept: Int
    let generation: Int
    let piece: DeferredPiece
  }

  var random: TestRandom
  let clock = ManualClock()
  let executor = JobCount()
  let codec = WatchedCodec()
  let store: TieredStore
  let tiers: MemoryTiers
  let fill: ReadPipeline.CacheFill
  let isTimed: Bool
  let contents: Int
  let blockSizes: [Int]
  var age: Int64?
  var idle: Int64?
  var versions: [Version] = []
  /// By the token's number, less one.
  var kept: [Kept] = []
  /// The newest version of each source.
  var current: [Int] = []
  var flights: [Flight] = []
  var holdings: [Holding] = []
  /// What is being brought in this moment, in the midst of which this is called.
  var loading: [Holding] = []
  /// Keep removals from ending.
  var removals: [ChunkRemoval] = []
  var resizing: Resizing?
  /// Whether a resize could not reach its limit.
  var isOverLimit = false
  var highestLimit: Int
  var pausedUntil: Int64?
  var lastBytes = 0
  var lastBytesBelow = 0
  var operations = 0
  /// Operations in the midst of another.
  var nested = 0
  var isNested = false
  var failure: Mismatch?
  var tally = TieredModelTally()

  init(seed: UInt64) {
    random = TestRandom(seed &* 31 &+ 7)
    isTimed = random.below(3) == 0
    contents = random.below(4)
    fill = [.block, .exact, .exact][random.below(3)]
    blockSizes = [[512], [1024], [4096], [512, 4096], [1024, 4096]][random.below(5)]
    let memory = 12_000 + random.below(20_000)
    let compressed = 20_000 + random.below(60_000)
    highestLimit = memory + compressed
    var configuration = TieredStore.Configuration(memory: .bytes(memory), compressed: .bytes(compressed))
    configuration.memory.shards = [1, 1, 2, 4][random.below(4)]
    configuration.memory.eviction = Eviction.all[random.below(4)]
    configuration.memory.sourceShare = random.below(5) == 0 ? 0.6 : 1
    configuration.compressed.shards = [1, 1, 2][random.below(3)]
    configuration.compressed.codec = codec
    configuration.compressed.inlineLimit = .kibibytes([128, 1][random.below(2)])
    configuration.time = ReadClock(clock)
    configuration.background = BackgroundWork(executor: executor)
    if isTimed {
      let kind = random.below(3)
      if kind < 2 { age = Int64(200 + random.below(3000)) }
      if kind > 0 { idle = Int64(200 + random.below(3000)) }
    }
    configuration.ageLimit = age.map { .nanoseconds($0) }
    configuration.idleLimit = idle.map { .nanoseconds($0) }
    store = TieredStore(configuration)
    tiers = store.memory!
    for source in 0..<3 { addVersion(of: source) }
    let isFaulty = random.below(4) == 0
    if isFaulty { codec.damage { [unowned self] in self.random.below(40) == 0 } }
    codec.whileEncoding { [unowned self] in self.interfere() }
    codec.whileDecoding { [unowned self] in self.interfere() }
  }

  func run(operations count: Int) -> Mismatch? {
    do throws(Mismatch) {
      try perform(operations: count)
      return nil
    } catch { return error }
  }

  func operate(_ choice: Int) throws(Mismatch) {
    switch choice {
    case 0..<48: try read()
    case 48..<62: try runJobs(1 + random.below(2))
    case 62..<68: try arrive()
    case 68..<74: try load()
    case 74..<76: try runJobs(40)
    default: try operateSeldom(choice)
    }
  }

  private func operateSeldom(_ choice: Int) throws(Mismatch) {
    switch choice {
    case 76: removeRange()
    case 77 where random.below(8) == 0: removeSource()
    case 78 where random.below(25) == 0: removeAll()
    case 79..<81: endRemovals()
    case 81 where random.below(8) == 0: addVersion(of: random.below(3))
    case 82 where random.below(5) == 0: try endReading()
    case 83 where random.below(3) == 0: resize()
    case 84 where random.below(12) == 0: try handleMemoryPressure()
    case 85 where pausedUntil != nil: try handleMemoryPressure(.normal)
    case 86: try pin()
    case 87: unpin()
    case 88: try setMetadata()
    case 89..<92: try askForContents()
    case 92..<96: letTimePass()
    case 96 where random.below(10) == 0: changeTimeLimits()
    default: try read()
    }
  }

  /// Something else, in the midst of compressing or decompressing.
  private func interfere() {
    guard !isNested, failure == nil, random.below(6) == 0 else { return }
    isNested = true
    defer { isNested = false }
    nested += 1
    tally.interfered += 1
    do throws(Mismatch) {
      switch random.below(12) {
      case 0..<5: try read()
      case 5: try arrive()
      case 6: removeRange()
      case 7 where random.below(10) == 0: removeSource()
      case 8 where random.below(20) == 0: removeAll()
      case 9 where random.below(10) == 0: addVersion(of: random.below(3))
      case 10 where random.below(20) == 0: try handleMemoryPressure()
      case 11: letTimePass()
      default: try read()
      }
    } catch {
      failure = Mismatch(description: "in the midst: \(error)")
    }
  }

  // MARK: blocks and units

  /// A token that somebody may use, dead ones now and then.
  func anyKept() -> Int {
    while true {
      let index = random.below(8) == 0 ? random.below(kept.count) : max(0, kept.count - 1 - random.below(4))
      if kept[index].isAlive || random.below(12) == 0 { return index }
    }
  }

  /// A range of whole units, a third of them of whole blocks.
  func anyRange(of kept: Kept) -> ByteRange {
    let units = kept.births.count
    let range = anyRange(of: units, on: kept.token.grid, period: 400, anywhere: 4)
    return random.below(3) == 0 ? kept.token.grid.outward(range, in: units * Self.unit) : range
  }

  func content(_ range: ByteRange, _ index: Int) -> Bytes { versions[kept[index].version].content.slice(range) }

  /// Whether all of a range may be found.
  func mayBeFound(_ range: ByteRange, _ index: Int) -> Bool {
    let births = kept[index].births
    guard units(range).allSatisfy({ births[$0] != Self.none }) else { return false }
    return !isExpired(range, index)
  }

  /// For people.
  func whyNot(_ range: ByteRange, _ index: Int) -> String {
    let place = "\(range) of token \(index + 1)"
    let births = units(range).map { kept[index].births[$0] }
    if births.contains(Self.none) { return "though \(place) was never kept, or was removed" }
    let touched = kept[index].token.grid.blocks(covering: range).map { kept[index].touched[$0] }
    let limits = "age \(age ?? .max), idle \(idle ?? .max)"
    return "though \(place) is too old at \(now): \(limits), born \(births.min()!), touched \(touched.min()!)"
  }

  /// Whether some of a range is surely too old.
  func isExpired(_ range: ByteRange, _ index: Int) -> Bool {
    if let age {
      let births = kept[index].births
      if units(range).contains(where: { births[$0] != Self.none && now - births[$0] >= age }) { return true }
    }
    guard let idle else { return false }
    return kept[index].token.grid.blocks(covering: range).contains { now - kept[index].touched[$0] >= idle }
  }

  func touch(_ range: ByteRange, _ index: Int) {
    for block in kept[index].token.grid.blocks(covering: range) { kept[index].touched[block] = now }
  }
}

/// How often what happened: events of a kind that never happened would prove nothing about it.
struct TieredModelTally: SeededTally {
  var reads = 0
  /// Reads of which some came from there.
  var fromMemory = 0
  var fromQueue = 0
  var fromBelow = 0
  var fromSource = 0
  var shouldPromote = 0
  var late = 0
  var joined = 0
  var damaged = 0
  var refused = 0
  var failed = 0
  var stale = 0
  var jobs = 0
  var interfered = 0
  var removals = 0
  var retired = 0
  var resized = 0
  var overPinned = 0
  var relieved = 0
  var pinnedBlocks = 0
  var rests = 0
  var moved = 0
  var movesDropped = 0
  var movesRefused = 0
  var movesCancelled = 0
  var incompressible = 0
  var evictedBelow = 0
  var reinserted = 0
  var expired = 0

  mutating func add(_ statistics: TieredStore.Counts) {
    moved += statistics.moving.demoted
    movesDropped += statistics.moving.dropped
    movesRefused += statistics.moving.refused
    movesCancelled += statistics.moving.cancelled
    incompressible += statistics.compressed.incompressible
    evictedBelow += statistics.compressed.evictions
    reinserted += statistics.compressed.reinsertions
    expired += statistics.compressed.expirations + statistics.memory.expirations
  }

  mutating func add(_ other: TieredModelTally) {
    let paths: [WritableKeyPath<TieredModelTally, Int>] = [
      \.reads, \.fromMemory, \.fromQueue, \.fromBelow, \.fromSource, \.shouldPromote, \.late, \.joined, \.damaged,
      \.refused,
      \.failed, \.stale, \.jobs, \.interfered, \.removals, \.retired, \.resized, \.overPinned, \.relieved,
      \.pinnedBlocks, \.rests, \.moved, \.movesDropped, \.movesRefused, \.movesCancelled, \.incompressible,
      \.evictedBelow, \.reinserted, \.expired,
    ]
    for path in paths { self[keyPath: path] += other[keyPath: path] }
  }
}
