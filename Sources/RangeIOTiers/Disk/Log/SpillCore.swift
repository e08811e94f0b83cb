import RangeIO
import SystemPackage

/// State that a store, its reads and its writer share: the directory, the state under its lock, the clocks, and the
/// watch on calls to the disk.
final class SpillCore: Sendable {
  let configuration: DiskConfiguration
  /// That of the codec, read once, since the user's code answers. See ``ChunkCodec/spilledIdentity``.
  let codecIdentity: UInt64
  let directory: any SpillDirectory
  let ledger: SpillLedger
  let files: SpillFiles
  let state: Locked<SpillState>
  let hits = SpillHits()
  let watch: DiskWatch
  let lanes: DiskLanes

  init(
    _ configuration: DiskConfiguration, codecIdentity: UInt64, directory: any SpillDirectory,
    ledger: SpillLedger, files: SpillFiles,
    lanes: DiskLanes, state: consuming sending SpillState
  ) {
    self.configuration = configuration
    self.codecIdentity = codecIdentity
    self.directory = directory
    self.ledger = ledger
    self.files = files
    self.lanes = lanes
    self.state = Locked(state)
    watch = DiskWatch(
      configuration.time, configuration.background, late: configuration.late, stall: configuration.breaker.stall)
  }

  /// The current time by the clock of the tiers above.
  var now: ReadClock.Instant { configuration.time.now }

  /// Converts an instant of the tiers' clock to the wall clock, in nanoseconds since 1970.
  func wallTime(of instant: ReadClock.Instant) -> Int64 {
    configuration.wallClock() - max(0, now.nanoseconds - instant.nanoseconds)
  }

  // MARK: sizes

  /// The bytes by which payloads are longer on the disk than what is in them.
  private var overhead: Int { configuration.encryption == nil ? 0 : SpillCipher.tagCount }

  /// The size of a record of so many bytes.
  func recordCount(payload: Int) -> Int { SpillFormat.recordCount(payload: payload + overhead) }

  /// The room for a source that is new in the segment: its record, and its part of the footer.
  func space(identity count: Int) -> Int { recordCount(payload: count) + 8 + SpillFormat.padded(count) }

  /// What a segment has besides records.
  var fixedCount: Int {
    let isEncrypted = configuration.encryption != nil
    return SpillSegmentHeader.byteCount(isEncrypted: isEncrypted)
      + OpenSegment.emptyClosingCount(isEncrypted: isEncrypted)
  }

  /// The largest record that fits into a segment with everything it needs, and an identity of this size. Without what
  /// encryption adds to it.
  func largestRecord(identity count: Int) -> Int {
    configuration.segmentBytes - fixedCount - SpillFooter.growth - space(identity: count) - overhead
  }

  // MARK: walks through the index

  /// If there are many sources, forgets sources that have nothing left. Called only by the writer, which may know a
  /// source that is about to be forgotten.
  func sweepSources() {
    guard state.withLock({ $0.sources.isTimeToSweep }) else { return }
    var next: Int? = 0
    while let first = next {
      next = state.withLock { state in
        state.sources.sweep(from: first, SpillState.sweptAtOnce, oldestSegment: state.oldestSegment)
      }
    }
  }

  /// Removes the records for which `isMeant` returns true from the index, in parts, each with one lock. Returns the
  /// number of records removed.
  @discardableResult func sweep(where isMeant: @Sendable (SpillTable.Record) -> Bool) -> Int {
    var removed = 0
    walk { state, slots, _ in removed += state.remove(from: slots, isMeant) }
    return removed
  }

  /// Walks through the index in parts, each with one lock, and says which is the last.
  func walk(_ body: (inout SpillState, Range<UInt32>, _ isLast: Bool) -> Void) {
    var next: Int? = 1
    while let first = next {
      next = state.withLock { state in
        let (slots, next) = state.part(from: first)
        body(&state, slots, next == nil)
        return next
      }
    }
  }

  // MARK: failures

