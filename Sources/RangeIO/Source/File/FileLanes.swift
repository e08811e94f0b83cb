import Synchronization
import SystemPackage

/// An open file with its lanes, and which of them reads what: see Docs/Decisions/0002-lanes.md.
final class FileLanes: Sendable {
  let file: OpenFile
  let kind: FileOpening.Kind
  /// Identifies the file among all files, whatever its version. Device numbers are reused when file systems are
  /// mounted, so for images mounted in turn only the name of the file system tells them apart.
  let id: String
  /// The library's own threads do everything that may wait for a server, including `fstat`.
  let isRemote: Bool
  /// The threads that wait for the file's disk or server.
  let threads: IOThreads
  private let resident: ResidentLane
  private let direct: DirectLane
  /// In the order in which they are asked.
  private let lanes: [any FileLane]
  /// `true` if the resident lane is asked first. Not for a file on a server: after the read the server must be asked for the
  /// file's status.
  private let isResidentFirst: Bool
  private let isDirectFirst: Bool
  private let counters: LaneCounters
  /// The file's status when it was opened.
  let statusAtOpening: FileStatus
  /// The path used to open the file: absolute, if the current directory had a name then. `nil` if it was not opened by
  /// path.
  let path: FilePath?
  /// The name that the system gives the file if that path goes through no symbolic link.
  private let nameByPath: String?
  private let isDescribed = Atomic<Bool>(false)
  /// The version described last.
  private let sighting: Locked<FileSighting>
  /// The version at opening, or the last one found at rest.
  private let atRest: Locked<FileVersion>
  /// The number of name changes that `takeRenaming` has reported.
  private let toldRenamings = Atomic<Int>(0)
  private let recordingNow = Locked<AppendOnlyFile?>(nil)

  init(
    _ opened: FileOpening.Opened, _ configuration: FileSource.Configuration, threads: IOThreads, work: ThreadedWork,
    counters: LaneCounters
  ) {
    file = opened.file
    kind = opened.kind
    id = "file:\(String(opened.fileSystem, radix: 16)):\(opened.status.device):\(opened.status.inode)"
    isRemote = opened.file.isRemote
    self.counters = counters
    statusAtOpening = opened.status
    self.threads = threads
    path = opened.path
    nameByPath = opened.path?.lexicallyNormalized().string
    sighting = Locked(FileSighting(opened.status, name: opened.name))
    atRest = Locked(FileVersion(opened.status))
    let context = LaneContext(file: file, pool: configuration.buffers, threads: threads, work: work)
    resident = ResidentLane(context, device: configuration.begunReads?(opened.status.device))
    direct = DirectLane(context, begin: configuration.beginDirect, counters: counters)
    let positional = PositionalLane(context)
    let engine = configuration.engine
    isDirectFirst = engine == .direct
    let readsResidentPages = [.automatic, .direct].contains(engine) && Platform.readsResidentPages
    isResidentFirst = readsResidentPages && !isRemote
    // The last one says with an error why bytes cannot be read.
    let cached: [any FileLane] =
      if engine == .positional || readsResidentPages && isRemote {
        [positional]
      } else if readsResidentPages {
        [resident, positional]
      } else {
        [DispatchIOLane(context), positional]
      }
    lanes = isDirectFirst ? [direct] + cached : cached
  }

  /// `true` if reads go past the page cache. Not once the file's system has refused them.
  var bypassesPageCache: Bool { isDirectFirst && direct.isAvailable }

  /// The windows of a mebibyte that a stream asks for ahead. One if the system reads ahead itself: with more threads reading,
  /// the processors have more to do, and the pages of programs beside are evicted sooner.
  var windowsAhead: Int {
    isRemote || bypassesPageCache || lanes.contains { $0.name == .dispatchIO } ? 4 : 1
  }

  /// `true` if the page cache is looked at on the caller's thread.
  var readsHere: Bool { isResidentFirst && !bypassesPageCache }

  /// `true` if what the page cache has of `range` may be copied there.
  func readsHere(_ range: ByteRange) -> Bool { range.count <= LaneThreshold.residentInline && readsHere }

  /// Copies what the page cache has of `range`, from the start, and returns the number of bytes. Most reads of files need no more, and
  /// make no ``FileRead``.
  func fillHere(_ buffer: WritableBytes, from range: ByteRange) throws(ReadError) -> Int {
    try resident.fill(buffer.memory, from: range)
  }

