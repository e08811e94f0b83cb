import Synchronization

/// An open file with the three ways to read it.
final class FileLanes: Sendable {
  let file: OpenFile
  let kind: FileOpening.Kind
  /// Whether threads of our own do what may wait for a server, looks at the file among it.
  let isRemote: Bool
  let resident: ResidentLane
  let positional: PositionalLane
  private let gate: UseGate
  private let waiting: WaitingList
  /// Made when first needed: point reads of resident files never open a channel.
  private let dispatchIO = Locked<DispatchIOLane?>(nil)
  /// What the file was when it was opened.
  let statusAtOpening: FileStatus
  private let isDescribed = Atomic<Bool>(false)
  private let recordingNow = Locked<Recording?>(nil)

  init(_ opened: FileOpening.Opened, threads: IOThreads, gate: UseGate, waiting: WaitingList) {
    file = opened.file
    kind = opened.kind
    isRemote = opened.file.isRemote
    self.gate = gate
    self.waiting = waiting
    statusAtOpening = opened.status
    resident = ResidentLane(opened.file)
    positional = PositionalLane(opened.file, threads: threads, gate: gate, waiting: waiting)
  }

  /// What the file was when it was opened, once: for the first description. A file that has lost its name since is another
  /// version then, which a look at what it is now would take for the first.
  func takeStatusAtOpening() -> FileStatus? {
    isDescribed.exchange(true, ordering: .relaxed) ? nil : statusAtOpening
  }

  /// What is recorded in the file, if it is only added to, and has been looked at.
  var recording: Recording? {
    get { recordingNow.withLock { $0 } }
    set {
      // What was there before goes outside of the lock.
      let old = recordingNow.withLock { now -> Recording? in
        // Of two looks at once the one that saw an earlier recording may come back later.
        if let now, let newValue, now.number > newValue.number { return nil }
        defer { now = newValue }
        return now
      }
      withExtendedLifetime(old) {}
    }
  }

  /// Whether the recording of that number is the one in the file, and has not been seen cut short by anybody.
  ///
  /// - Parameters:
  ///   - size: what a look at the file shows now.
  ///   - before: a size that was seen before the look.
  func isOn(_ number: UInt64, seen size: Int, since before: Int) -> Bool {
    recording.map { $0.number == number && $0.sees(size, since: before) } ?? false
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

  /// Stops what waits in the DispatchIO channel.
  func stop() { dispatchIO.withLock { $0 }?.stop() }

  /// Closes both descriptors. The lanes have been stopped, and the gate has drained.
  func close() async throws {
    try await dispatchIO.withLock { $0 }?.drained()
    recording = nil
    try await file.closed()
  }
}
