/// Waits until recently written files are at rest. All readers that wait for the same file, through any source, share
/// one timer and one check.
///
/// It occupies no thread and holds no file: one of the remaining waiters makes the check.
final class RestingFiles: Sendable {
  /// The instance of the process.
  package static let shared = RestingFiles(.continuous)

  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// A waiting source, within its gate.
  private struct Waiter {
    let answer: Promise<FileStatus?>
    let gate: ShutdownGate
    let look: @Sendable () async throws -> FileStatus
  }

  /// A wait for one file. It ends when its time has come, or when its last waiter has left.
  private struct Wait {
    let number: Int
    let end: ReadClock.Instant
    var waiters: [ObjectIdentifier: Waiter] = [:]
    var timer: Task<Void, Never>?
  }

  private struct State {
    /// At most one for each file.
    var waits: [Place: Wait] = [:]
    var lastNumber = 0
  }

  private let time: ReadClock
  private let state = Locked(State())

  /// Creates an instance that uses the clock `time`.
  init(_ time: ReadClock) { self.time = time }

  /// Waits for `duration`, or until the current wait for the same file ends, and then takes the file's status.
  ///
  /// Call it within `gate`. If the caller is cancelled, or `waiting` fails, it returns at once.
  ///
  /// - Parameter look: returns the file's status. Only one of the waiters' closures is called.
  /// - Returns: how long the wait was, and the status. The status is `nil` if the call failed, as when its source was
  ///   closed in between: then take it yourself.
  func wait(
    _ duration: Duration, for version: FileVersion, in waiting: WaiterRegistry, _ gate: ShutdownGate,
    look: @escaping @Sendable () async throws -> FileStatus
  ) async throws -> (waited: Duration, seen: FileStatus?) {
    let place = Place(device: version.device, inode: version.inode)
    let waiter = Waiter(answer: Promise(), gate: gate, look: look)
    let now = time.now
    let (number, end, isFirst) = state.withLock { state -> (Int, ReadClock.Instant, Bool) in
      let isFirst = state.waits[place] == nil
      if isFirst { state.lastNumber += 1 }
      let new = Wait(number: state.lastNumber, end: now.advanced(by: duration))
      state.waits[place, default: new].waiters[ObjectIdentifier(waiter.answer)] = waiter
      let wait = state.waits[place] ?? new
      return (wait.number, wait.end, isFirst)
    }
    if isFirst { begin(number, at: place, until: end) }
    defer { leave(waiter, number, at: place) }
    let seen = try await waiting.wait(for: waiter.answer)
    return (max(.zero, now.duration(to: end)), seen)
  }

  /// Starts the timer of a wait.
  private func begin(_ number: Int, at place: Place, until end: ReadClock.Instant) {
    let timer = BackgroundWork().start { [self] in
      // `try?`: it is cancelled when all waiters have left.
      try? await time.sleep(until: end)
      await self.end(number, at: place)
    }
    state.withLock { state in
      if state.waits[place]?.number == number { state.waits[place]?.timer = timer }
    }
  }

  /// The time has come: checks the file, and answers all waiters. A later waiter starts another wait, since it may know
  /// of a change after this check.
  private func end(_ number: Int, at place: Place) async {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.waits[place]?.number == number, let wait = state.waits.removeValue(forKey: place) else { return [] }
      let waiters = Array(wait.waiters.values)
      // It is still inside its gate, since it leaves here first.
      waiters.first?.gate.enterAgain()
      return waiters
    }
    guard let first = waiters.first else { return }
    // `try?`: the waiters then check the file themselves and see the error.
    let seen = try? await first.look()
    first.gate.leave()
    for waiter in waiters { waiter.answer.resolve(.success(seen)) }
  }

  private func leave(_ waiter: Waiter, _ number: Int, at place: Place) {
    let timer = state.withLock { state -> Task<Void, Never>? in
      guard state.waits[place]?.number == number else { return nil }
      state.waits[place]?.waiters[ObjectIdentifier(waiter.answer)] = nil
      guard state.waits[place]?.waiters.isEmpty == true else { return nil }
      return state.waits.removeValue(forKey: place)?.timer
    }
    timer?.cancel()
  }
}
