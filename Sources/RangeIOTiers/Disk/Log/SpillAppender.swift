import RangeIO
import SystemPackage

struct OpenSegment {
  let segment: SpillSegment
  /// Its file, which stays open while it is being written.
  let file: any SpillFile
  let place: UInt32
  /// The end of what is written.
  var position: Int
  var footer = SpillFooter()
  /// The number of each source within the segment.
  var locals: [Int: UInt32] = [:]
  /// The current size of the footer, including its header and what follows it.
  var closingCount: Int

  init(_ segment: SpillSegment, _ file: any SpillFile, at place: UInt32) {
    (self.segment, self.file, self.place) = (segment, file, place)
    position = SpillSegmentHeader.byteCount(isEncrypted: segment.cipher != nil)
    closingCount = Self.emptyClosingCount(isEncrypted: segment.cipher != nil)
  }

  static func emptyClosingCount(isEncrypted: Bool) -> Int {
    SpillFormat.recordHeaderCount + SpillFooter.fixedCount + (isEncrypted ? SpillCipher.footerOverhead : 0)
      + SpillFormat.trailerCount
  }
}

/// Appends records to the open segment, and publishes them when they are written. Never creates or frees a segment: the
/// writer makes room first.
struct SpillAppender: ~Copyable {
  /// A record that can be found once it is written.
  enum Pending {
    case chunk(key: UInt64, number: UInt64, slot: Int, SpillTable.Record)
    /// A copy from another place.
    case copy(slot: Int, block: Int, from: SpillTable.Record, SpillTable.Record)
    case tombstone(SpillState.Tombstone)
    case source(slot: Int, local: UInt32)
  }

  /// The writes that are not durable yet.
  struct Unsynced {
    /// The bytes written since files were last made durable.
    var bytes = 0
    /// The segments that were there when the directory was opened: the process that wrote them may have been killed before they were
    /// durable, or not have asked for that.
    var found: [UInt64] = []
    /// The files of segments that were given up, by the segments' numbers.
    var files: [(segment: UInt64, file: any SpillFile)] = []
    /// The segments of which a file could not be made durable. What was written to them may be gone after a loss of power,
    /// whatever the next sync says: the kernel reports a failed write once, and forgets the bytes.
    var lost: Set<UInt64> = []
    /// Names in the directory must be made durable.
    var hasNames = false
    /// There are copies of blocks whose originals must stay until these are durable.
    var hasCopies = false
  }

  let core: SpillCore
  let calls: SpillWatchedCalls
  var open: OpenSegment?
  var buffer = SpillBuffer()
  var pending: [Pending] = []
  var unsynced = Unsynced()
  var lastSequence: UInt64
  /// Chunks are compressed or not, as the disk needs.
  let isAutomatic: Bool
  /// The form in which chunks are stored now, if ``isAutomatic``.
  var form = SpillCodecChoice.Form.encoded
  /// Measurements of encoding since the last write.
  var measured = SpillCodecChoice.Coding()
  var chunksSinceTrial = 0
  /// The next chunk that is encoded is decoded again, to measure that.
  var triesDecoding = false

  init(_ core: SpillCore, _ calls: SpillWatchedCalls, lastSequence: UInt64) {
    self.core = core
    self.calls = calls
    self.lastSequence = lastSequence
    isAutomatic = core.configuration.codec is AutomaticCodec
  }

  // MARK: room

  /// The room that is left in the open segment beside its footer; none if there is no open segment.
  var freeBytes: Int {
    guard let open else { return 0 }
    return core.configuration.segmentBytes - open.position - buffer.count - open.closingCount
  }

  /// Checks whether the open segment has room for a record with a payload of this size, beside other bytes.
  func hasRoom(payload: Int, of slot: Int, beside reserved: Int = 0) -> Bool {
    guard let open else { return false }
    var needed = core.recordCount(payload: payload) + SpillFooter.growth
    if open.locals[slot] == nil {
      needed += core.space(identity: core.state.withLock { $0.sources.entry(slot)?.identity.bytes.count ?? 0 })
    }
    return needed + reserved <= freeBytes
  }

  // MARK: the life of a segment

