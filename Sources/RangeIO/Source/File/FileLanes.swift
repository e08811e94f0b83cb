import Synchronization
import SystemPackage

/// An open file with its lanes.
final class FileLanes: Sendable {
  let file: OpenFile
  let kind: FileOpening.Kind
  /// Identifies the file among all files, whatever its version. Device numbers are reused when file systems are
  /// mounted, so for images mounted in turn only the name of the file system tells them apart.
  let id: String
  /// Whether the library's own threads do everything that may wait for a server, including `fstat`.
  let isRemote: Bool
  /// The threads that wait for the file's disk or server.
  let threads: IOThreads
  let resident: ResidentLane
  let positional: PositionalLane
  let direct: DirectLane
  private let gate: ShutdownGate
  private let waiting: WaiterRegistry
  /// Created when first needed: point reads of resident files never open a channel.
  private let dispatchIO = Locked<DispatchIOLane?>(nil)
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
  /// How many name changes `takeRenaming` has reported.
  private let toldRenamings = Atomic<Int>(0)
  private let recordingNow = Locked<AppendOnlyFile?>(nil)

  init(
    _ opened: FileOpening.Opened, threads: IOThreads, begun: BegunReads?, counters: LaneCounters, gate: ShutdownGate,
    waiting: WaiterRegistry
  ) {
    file = opened.file
    kind = opened.kind
    id = "file:\(String(opened.fileSystem, radix: 16)):\(opened.status.device):\(opened.status.inode)"
    isRemote = opened.file.isRemote
    self.gate = gate
    self.waiting = waiting
    statusAtOpening = opened.status
    self.threads = threads
    path = opened.path
    nameByPath = opened.path?.lexicallyNormalized().string
    sighting = Locked(FileSighting(opened.status, name: opened.name))
    atRest = Locked(FileVersion(opened.status))
    resident = ResidentLane(opened.file, begun: begun)
    positional = PositionalLane(opened.file, threads: threads, gate: gate, waiting: waiting)
    direct = DirectLane(opened.file, threads: threads, counters: counters)
  }

  /// Whether the system reports everything that happens to the file: to its bytes if it is `followed`, else also to its name.
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

  /// Whether `status` belongs to this file.
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
  private static let mostLooks = 8

  /// Checks whether the file is still `version` after one status has differed. If ``mostLooks`` statuses in a row all
  /// differ, it is not: it is being written.
  func look(for version: FileVersion) throws(ReadError) -> Look {
    var last: Look?
    var looks = 0
    while true {
      looks += 1
      let isLast = looks == Self.mostLooks
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

  /// Whether `version` is known to be at rest: not in the middle of being written.
  func hasRested(_ version: FileVersion) -> Bool { atRest.withLock { $0 == version } }

  func rested(_ version: FileVersion) { atRest.withLock { $0 = version } }

  /// Whether the file's names were seen to change since the last call.
  func takeRenaming() -> Bool {
    let renamings = sighting.withLock { $0.renamings }
    return toldRenamings.exchange(renamings, ordering: .relaxed) != renamings
  }

  /// What is recorded in the file, if it only grows and has been checked.
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

  /// Whether `status` shows the recording with that number as it was at its last comparison.
  ///
  /// - Parameter size: a length that it had before `status` was taken.
  func isOn(_ number: UInt64, seen status: FileStatus, of size: Int) -> Bool {
    mayBeOn(number, seen: status, of: size) && recording.map { $0.isSame(status) } ?? false
  }

  /// Whether `status` does not show that the recording with that number has ended.
  func mayBeOn(_ number: UInt64, seen status: FileStatus, of size: Int) -> Bool {
    guard let recording, recording.number == number, isOf(status) else { return false }
    if status.size < size { recording.end() }
    return !recording.hasEnded
  }

  /// The recording with that number was seen to be cut.
  func end(_ number: UInt64) {
    if let recording, recording.number == number { recording.end() }
  }

  /// The channel. The first read that needs it creates it. Call it only within the gate.
  ///
  /// - Parameter make: creates the channel where opening a file may wait.
  func dispatchIOLane(
    by make: (_ new: @escaping @Sendable () throws -> DispatchIOLane) async throws -> DispatchIOLane = { try $0() }
  ) async throws -> DispatchIOLane {
    if let lane = dispatchIO.withLock({ $0 }) { return lane }
    let new = try await make { [file, gate, waiting] in try DispatchIOLane(file, gate: gate, waiting: waiting) }
    let lane = dispatchIO.withLock { lane -> DispatchIOLane in
      if lane == nil { lane = new }
      return lane ?? new
    }
    if lane !== new {
      // If two tasks create one at the same time, the first wins.
      new.stop()
      try await new.drained()
    }
    // Closing first shuts the gate and then stops the channel it finds. A channel created after that is stopped here:
    // one of the two sides always sees the other.
    guard !gate.isClosed else {
      lane.stop()
      throw ReadError.closed
    }
    return lane
  }

  /// Closes the file early, although reads of it may be in flight: they find that it has become another file. May wait.
  func release() {
    stop()
    recording = nil
    file.release()
    direct.release()
  }

  /// Stops the operations in the DispatchIO channel.
  func stop() { dispatchIO.withLock { $0 }?.stop() }

  /// Closes all descriptors. The lanes must be stopped and the gate drained.
  func close() async throws {
    try await dispatchIO.withLock { $0 }?.drained()
    recording = nil
    try await direct.closed()
    try await file.closed()
  }
}

/// The lanes of a file.
enum FileLane: Int, CaseIterable {
  case resident, positional, dispatchIO, direct
}

/// Counts reads and bytes by lane. Counting takes two relaxed additions.
final class LaneCounters: Sendable {
  /// Reads and bytes of each lane, alternating.
  private let counts = Stripes()

  func add(_ count: Int, to lane: FileLane) {
    guard count > 0 else { return }
    counts.add(1, to: lane.rawValue * 2)
    counts.add(count, to: lane.rawValue * 2 + 1)
  }

  private static let refusals = FileLane.allCases.count * 2

  /// A file's system has refused the direct lane.
  func refusedDirect() { counts.add(1, to: Self.refusals) }

  /// - Parameter bypasses: whether the direct lane is wanted.
  func snapshot(bypasses: Bool) -> [Counters] {
    FileLane.allCases.filter { $0 != .direct || bypasses }.map { lane in
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
  static let residentInline = BackgroundWork.mostBytesHere
  /// The most ranges of one read for which the same holds: a call takes as long as copying 4 KiB.
  static let residentCalls = 64
  /// The most bytes that the kernel begins to read at once, whatever the settings of the device.
  static let mostBegun = 64 * 1024
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