  /// Notes that a call to the disk failed. `isWrite` is `nil` for a shortage of descriptors, which is no failure of the
  /// disk; `permit` is that of the call, if the failure may mean that the disk is sick.
  func note(_ errno: Errno, _ action: String, isWrite: Bool?, _ permit: SpillBreaker.Permit? = nil) {
    let error = ReadError.errno(errno, action, .init(source: configuration.directory))
    let now = self.now
    state.withLock { state in
      state.lastFailure = error
      if isWrite == true { state.counts.writeErrors += 1 }
      if isWrite == false { state.counts.readErrors += 1 }
      if let permit { state.breaker.failed(permit, now: now) }
    }
  }
}

/// The writer's calls to the disk, under the store's watch: a disk that hangs too long in a single call is sick,
/// however long the whole work takes. Used only by the writer's run.
final class SpillWatchedCalls {
  private let core: SpillCore
  private var call: DiskWatch.Call?

  init(_ core: SpillCore) { self.core = core }

  /// Runs work that calls the disk.
  func run(_ permit: SpillBreaker.Permit, _ body: () -> Void) {
    let call = core.watch.begin { [weak core] in
      guard let core else { return }
      core.state.withLock { state in _ = state.breaker.stalled(permit, now: core.now) }
    }
    self.call = call
    body()
    self.call = nil
    core.watch.end(call)
  }

  /// Makes one call.
  func make<Value>(_ body: () throws(Errno) -> Value) throws(SpillTrouble) -> Value {
    goOn()
    do throws(Errno) { return try body() } catch { throw .failed(error) }
  }

  /// Call before the next call to the disk.
  func goOn() { if let call { core.watch.renew(call) } }

  /// Call before a disk call that may take long even if the disk is healthy.
  func takeTime() { if let call { core.watch.pause(call) } }
}

/// Why something cannot be written to a spill directory.
enum SpillTrouble: Error {
  /// There is no room within the limit, or above the minimum of free disk space.
  case noRoom
  /// The disk has this many bytes free, and with a new file fewer than the minimum would be left, whatever is dropped.
  case belowFloor(free: Int)
  /// Another process that shares the limit does not release the lock under which it creates a file.
  case busy
  /// The key that new files are encrypted with is not there.
  case noKey
  case failed(Errno)

  /// Reading can continue anyway.
  var concernsWritesOnly: Bool {
    switch self {
    case .noRoom, .belowFloor, .busy, .noKey: true
    case .failed(let errno):
      [.noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .fileTooLarge].contains(errno)
        || errno.isShortageOfDescriptors
    }
  }

  /// Writing can go on only with more free space.
  var isLackOfFreeSpace: Bool {
    switch self {
    case .belowFloor, .failed(.noSpace), .failed(.diskQuotaExceeded): true
    case .noRoom, .busy, .noKey, .failed: false
    }
  }

  /// The error to report for a directory.
  func error(for configuration: DiskConfiguration) -> ReadError {
    let directory = configuration.directory
    switch self {
    case .noRoom: return .noSpillRoom(directory)
    case .belowFloor(let free):
      return ReadError(
        .limitExceeded,
        "the disk of the cache directory has \(ByteCount.bytes(free)) free, which is too little for a file of "
          + "\(ByteCount.bytes(configuration.segmentBytes)) beside the \(configuration.freeSpaceFloor) that must stay free: "
          + "nothing new is kept until there is more. Make room, or lower `freeSpaceFloor` or `segmentSize`",
        isTransient: true, context: .init(source: directory))
    case .busy:
      return ReadError(
        .inUse,
        "another process that shares the cache directory is making a file, and does not end: what would be written is "
          + "dropped until it does", isTransient: true, context: .init(source: directory))
    case .noKey:
      return ReadError(
        .invalidConfiguration,
        "the key that the cache directory is encrypted with is not there: nothing new is kept until it is",
        isTransient: true, context: .init(source: directory))
    case .failed(let errno): return .errno(errno, "write a cache file", .init(source: directory))
    }
  }
}

extension ReadError {
  static func mayReturn(_ directory: String) -> ReadError {
    ReadError(
      .inputOutput,
      "a file of the cache directory could not be read when it was opened, and may hold some of the source that was "
        + "removed: remove everything, or remove the source again when the file can be read",
      context: .init(source: directory))
  }

  static func noSpillRoom(_ directory: String) -> ReadError {
    ReadError(
      .limitExceeded,
      "it does not fit now: the cache directory is full, or its disk is; try again when something was removed, or raise "
        + "the limit", isTransient: true, context: .init(source: directory))
  }
}