  /// Fills `reads`, but for what is not in the file. More than an actor may be kept for, it copies elsewhere.
  func fill(_ reads: inout [FileRead]) async throws {
    let byteCount = reads.reduce(0) { $0 + $1.rest }
    let isLong = byteCount > LaneThreshold.residentInline && readsHere || reads.count > LaneThreshold.residentCalls
    guard isLong else { return try await fillByLanes(&reads) }
    let isShort = reads.count == 1 && byteCount <= LaneThreshold.residentPiece
    reads = try await BackgroundWork.offActor(isShort: isShort) { [self, reads] in
      var reads = reads
      try await fillByLanes(&reads)
      return reads
    }
  }

  private func fillByLanes(_ reads: inout [FileRead]) async throws {
    for lane in lanes where !reads.allSatisfy(\.isWhole) {
      try await lane.fill(&reads)
      for index in reads.indices { counters.add(reads[index].takeUncounted(), to: lane.name) }
    }
  }

  /// True if the system reports everything that happens to the file: to its bytes if it is `followed`, else also to its name.
  ///
  /// The system watches the open file, not the directories above it. So this is `true` while the file has the name in
  /// its path: an absolute or relative path, also with `.` and `..`. It is `false` for files on a server, for paths
  /// through a symbolic link, and for a file that has lost its name, since another file may get that name.
  func reportsChanges(followed: Bool) -> Bool {
    guard !isRemote else { return false }
    return followed || sighting.withLock { $0.renamings == 0 && $0.name != nil && $0.name == nameByPath }
  }

  /// The threads for what a user does with the descriptor: however much that is, other reads of local files go on.
  var threadsForWork: IOThreads { threads === IOThreads.shared ? IOThreads.forWork : threads }

  /// True if `status` belongs to this file.
  func isOf(_ status: FileStatus) -> Bool {
    status.device == statusAtOpening.device && status.inode == statusAtOpening.inode
  }

  /// The file's current status. For the first description, its status when it was opened.
  func statusForDescription() throws(ReadError) -> FileStatus {
    guard isDescribed.exchange(true, ordering: .relaxed) else { return statusAtOpening }
    return try file.status()
  }

  /// The version of the file if `status` shows it as it was last seen. Quick: makes no system call.
  func version(in status: FileStatus) -> FileVersion? {
    sighting.withLock { $0.isSame(status) ? $0.version : nil }
  }

  /// A status of the file, and whether it is still the expected version.
  struct Look {
    let status: FileStatus
    let name: String?
    let isAccepted: Bool
  }

  /// The most statuses taken in a row: under a faster writer no two would agree.
  private static let maxLooks = 8

  /// Checks whether the file is still `version` after one status has differed. If ``maxLooks`` statuses in a row all
  /// differ, it is not: it is being written.
  func look(for version: FileVersion) throws(ReadError) -> Look {
    var last: Look?
    var looks = 0
    while true {
      looks += 1
      let isLast = looks == Self.maxLooks
      // Take the name before and after the status, so that both belong together.
      let name = file.nameNow
      let status = try file.status()
      guard file.nameNow == name else {
        if isLast { return Look(status: status, name: nil, isAccepted: false) }
        continue
      }
      let isAccepted = sighting.withLock { sighting in
        guard sighting.version == version else { return false }
        return sighting.isSame(status) || sighting.accepts(status, name: name)
      }
      let look = Look(status: status, name: name, isAccepted: isAccepted)
      // Of two concurrent looks, the later one may have been judged first, so the earlier one may be old.
      if isAccepted || isLast || last?.status == status { return look }
      last = look
    }
  }

  /// The version that `status` shows, with the status that showed it. Later statuses are compared with it.
  func see(_ status: FileStatus) throws(ReadError) -> (FileVersion, FileStatus) {
    let before = sighting.withLock { $0 }
    if before.isSame(status) { return (before.version, status) }
    let look = try look(for: before.version)
    if look.isAccepted { return (before.version, look.status) }
    return sighting.withLock { sighting in
      // Another task may have seen the same in between.
      if !sighting.isSame(look.status) { sighting = FileSighting(look.status, name: look.name) }
      return (sighting.version, look.status)
    }
  }

  /// True if `version` is known to be at rest: not in the middle of being written.
  func hasRested(_ version: FileVersion) -> Bool { atRest.withLock { $0 == version } }

  func rested(_ version: FileVersion) { atRest.withLock { $0 = version } }

