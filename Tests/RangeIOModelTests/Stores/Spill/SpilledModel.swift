import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// One run of random operations on three tiers that are always full, the last of them on a simulated disk, with restarts,
/// kills and losses of power; and beside it for every unit of every block whether it may be found, and since when.
///
/// As with two tiers the table says what must not be found: what was never kept, was removed, is too old. What was removed
/// may come back after a kill only if nobody has flushed since, and after a loss of power only if the store does not
/// sync.
///
/// Work in the background runs when an operation says so, a job at a time; and in the midst of compressing,
/// decompressing, and every call to the disk, when no lock is held, other operations happen now and then.
final class SpilledModel: TierModel, @unchecked Sendable {
  // Unchecked: it has one thread. The codecs, the disk and the sources call back within calls that are made from here.
  struct Version {
    let source: Int
    let description: SourceDescription
    let content: Bytes
  }

  /// What may be found of one version on one grid, in whatever life of the store. All times are by the clock, from its
  /// start on.
  struct Kept {
    let version: Int
    let grid: BlockGrid
    /// For each unit when it was last asked for from the source, of what was kept; `none` where nothing may be found.
    var births: [Int64]
    /// The same of what may come back when the process is killed, and when the power goes.
    var afterKill: [Int64]
    var afterPowerLoss: [Int64]
  }

  /// Something that runs in the background until it has ended.
  final class Running: Sendable {
    let end = Locked<Result<Void, any Error>?>(nil)
    var hasEnded: Bool { end.withLock { $0 != nil } }
  }

  /// A piece that was found, and is brought later.
  struct Holding {
    let kept: Int
    let piece: DeferredPiece
  }

  var random: TestRandom
  let clock = ManualClock()
  /// By which the wall clock differs from the other one.
  var wallShift: Int64 = 1_700_000_000_000_000_000
  /// As far as the wall clock was ever set back, all in all: by so much what is on the disk may seem younger.
  var slack: Int64 = 0
  let executor = JobCount()
  let codec = WatchedCodec()
  let disk: SimulatedDisk
  let grids: [BlockGrid]
  let isTimed: Bool
  let isFaulty: Bool
  /// The directory is encrypted.
  let isEncrypted: Bool
  let spillLimit: Int
  let segmentSize: Int
  let syncsEvery: ByteCount?
  var life: Life?
  var age: Int64?
  var versions: [Version] = []
  var kept: [Kept] = []
  /// The newest version of each source.
  var current: [Int] = []
  var holdings: [Holding] = []
  var running: [(what: String, Running)] = []
  var resizing: Running?
  /// Calls to the disk that will fail in this life.
  var faultsLeft = 0
  var operations = 0
  /// Whether this happens in the midst of another operation.
  var isNested = false
  var failure: Mismatch?
  var tally = SpilledModelTally()

  /// One opening of the directory.
  struct Life {
    let process: SimulatedProcess
    let store: TieredStore
    /// The clock's time when this store's began.
    let origin: Int64
    var highestLimit: Int
    /// Removals whose end nobody waited for.
    var removals: [ChunkRemoval] = []

    var spill: SpillStore { store.spill! }
    var tiers: MemoryTiers { store.memory! }
  }

  init(seed: UInt64) {
    random = TestRandom(seed &* 77 &+ 13)
    isTimed = random.below(3) == 0
    isFaulty = random.below(2) == 0
    isEncrypted = seed % 3 == 1
    segmentSize = (12 + random.below(4) * 4) << 10
    spillLimit = segmentSize * (4 + random.below(4)) + SpillFormat.fixedBytes
    grids = [[1024], [512], [4096], [512, 2048], [1024, 4096]][random.below(5)].map { BlockGrid(blockSize: $0)! }
    syncsEvery = [nil, .kibibytes(16)][random.below(2)]
    disk = SimulatedDisk(capacity: spillLimit + (isFaulty ? segmentSize : 1 << 20))
    if isTimed { age = Int64(1 + random.below(30)) * 100_000_000 }
    for source in 0..<3 { addVersion(of: source) }
    codec.whileEncoding { [unowned self] in self.interfere() }
    codec.whileDecoding { [unowned self] in self.interfere() }
  }

  func run(operations count: Int) -> Mismatch? {
    do throws(Mismatch) {
      try open()
      try perform(operations: count)
      try close()
      return nil
    } catch { return error }
  }

  func operate(_ choice: Int) throws(Mismatch) {
    switch choice {
    case 0..<44: try read()
    case 44..<60: try runJobs(1 + random.below(3))
    case 60..<63: try runJobs(60)
    case 63..<69: try load()
    case 69..<74: readThroughCaching()
    default: try operateSeldom(choice)
    }
  }

  private func operateSeldom(_ choice: Int) throws(Mismatch) {
    switch choice {
    case 74 where random.below(2) == 0: removeRange()
    case 75 where random.below(8) == 0: removeSource()
    case 76 where random.below(30) == 0: removeAll()
    case 77 where random.below(8) == 0: addVersion(of: random.below(3))
    case 78: try pin()
    case 79 where random.below(3) == 0: resize()
    case 80..<83: try flush()
    case 83 where random.below(12) == 0: try restart()
    case 84 where random.below(8) == 0: try kill()
    case 85 where random.below(20) == 0: try losePower()
    case 86 where random.below(20) == 0: stepWallClock()
    case 87 where random.below(10) == 0: changeAge()
    case 88 where random.below(10) == 0: handleMemoryPressure()
    case 89..<93: letTimePass()
    default: try read()
    }
  }

