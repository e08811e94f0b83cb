import RangeIO
import SystemPackage

/// Room: for a record in the open segment; for a segment within the limit, above the minimum of free disk space, and
/// beside other processes.
extension SpillWriter {
  /// Makes sure that a record with a payload of this size fits into the open segment.
  func makeRoom(payload: Int, of slot: Int) throws(SpillTrouble) {
    // A chunk too large for an empty segment was already refused. Copied tombstones may take the room; then another
    // segment is created.
    for _ in 0..<4 {
      if appender.hasRoom(payload: payload, of: slot) { return }
      try appender.seal()
      let identity = core.state.withLock { $0.sources[slot].identity.bytes.count }
      let needed =
        core.recordCount(payload: payload) + SpillFooter.growth + core.space(identity: identity)
      reserved += needed
      defer { reserved -= needed }
      try makeSegment()
    }
    guard appender.hasRoom(payload: payload, of: slot) else { throw .noRoom }
  }

  /// Creates the next segment, and makes room for the one after it.
  private func makeSegment() throws(SpillTrouble) {
    let size = core.configuration.segmentBytes
    let freed = core.state.withLock { $0.counts.segmentsFreed }
    try expectFloor(beside: size)
    try makeSpace(beside: 0) { core.ledger.take(size) ? () : nil }
    var isUsed = false
    defer { if !isUsed { core.ledger.give(size) } }
    try keepFloor(beside: size)
    isUsed = try openSegment(size)
    guard isUsed else { return }
    try mergeSmallest()
    guard dropsOldest else { return }
    // Room for one segment is kept free, so that copied records have somewhere to go.
    while core.ledger.bytes > core.ledger.limit - size {
      core.state.withLock { $0.isFull = true }
      guard try freeSegment(copying: true) else { break }
    }
    // Full no more, since sources were removed or the disk has room again.
    let spare = max(2 * size, core.ledger.limit / 8)
    core.state.withLock { state in
      if state.counts.segmentsFreed == freed, core.ledger.bytes <= core.ledger.limit - spare { state.isFull = false }
    }
  }

  // MARK: creating a segment

  /// Opens a segment for which space was taken. Holds the lock of the quota until the file exists, so that two processes do not take
  /// the same room. What follows may take long; other processes can create their segments at the same time. Returns
  /// false if there is already an open one.
  private func openSegment(_ size: Int) throws(SpillTrouble) -> Bool {
    let lock = try shareSpace(size)
    defer { withExtendedLifetime(lock) {} }
    // Making room may have copied tombstones to a new segment: then that is the open one.
    guard appender.open == nil else { return false }
    let made: OpenSegment?
    do throws(Errno) {
      try writeRoot()
      made = try createSegment(size)
    } catch {
      throw .failed(error)
    }
    guard let made else { throw .noKey }
    appender.open = made
    return true
  }

  /// Writes `store` if it is not written yet: without it no segment is valid.
  private func writeRoot() throws(Errno) {
    guard !isRootWritten else { return }
    calls.goOn()
    try core.files.withDescriptors { () throws(Errno) in try SpillFolder.write(root, to: core.directory) }
    isRootWritten = true
  }

  /// Returns `nil` if its key is not there.
  private func createSegment(_ size: Int) throws(Errno) -> OpenSegment? {
    var file: (any SpillFile)?
    while file == nil {
      lastSegment += 1
      calls.goOn()
      do throws(Errno) {
        let name = SpillFormat.segmentName(lastSegment)
        file = try core.files.withDescriptors { () throws(Errno) in try core.directory.create(name) }
      } catch .fileExists {
        // The file of another process: not touched.
      }
    }
    var header = SpillSegmentHeader(
      directoryID: root.directoryID, epoch: root.epoch, number: lastSegment, created: core.configuration.wallClock(),
      codec: core.codecIdentity)
    let cipher = core.configuration.encryption.flatMap { SpillCipher.begin(&header, $0) }
    guard (cipher != nil) == root.isEncrypted else {
      // `try?`: as below.
      try? core.directory.remove(SpillFormat.segmentName(lastSegment))
      return nil
    }
    var memory = [UInt8](repeating: 0, count: header.byteCount)
    let check = memory.withUnsafeMutableBytes { header.write(to: $0) }
    do throws(Errno) {
      calls.goOn()
      try file!.allocate(size)
      try file!.writeAll(memory, at: 0)
    } catch {
      // `try?`: a file that stays is removed at the next opening.
      try? core.directory.remove(SpillFormat.segmentName(lastSegment))
      throw error
    }
    appender.unsynced.hasNames = true
    let segment = SpillSegment(
      number: lastSegment, check: check, codec: header.codec, cipher, charge: size, ledger: core.ledger,
      files: core.files)
    core.files.enter(file!, lastSegment)
    let place = core.state.withLock { state in
      state.counts.segmentsMade += 1
      state.counts.fileBytes += memory.count
      state.lastRank += 1
      return state.add(.init(segment: segment, rank: state.lastRank, length: size))
    }
    return OpenSegment(segment, file!, at: place)
  }

