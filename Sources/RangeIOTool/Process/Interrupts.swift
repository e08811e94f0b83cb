#if Tool
import Synchronization

/// Ends the program soon after Ctrl-C, no matter what it is doing.
///
/// The main thread only waits for signals, so that no code runs in a signal handler. When a signal arrives, it cancels
/// the work, gives it a moment to end by itself, and then ends the process: a `write` to a pipe that is not read cannot
/// be cancelled.
final class Interrupts: Sendable {
  /// There is only one set of signals per process.
  static let shared = Interrupts()

  /// The time from the signal to the forced end. Together with the wake-up it stays below the promised tenth of a
  /// second.
  private static let graceNanoseconds = 50_000_000

  private struct State {
    var signal: CInt?
    /// The action on the first signal, in place of ending the work.
    var onFirst: (@Sendable () -> Void)?
    /// The action on each SIGHUP, in place of that on the first signal.
    var onHangup: (@Sendable () -> Void)?
    /// An incomplete file, which must be removed however the program ends.
    var temporary: String?
    /// How to go on after the end.
    var advice: String?
  }
  private let state = Mutex(State())

  /// The exit code after a signal, in the convention of shells; `nil` without one.
  var exitCode: Int32? { state.withLock { $0.signal }.map { 128 + $0 } }

  /// Runs `work`, which ends the program, and watches for signals at the same time. Call this on the main thread while
  /// there is no other thread, because later threads inherit the signals that it blocks.
  ///
  /// An asynchronous `main` does not work: it gives the main thread to Dispatch, which unblocks all signals there.
  func run(_ work: @escaping @Sendable () async -> Never) -> Never {
    // A closed pipe, and the limit of `ulimit -f`, then become errors of `write`.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var watched = sigset_t()
    sigemptyset(&watched)
    // Signals that the parent process ignores stay ignored: `nohup`, and background jobs of a script.
    for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&watched, number) }
    pthread_sigmask(SIG_BLOCK, &watched, nil)
    let task = Task { await work() }
    var number: CInt = 0
    while sigwait(&watched, &number) == 0 { received(number, cancelling: task) }
    // There are no signals to watch for.
    while true { pause() }
  }

  /// Makes the first signal call `action`, which lets the work end by itself; a second one ends it as others do. For
  /// work that others depend on.
  func onFirst(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onFirst = action } }

  /// Makes SIGHUP call `action`, each time, and end nothing: for what is opened anew.
  func onHangup(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onHangup = action } }

  /// Sets the file to remove if the process is ended by force.
  func guardTemporary(_ path: String) { state.withLock { $0.temporary = path } }

  /// Sets the line that is written when a signal ends the work: how to go on.
  func advise(_ line: String) { state.withLock { $0.advice = line } }

  /// Runs `commit`, which completes the file or removes it, and prevents an interruption in the middle.
  func releaseTemporary<Failure: Error>(_ commit: () throws(Failure) -> Void) throws(Failure) {
    let result: Result<Void, Failure> = state.withLock { state in
      state.temporary = nil
      do throws(Failure) { return .success(try commit()) } catch { return .failure(error) }
    }
    try result.get()
  }

  private func received(_ number: CInt, cancelling task: Task<Never, Never>) {
    if number == SIGHUP, let onHangup = state.withLock({ $0.onHangup }) { return onHangup() }
    let onFirst = state.withLock { state in
      defer { state.onFirst = nil }
      return state.onFirst
    }
    if let onFirst { return onFirst() }
    let advice = state.withLock { state in
      state.signal = number
      return state.advice
    }
    if let advice { StandardError.noteAtOnce(advice) }
    task.cancel()
    var grace = timespec(tv_sec: 0, tv_nsec: Self.graceNanoseconds)
    nanosleep(&grace, nil)
    // If the lock is taken, a commit hangs in a file system. Its file is complete or absent, so this does not wait.
    _ = state.withLockIfAvailable { state in
      if let path = state.temporary { unlink(path) }
      _exit(128 + number)
    }
    _exit(128 + number)
  }

  private static func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return Platform.handler(of: action) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
#endif
