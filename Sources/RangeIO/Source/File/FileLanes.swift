import Synchronization
import SystemPackage

/// An open file with the three ways to read it.
final class FileLanes: Sendable {
  let file: OpenFile
  let kind: FileOpening.Kind
  /// Identifies the file among all files, whatever their versions. Devices are numbered anew for each file system that is
  /// mounted, so that of images which are mounted in turn only the name of the file system tells.
  let id: String
  /// Whether threads of our own do what may wait for a server, looks at the file among it.
  let isRemote: Bool
  /// The threads that wait for its disk or its server.
  let threads: IOThreads
  let resident: ResidentLane
  let positional: PositionalLane
  private let gate: ShutdownGate
  private let waiting: WaiterRegistry
  /// Made when first needed: point reads of resident files never open a channel.
  private let dispatchIO = Locked<DispatchIOLane?>(nil)
  /// What the file was when it was opened.
  let statusAtOpening: FileStatus
  /// The path that it was opened by: absolute, if the current directory had a name then. `nil`: by none.
  let path: FilePath?
  /// The name that the system gives the file if that path leads through no symbolic link.
  private let nameByPath: String?
  private let isDescribed = Atomic<Bool>(false)
  /// The version that was described last.
  private let sighting: Locked<FileSighting>
  /// The version that was there at the opening, or the last one that was found at rest.
  private let atRest: Locked<FileVersion>
  /// How many changes of names `takeRenaming` has told of.
  private let toldRenamings = Atomic<Int>(0)
  private let recordingNow = Locked<AppendOnlyFile?>(nil)

  init(_ opened: FileOpening.Opened, threads: IOThreads, gate: ShutdownGate, waiting: WaiterRegistry) {
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
    resident = ResidentLane(opened.file)
    positional = PositionalLane(opened.file, threads: threads, gate: gate, waiting: waiting)
  }

  /// Whether the system tells of all that happens to the file: to its bytes, or also to its name.
  func tellsOfChanges(followed: Bool) -> Bool {
    guard !isRemote else { return false }
    return followed || sighting.withLock { $0.renamings == 0 && $0.name != nil && $0.name == nameByPath }
  }

  /// Whether `status` is of this file.
  func isOf(_ status: FileStatus) -> Bool {
    status.device == statusAtOpening.device && status.inode == statusAtOpening.inode
  }

  /// What the file is now; for the first description, what it was when it was opened.
  func statusForDescription() throws(ReadError) -> FileStatus {
    guard isDescribed.exchange(true, ordering: .relaxed) else { return statusAtOpening }
    return try file.status()
  }

  /// Whether a look shows the file as it was when it was last found to be `version`. Quick, and asks the system nothing.
  func isSeen(_ version: FileVersion, in status: FileStatus) -> Bool {
    sighting.withLock { $0.version == version && $0.isSame(status) }
  }

  /// The version that a look shows if it shows the file as it was seen last. Quick, and asks the system nothing.
  func version(in status: FileStatus) -> FileVersion? {
    sighting.withLock { $0.isSame(status) ? $0.version : nil }
  }

  /// A look at the file, and whether it is still the version that it was taken for.
  struct Look {
    let status: FileStatus
    let name: String?
    let isAccepted: Bool
  }

  /// So many looks at most, one after the other: under a writer that is quicker no two agree.
  private static let mostLooks = 8

  /// Looks whether the file is `version` still, where one look has shown something else. One that is another at each of
  /// ``mostLooks`` looks is not: it is being written.
  func look(for version: FileVersion) throws(ReadError) -> Look {
    var last: Look?
    var looks = 0
    while true {
      looks += 1
      let isLast = looks == Self.mostLooks
      // The name before the look and after it, so that both belong together.
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
      // Of two looks at once the later one may have been judged first, and the earlier one be old.
      if isAccepted || isLast || last?.status == status { return look }
      last = look
    }
  }

  /// The version that a look shows, which later ones are compared with, and what it showed.
  func see(_ status: FileStatus) throws(ReadError) -> (FileVersion, FileStatus) {
    let before = sighting.withLock { $0 }
    if before.isSame(status) { return (before.version, status) }
    let look = try look(for: before.version)
    if look.isAccepted { return (before.version, look.status) }
    return sighting.withLock { sighting in
      // Another task may have seen the same meanwhile.
      if !sighting.isSame(look.status) { sighting = FileSighting(look.status, name: look.name) }
      return (sighting.version, look.status)
    }
  }

  /// Whether `version` is known to be at rest: not in the middle of being written.
  func hasRested(_ version: FileVersion) -> Bool { atRest.withLock { $0 == version } }

  func rested(_ version: FileVersion) { atRest.withLock { $0 = version } }

  /// Whether the file's names were seen to change since this was asked last.
  func takeRenaming() -> Bool {
    let renamings = sighting.withLock { $0.renamings }
    return toldRenamings.exchange(renamings, ordering: .relaxed) != renamings
  }

  /// What is recorded in the file, if it is only added to, and has been looked at.
  var recording: AppendOnlyFile? {
    get { recordingNow.withLock { $0 } }
    set {
      // What was there before goes outside of the lock.
      let old = recordingNow.withLock { now -> AppendOnlyFile? in
        // Of two looks at once the one that saw an earlier recording may come back later.
        if let now, let newValue, now.number > newValue.number { return nil }
        defer { now = newValue }
        return now
      }
      withExtendedLifetime(old) {}
    }
  }

  /// Whether a look shows the recording of that number as it was when it was compared last.
  ///
  /// - Parameter size: a length that it had before the look.
  func isOn(_ number: UInt64, seen status: FileStatus, of size: Int) -> Bool {
    mayBeOn(number, seen: status, of: size) && recording.map { $0.isSame(status) } ?? false
  }

  /// Whether a look does not show that the recording of that number has ended.
  func mayBeOn(_ number: UInt64, seen status: FileStatus, of size: Int) -> Bool {
    guard let recording, recording.number == number, isOf(status) else { return false }
    if status.size < size { recording.end() }
    return !recording.hasEnded
  }

  /// The recording of that number was seen to be cut.
  func end(_ number: UInt64) {
    if let recording, recording.number == number { recording.end() }
  }

  /// The channel, which the first read that needs it makes. To be called within the gate.
  ///
  /// - Parameter make: has the channel made, where opening a file may wait.
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
      // Of two who make one at once the first wins.
      new.stop()
      try await new.drained()
    }
    // Who closes the file shuts the gate first and stops what is there then. What came after that is stopped here: one of
    // the two sees the other.
    guard !gate.isClosed else {
      lane.stop()
      throw ReadError.closed
    }
    return lane
  }

  /// Closes the file early, though reads of it may be under way: they find that it is another. May wait.
  func release() {
    stop()
    recording = nil
    file.release()
  }

  /// Stops what waits in the DispatchIO channel.
  func stop() { dispatchIO.withLock { $0 }?.stop() }

  /// Closes both descriptors. The lanes have been stopped, and the gate has drained.
  func close() async throws {
    try await dispatchIO.withLock { $0 }?.drained()
    recording = nil
    try await file.closed()
  }
}