  // MARK: taking space

  /// Takes room for a segment with `take`, which returns `nil` while there is none. Frees segments for that; if readers
  /// hold all of them, this throws, and writing goes on when one lets go.
  ///
  /// - Parameter taken: the bytes of the account that no segment has yet.
  private func makeSpace<Space>(
    beside taken: Int, _ take: () throws(SpillTrouble) -> Space?
  ) throws(SpillTrouble) -> Space {
    let ledger = core.ledger
    while true {
      if let space = try take() { return space }
      // Not where other processes have filled a limit that is shared: they may end.
      if taken == 0 { core.state.withLock { $0.isFull = true } }
      guard dropsOldest else { throw .noRoom }
      if try freeSegment(copying: false) { continue }
      // Try again after asking readers to notify: one may have released a segment just now.
      ledger.awaitRoom()
      if let space = try take() { return space }
      if try freeSegment(copying: false) { continue }
      awaitsReaders = core.state.withLock { $0.isReadFrom(charged: ledger.bytes - taken) }
      guard !awaitsReaders else { throw .noRoom }
      // The last reader may have released one meanwhile, so that there is room, or one to free.
      if let space = try take() { return space }
      guard try freeSegment(copying: false) else { throw .noRoom }
    }
  }

  /// Throws if a new segment cannot leave the minimum of free disk space even when all others are gone: then none should
  /// go.
  private func expectFloor(beside size: Int) throws(SpillTrouble) {
    dropOutdated()
    let free = try freeBytes()
    let fixed = SpillFormat.fixedBytes + core.state.withLock { $0.outdatedBytes }
    let most = dropsOldest ? max(0, core.ledger.bytes - fixed) : 0
    guard ByteRanges.sum(free, most) - size >= core.configuration.freeSpaceFloor.bytes else {
      throw .belowFloor(free: free)
    }
  }

  private func freeBytes() throws(SpillTrouble) -> Int {
    do throws(Errno) { return max(0, try core.directory.freeByteCount()) } catch { throw .failed(error) }
  }

  /// Frees segments until a new one leaves the minimum of free disk space.
  private func keepFloor(beside size: Int) throws(SpillTrouble) {
    let floor = core.configuration.freeSpaceFloor.bytes
    let before = core.ledger.bytes
    var missing: Int?
    while true {
      let free = try freeBytes()
      if free - size >= floor { return }
      // Frees no more than is missing, since some file systems report freed space only later.
      let (wanted, overflow) = floor.addingReportingOverflow(size)
      let most = missing ?? (overflow ? .max : wanted) - free
      missing = most
      guard dropsOldest, before - core.ledger.bytes < most, try freeSegment(copying: false) else {
        throw .belowFloor(free: free)
      }
      core.state.withLock { $0.isFull = true }
    }
  }

  /// Waits for the lock of the quota, to take room that is shared with other processes. The caller has taken as much of the account.
  private func shareSpace(_ size: Int) throws(SpillTrouble) -> any SpillFile {
    try makeSpace(beside: size) { () throws(SpillTrouble) in
      let answer: SpillQuota.Answer
      do throws(Errno) {
        // Slow processes do not mean that this disk is sick.
        calls.takeTime()
        defer { calls.goOn() }
        answer = try core.files.withDescriptors { () throws(Errno) in try quota.enter(size) }
      } catch {
        throw .failed(error)
      }
      switch answer {
      case .locked(let lock): return lock
      case .full: return nil
      case .busy: throw .busy
      }
    }
  }

  /// The oldest are dropped when there is no room.
  private var dropsOldest: Bool { !core.configuration.refusesWhenFull && !root.refusesWhenFull }
}
