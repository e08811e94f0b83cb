import Synchronization

/// An open file with the three ways to read it.
final class FileLanes: Sendable {
  let file: OpenFile
  let kind: FileOpening.Kind
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

  func dispatchIOLane() throws(ReadError) -> DispatchIOLane {
    let made: Result<DispatchIOLane, ReadError> = dispatchIO.withLock { lane in
      if let lane { return .success(lane) }
      do throws(ReadError) {
        let new = try DispatchIOLane(file, gate: gate, waiting: waiting)
        lane = new
        return .success(new)
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }

  /// Stops what waits in the DispatchIO channel.
  func stop() { dispatchIO.withLock { $0 }?.stop() }

  /// Closes both descriptors. The lanes have been stopped, and the gate has drained.
  func close() async throws {
    try await dispatchIO.withLock { $0 }?.drained()
    recording = nil
    file.close()
  }
}
