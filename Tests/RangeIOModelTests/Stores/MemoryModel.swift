import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// One run of random operations on a store, and beside it for every unit of every block whether it is there.
///
/// A unit is a byte, or a few thousand in the runs with large blocks; a block has at most 64, so that what is there of
/// one is a word. What the store may choose (whom it evicts, which of too many pieces it drops) is read from what it
/// says that it did, and checked for being possible; all else is known beforehand.
struct MemoryModel {
  typealias Mismatch = ModelMismatch

  struct Version {
    let source: Int
    let description: SourceDescription
    let content: Bytes
    let units: Int
    var isPinned: [Bool]
    var metadata: Bytes?
    var metadataCharge = 0
  }

  /// What the store keeps under one token.
  struct Kept {
    let token: ChunkToken
    let version: Int
    let isRead: Bool
    var isAlive = true
    var generation = 0
    /// A bit for each unit that is there.
    var blocks: [UInt64]
    var births: [Int64]
  }

  /// Bytes for which room is reserved.
  struct Underway {
    let kept: Int
    let generation: Int
    let range: ByteRange
    let ticket: ChunkTicket
    let reservation: ChunkReservation
  }

  /// What a removal has not given back yet.
  struct Removal {
    var steps: ChunkRemoval.AsyncIterator
    /// Keeps the removal from ending.
    let whole: ChunkRemoval
  }

  var random: TestRandom
  let unit: Int
  /// Whether most ranges are one unit, so that blocks are in pieces.
  let isFragmented: Bool
  /// How much larger limits are than in runs with small blocks.
  let scale: Int
  let clock = ManualClock()
  let age: Int64?
  let share: Double
  let blockLimit: Int
  let store: MemoryStore
  let evicted = NotedEvictions()
  var versions: [Version] = []
  /// By the token's number, less one.
  var kept: [Kept] = []
  /// The newest version of each source.
  var current: [Int] = []
  var underway: [Underway] = []
  var removal: Removal?
  var limit: Int
  var highestLimit: Int
  /// Whether a resize could not reach its limit.
  var isOverLimit = false
  var operations = 0
  var tally = MemoryModelTally()

  init(seed: UInt64) {
    random = TestRandom(seed)
    // Blocks from 64 to 256 KiB, in slabs and pooled pages, now and then.
    unit = seed % 64 == 63 ? 4096 : 1
    isFragmented = random.below(3) == 0
    scale = unit > 1 ? 700 : isFragmented ? 3 : 1
    age = random.below(3) == 0 ? Int64(1 + random.below(1000)) : nil
    share = random.below(4) == 0 ? 0.4 : 1
    blockLimit = random.below(4) == 0 ? 4 + random.below(12) : .max
    limit = (800 + random.below(3000)) * scale
    highestLimit = limit
    var configuration = MemoryStore.Configuration(limit: .bytes(limit))
    configuration.blockLimit = blockLimit
    configuration.sourceShare = share
    configuration.shards = [1, 1, 2, 4][random.below(4)]
    configuration.eviction = Eviction.all[random.below(4)]
    configuration.time = ReadClock(clock)
    configuration.ageLimit = age.map { .nanoseconds($0) }
    // Its jobs are never run: what has expired is swept when the model says so.
    configuration.background = BackgroundWork(executor: SeededExecutor(seed: seed))
    store = MemoryStore(configuration)
    store.sendEvictions(to: evicted)
    for source in 0..<3 { addVersion(of: source) }
  }

  mutating func run(operations count: Int) async -> Mismatch? {
    do {
      for _ in 0..<count {
        operations += 1
        try await operate()
        try check()
      }
      return nil
    } catch { return error }
  }

  private mutating func operate() async throws(Mismatch) {
    switch random.below(100) {
    case 0..<30: try lookUp()
    case 30..<60: try insertAtOnce()
    case 60..<66: try begin()
    case 66..<74: try arrive()
    case 74..<77: try removeRange()
    case 77: try removeSource()
    case 78: try await removeAll()
    case 79..<82: try await stepRemoval()
    case 82..<84: try await trim()
    case 84..<86: try await resize()
    case 86: try handleMemoryPressure()
    case 87..<90: try pin()
    case 90..<92: try unpin()
    case 92..<94: try setMetadata()
    case 94..<96: try askForContents()
    case 96 where random.below(2) == 0: addVersion(of: random.below(3))
    case 97: try endReading()
    default: try letTimePass()
    }
  }

  func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws(Mismatch) {
    if !condition { throw Mismatch(description: "operation \(operations): \(what())") }
  }

  // MARK: blocks and units

  var now: Int64 { clock.now.offset.nanoseconds }

  /// A token that somebody may use, dead ones now and then.
  mutating func anyKept() -> Int {
    while true {
      let index = random.below(kept.count)
      if kept[index].isAlive || random.below(8) == 0 { return index }
    }
  }

  /// A range of whole units that is not empty, mostly short, in bytes.
  mutating func anyRange(of kept: Kept) -> ByteRange {
    let units = versions[kept.version].units
    let lower = random.below(units)
    let perBlock = kept.token.grid.blockSize / unit
    let longest = isFragmented ? 1 : [perBlock / 4, perBlock, perBlock * 3, units][random.below(4)]
    let upper = min(units, lower + 1 + random.below(max(1, longest)))
    // Often whole blocks.
    guard random.below(isFragmented ? 16 : 3) == 0 else { return lower * unit..<upper * unit }
    return kept.token.grid.outward(lower * unit..<upper * unit, in: units * unit)
  }

  /// The blocks of a range, and the bits of each that are wanted.
  func parts(of range: ByteRange, _ grid: BlockGrid) -> [(block: Int, bits: UInt64)] {
    grid.blocks(covering: range).map { block in
      let start = block << grid.shift
      return (block, bits(max(range.lowerBound - start, 0)..<min(range.upperBound - start, grid.blockSize)))
    }
  }

  /// The bits of the units of a part of a block.
  func bits(_ part: Range<Int>) -> UInt64 {
    let count = part.count / unit
    return (count == 64 ? ~0 : (1 << UInt64(count)) - 1) << UInt64(part.lowerBound / unit)
  }

  func isExpired(_ index: Int, _ block: Int) -> Bool {
    guard let age else { return false }
    return kept[index].blocks[block] != 0 && now - kept[index].births[block] >= age
  }

  func isPinned(_ index: Int, _ block: Int) -> Bool {
    let version = versions[kept[index].version]
    let perBlock = kept[index].token.grid.blockSize / unit
    return version.isPinned[block * perBlock..<min(version.units, (block + 1) * perBlock)].contains(true)
  }

  func content(_ range: ByteRange, _ index: Int) -> Bytes { versions[kept[index].version].content.slice(range) }
}

/// How often what happened: events of a kind that never happened would prove nothing about it.
struct MemoryModelTally: SeededTally {
  var hits = 0
  var partialHits = 0
  var inserted = 0
  var merged = 0
  var dropped = 0
  var refused = 0
  var stale = 0
  var evicted = 0
  var expired = 0
  var shrunk = 0
  var overPinned = 0
  var pinnedBlocks = 0
  var removalSteps = 0

  mutating func add(_ other: MemoryModelTally) {
    hits += other.hits
    partialHits += other.partialHits
    inserted += other.inserted
    merged += other.merged
    dropped += other.dropped
    refused += other.refused
    stale += other.stale
    evicted += other.evicted
    expired += other.expired
    shrunk += other.shrunk
    overPinned += other.overPinned
    pinnedBlocks += other.pinnedBlocks
    removalSteps += other.removalSteps
  }
}