  /// Something else, in the midst of compressing, decompressing, or a call to the disk.
  func interfere() {
    guard !isNested, failure == nil, random.below(12) == 0 else { return }
    isNested = true
    defer { isNested = false }
    tally.interfered += 1
    do throws(Mismatch) {
      switch random.below(12) {
      case 0..<5: try read()
      case 5, 6: removeRange()
      case 7 where random.below(6) == 0: removeSource()
      case 8 where random.below(20) == 0: removeAll()
      case 9 where random.below(10) == 0: addVersion(of: random.below(3))
      case 10: letTimePass()
      default: try read()
      }
    } catch {
      failure = Mismatch(description: "in the midst: \(error)")
    }
  }

  // MARK: blocks and units

  /// What somebody may read, mostly of a version that is current.
  func anyKept() -> Int {
    let version = random.below(10) == 0 ? random.below(versions.count) : current[random.below(current.count)]
    return version * grids.count + random.below(grids.count)
  }

  /// The token of a version on a grid: a new one only of a current version.
  func token(of index: Int) -> ChunkToken? {
    let (version, grid) = (kept[index].version, kept[index].grid)
    let description = versions[version].description
    let sources = life!.store.sources
    if let known = sources.tokens(of: description).first(where: { $0.grid == grid }) { return known }
    guard current.contains(version) else { return nil }
    let (token, retired) = sources.token(for: description, grid: grid, reading: false)
    for old in retired { retire(old) }
    return token
  }

  /// What is kept under a token.
  func index(of token: ChunkToken) -> Int {
    let number = (token.source.validator as? ModelValidator)!.number
    return number * grids.count + grids.firstIndex(of: token.grid)!
  }

  func anyRange(of kept: Kept) -> ByteRange {
    anyRange(of: kept.births.count, on: kept.grid, period: 800, anywhere: 5)
  }

  func content(_ range: ByteRange, _ index: Int) -> Bytes { versions[kept[index].version].content.slice(range) }

  /// Why a range must not be found; `nil` if it may be.
  ///
  /// - Parameter start: the births when the look-up began. What is removed in its midst it may have found before.
  func whyNot(_ range: ByteRange, _ index: Int, orAt start: [Int64]? = nil) -> String? {
    let births = units(range).map { max(kept[index].births[$0], start?[$0] ?? Self.none) }
    let place = "\(range) of version \(kept[index].version) in blocks of \(kept[index].grid.blockSize)"
    if births.contains(Self.none) { return "though \(place) was never kept, or was removed" }
    if let age, births.contains(where: { now - $0 - slack >= age }) {
      return "though \(place) is too old at \(now): age \(age), born \(births.min()!)"
    }
    return nil
  }

  func addVersion(of source: Int) {
    let units = 250 + random.below(350)
    let number = versions.count
    let description = SourceDescription(
      id: "source \(source)", validator: ModelValidator(number: number), byteCount: units * Self.unit,
      preferredBlockSize: .bytes(grids[0].blockSize), traits: .with { $0.cost.latency = .milliseconds(10) })
    var parts: [Bytes] = []
    for start in stride(from: 0, to: units * Self.unit, by: 4096) {
      let compressibility = [0, 0.5, 0.8, 1][random.below(4)]
      let range = start..<min(units * Self.unit, start + 4096)
      parts.append(SyntheticSource.bytes(range, version: UInt64(number), compressibility: compressibility))
    }
    versions.append(
      Version(source: source, description: description, content: Bytes(Array(Bytes(concatenating: parts)))))
    if source < current.count { current[source] = number } else { current.append(number) }
    let empty = Array(repeating: Self.none, count: units)
    for grid in grids {
      kept.append(Kept(version: number, grid: grid, births: empty, afterKill: empty, afterPowerLoss: empty))
    }
  }
}

/// How often what happened: events of a kind that never happened would prove nothing about it.
struct SpilledModelTally: SeededTally {
  var reads = 0
  /// Reads of which some came from there.
  var fromMemory = 0
  var fromCompressed = 0
  var fromSpill = 0
  var fromSource = 0
  var staged = 0
  var throughCaching = 0
  var lateLoads = 0
  var jobs = 0
  var interfered = 0
  var removals = 0
  var retired = 0
  var resized = 0
  var flushes = 0
  var restarts = 0
  var kills = 0
  var powerLosses = 0
  var rests = 0
  var blocksReopened = 0
  var written = 0
  var reinserted = 0
  var evicted = 0
  var gated = 0
  var dropped = 0
  var stale = 0
  var tombstones = 0
  var breakerOpenings = 0
  var breakerClosings = 0
  var failedCalls = 0
  var damaged = 0

  mutating func add(_ statistics: DiskCounts) {
    written += statistics.written
    reinserted += statistics.reinsertions
    evicted += statistics.evictions
    gated += statistics.rejectedAdmission
    dropped += statistics.dropped
    stale += statistics.stale
    tombstones += statistics.tombstones
    breakerOpenings += statistics.breakerOpenings
    breakerClosings += statistics.breakerClosings
    damaged += statistics.damaged
  }

  mutating func add(_ other: SpilledModelTally) {
    let paths: [WritableKeyPath<SpilledModelTally, Int>] = [
      \.reads, \.fromMemory, \.fromCompressed, \.fromSpill, \.fromSource, \.staged, \.throughCaching, \.lateLoads,
      \.jobs, \.interfered, \.removals, \.retired, \.resized, \.flushes, \.restarts, \.kills, \.powerLosses,
      \.rests, \.blocksReopened, \.written, \.reinserted, \.evicted, \.gated, \.dropped, \.stale, \.tombstones,
      \.breakerOpenings, \.breakerClosings, \.failedCalls, \.damaged,
    ]
    for path in paths { self[keyPath: path] += other[keyPath: path] }
  }
}
