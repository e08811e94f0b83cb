/// Waits until files that were written to a moment ago are at rest: one timer and one look for all readers that wait for the
/// same file, by whichever source.
///
/// It waits on no thread, and holds no file: the look is made by one of those who still wait.
package final class RestingFiles: Sendable {
  /// Those of the process.
  package static let shared = RestingFiles(.continuous)

  private struct Place: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// A source that waits, within its gate.
  private struct Waiter {
    let answer: Promise<FileStatus?>
    let gate: ShutdownGate
    let look: @Sendable () async throws -> FileStatus
  }

  /// A wait for one file. It ends when its time has come, or when the last of its waiters has left.
  private struct Wait {
    let number: Int
    let end: ReadInstant
    var waiters: [ObjectIdentifier: Waiter] = [:]
    var timer: Task<Void, Never>?
  }

  private struct State {
    /// One for each file at most.
    var waits: [Place: Wait] = [:]
    var lastNumber = 0
  }

  private let time: TimeSource
  private let state = Locked(State())

  /// Waits by the clock `time`.
  package init(_ time: TimeSource) { self.time = time }

  /// Waits for `duration`, or until the wait for the same file ends that is under way, and then looks at the file.
  ///
  /// To be called within `gate`. Cancelled, or failed by `waiting`, the caller is answered at once.
  ///
  /// - Parameter look: tells what the file is. Called for one of those who wait together.
  /// - Returns: how long the wait was, and what the file is; `nil` if the look failed, as it does for a source that is
  ///   closed meanwhile: look yourself.
  func wait(
    _ duration: Duration, for version: FileVersion, in waiting: WaiterRegistry, _ gate: ShutdownGate,
    look: @escaping @Sendable () async throws -> FileStatus
  ) async throws -> (waited: Duration, seen: FileStatus?) {
    let place = Place(device: version.device, inode: version.inode)
    let waiter = Waiter(answer: Promise(), gate: gate, look: look)
    let now = time.now
    let (number, end, isFirst) = state.withLock { state -> (Int, ReadInstant, Bool) in
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
  private func begin(_ number: Int, at place: Place, until end: ReadInstant) {
    let timer = BackgroundWork().start { [self] in
      // `try?`: it is cancelled when all have left.
      try? await time.sleep(until: end)
      await self.end(number, at: place)
    }
    state.withLock { state in
      if state.waits[place]?.number == number { state.waits[place]?.timer = timer }
    }
  }

  /// The time has come: looks, and answers all waiters. One that comes from here on starts another wait, since it may know
  /// of a change after this look.
  private func end(_ number: Int, at place: Place) async {
    let waiters = state.withLock { state -> [Waiter] in
      guard state.waits[place]?.number == number, let wait = state.waits.removeValue(forKey: place) else { return [] }
      let waiters = Array(wait.waiters.values)
      // It is inside still, since it leaves here first.
      waiters.first?.gate.enterAgain()
      return waiters
    }
    guard let first = waiters.first else { return }
    // `try?`: the others look themselves then, and are told by that what is wrong.
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