  /// True if the file's names were seen to change since the last call.
  func takeRenaming() -> Bool {
    let renamings = sighting.withLock { $0.renamings }
    return toldRenamings.exchange(renamings, ordering: .relaxed) != renamings
  }

  /// The recording in the file, if it only grows and has been checked.
  var recording: AppendOnlyFile? {
    get { recordingNow.withLock { $0 } }
    set {
      // Release the old recording outside the lock.
      let old = recordingNow.withLock { now -> AppendOnlyFile? in
        // Of two concurrent looks, the one that saw an earlier recording may finish later.
        if let now, let newValue, now.number > newValue.number { return nil }
        defer { now = newValue }
        return now
      }
      withExtendedLifetime(old) {}
    }
  }

  /// True if `status` shows the recording with that number as it was at its last comparison.
  ///
  /// - Parameter size: a length that it had before `status` was taken.
  func isOn(_ number: UInt64, seen status: FileStatus, of size: Int) -> Bool {
    mayBeOn(number, seen: status, of: size) && recording.map { $0.isSame(status) } ?? false
  }

  /// True unless the recording with that number has ended, or `status` shows so. Ends it if `status` shows that it was cut.
  func mayBeOn(_ number: UInt64, seen status: FileStatus, of size: Int) -> Bool {
    guard let recording, recording.number == number, isOf(status) else { return false }
    if status.size < size { recording.end() }
    return !recording.hasEnded
  }

  /// The recording with that number was seen to be cut.
  func end(_ number: UInt64) {
    if let recording, recording.number == number { recording.end() }
  }

  /// Closes the file early, although reads of it may be in flight: they find that it has become another file. May wait.
  func release() {
    recording = nil
    file.release()
    for lane in lanes { lane.release() }
  }

  /// Ends what the lanes have in flight.
  func stop() { for lane in lanes { lane.stop() } }

  /// Closes all descriptors. The lanes must be stopped and the gate drained.
  func close() async throws {
    recording = nil
    for lane in lanes { try await lane.close() }
    try await file.closed()
  }
}

/// The lanes by the names that statistics have.
enum LaneName: Int, CaseIterable {
  case resident, positional, dispatchIO, direct
}

/// Counts reads and bytes by lane. Counting takes two relaxed additions.
final class LaneCounters: Sendable {
  /// Reads and bytes of each lane, alternating.
  private let counts = Stripes()

  func add(_ count: Int, to lane: LaneName) {
    guard count > 0 else { return }
    counts.add(1, to: lane.rawValue * 2)
    counts.add(count, to: lane.rawValue * 2 + 1)
  }

  private static let refusals = LaneName.allCases.count * 2

  /// A file's system has refused the direct lane.
  func refusedDirect() { counts.add(1, to: Self.refusals) }

  /// - Parameter bypasses: whether the direct lane is wanted.
  func snapshot(bypasses: Bool) -> [Counters] {
    LaneName.allCases.filter { $0 != .direct || bypasses }.map { lane in
      var counted = Counters(
        "\(lane)", counts: ["reads": counts.sum(lane.rawValue * 2), "bytes": counts.sum(lane.rawValue * 2 + 1)])
      if lane == .direct { counted.counts.append(.init("refused", counts.sum(Self.refusals))) }
      return counted
    }
  }
}

/// Measured limits between the lanes: see Docs/Decisions/0002-lanes.md.
enum LaneThreshold {
  /// The most bytes that a resident read of one or several ranges copies on the caller's own thread and actor. A larger
  /// read leaves the actor first.
  static let residentInline = BackgroundWork.maxBytesHere
  /// The most ranges of one read for which the same holds: a call takes as long as copying 4 KiB.
  static let residentCalls = 64
  /// The most bytes that the kernel begins to read at once, whatever the settings of the device.
  static let maxBegunBytes = 64 * 1024
  /// The number of bytes copied from the page cache between two checks for cancellation.
  static let residentPiece = 1024 * 1024
  /// The number of bytes read by one call that waits for the disk, between two such checks.
  static let waitingPiece = 16 * 1024 * 1024
  /// The size in bytes of the pieces that DispatchIO reads and reports.
  static let dispatchIOPiece = 1024 * 1024
  /// The longest range of one DispatchIO operation, in bytes: what may pile up before the reader takes it.
  static let dispatchIOWindow = 8 * 1024 * 1024
  /// The most DispatchIO operations that a source has in flight. libdispatch on Linux does one `pread` at a time for a
  /// whole disk; further operations would only wait there, where they cannot be withdrawn.
  static let dispatchIOOperations = 8
}