  /// Ends the open segment with a footer.
  mutating func seal() throws(SpillTrouble) {
    guard open != nil else { return }
    try flush()
    guard let open else { return }
    lastSequence += 1
    guard
      let closing = open.footer.closing(
        sequence: lastSequence, at: open.position, segmentCheck: open.segment.check, open.segment.cipher)
    else { throw .noKey }
    let length = open.position + closing.count
    try calls.make { () throws(Errno) in try open.file.writeAll(closing, at: open.position) }
    try calls.make { () throws(Errno) in try open.file.truncate(length) }
    if core.configuration.syncsEvery != nil { try sync(open.file, of: open.segment.number) }
    open.segment.recharge(SpillLedger.rounded(length))
    core.state.withLock { state in
      state.counts.fileBytes += closing.count
      state.places[Int(open.place)]!.isSealed = true
      state.places[Int(open.place)]!.length = length
    }
    self.open = nil
  }

  /// Gives up the open segment. What was written can still be found; nothing is added.
  mutating func abandon() {
    pending = []
    buffer.empty()
    guard let open else { return }
    core.state.withLock { state in
      guard state.places.indices.contains(Int(open.place)), state.places[Int(open.place)] != nil else { return }
      state.places[Int(open.place)]!.isSealed = true
      // Some of what was to be written may be in the file: the next opening finds it, unless tombstones say otherwise.
      for (slot, local) in open.locals { state.places[Int(open.place)]!.locals[slot] = local }
    }
    if core.configuration.syncsEvery != nil { unsynced.files.append((open.segment.number, open.file)) }
    self.open = nil
  }

  // MARK: making it durable

  mutating func makeDurable(isUrgent: Bool) throws(SpillTrouble) {
    if let every = core.configuration.syncsEvery, isUrgent || unsynced.bytes >= every.bytes { try sync() }
  }

  mutating func sync() throws(SpillTrouble) {
    guard unsynced.bytes > 0 || unsynced.hasNames || !unsynced.found.isEmpty else { return }
    try syncFound()
    let begun = core.now
    while let last = unsynced.files.popLast() { try sync(last.file, of: last.segment) }
    if let open { try sync(open.file, of: open.segment.number) }
    let nanoseconds = core.now.nanoseconds - begun.nanoseconds
    core.state.withLock { $0.codecChoice.made(durable: unsynced.bytes, nanoseconds: nanoseconds) }
    if unsynced.hasNames { try syncNames() }
    unsynced.bytes = 0
    // A file that was given up can be synced as if nothing was wrong: its copies go before their originals do.
    if unsynced.lost.isEmpty { unsynced.hasCopies = false }
    core.state.withLock { $0.counts.syncs += 1 }
  }

  /// Makes durable what was found, but for segments that have gone since. All of them, before this throws for one that cannot be:
  /// such a segment is freed before a flush succeeds.
  private mutating func syncFound() throws(SpillTrouble) {
    guard !unsynced.found.isEmpty else { return }
    let there = core.state.withLock { Set($0.places.compactMap { $0?.segment.number }) }
    unsynced.found.removeAll { !there.contains($0) }
    var failure: SpillTrouble?
    while let number = unsynced.found.last {
      calls.goOn()
      do throws(SpillTrouble) {
        let file = try fileFound(number)
        unsynced.found.removeLast()
        if let file { try sync(file, of: number) }
      } catch {
        // Without a descriptor, it is tried again.
        if case .failed(let errno) = error, errno.isShortageOfDescriptors { throw error }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// The file of a segment that was found, or `nil` if somebody has removed it: the disk has not failed then.
  private mutating func fileFound(_ number: UInt64) throws(SpillTrouble) -> (any SpillFile)? {
    do throws(Errno) {
      return try core.files.file(number)
    } catch {
      if error.isShortageOfDescriptors { throw .failed(error) }
      unsynced.lost.insert(number)
      guard error == .noSuchFileOrDirectory else {
        unsynced.found.removeLast()
        throw .failed(error)
      }
      return nil
    }
  }

  private mutating func sync(_ file: any SpillFile, of segment: UInt64) throws(SpillTrouble) {
    calls.takeTime()
    do throws(Errno) {
      try file.sync()
    } catch {
      unsynced.lost.insert(segment)
      throw .failed(error)
    }
    calls.goOn()
  }

  /// Makes file names in the directory durable.
  mutating func syncNames() throws(SpillTrouble) {
    try calls.make { () throws(Errno) in try core.directory.sync() }
    unsynced.hasNames = false
  }
}
