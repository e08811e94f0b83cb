import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Ends the program soon after Ctrl-C, whatever it is doing.
///
/// The main thread does nothing but wait for signals, so nothing runs in a signal handler. At one it cancels the work,
/// gives it a moment to end by itself, and then ends the process: a `write` to a pipe that is not read cannot be
/// cancelled.
final class Interrupts: Sendable {
  /// A process has one set of signals.
  static let shared = Interrupts()

  /// From the signal to the end by force. Together with waking up this stays below the tenth of a second promised.
  private static let graceNanoseconds = 50_000_000

  private struct State {
    var signal: CInt?
    /// Half a file, to be removed however the program ends.
    var temporary: String?
  }
  private let state = Mutex(State())

  /// The exit code after a signal, as shells count; nil before one.
  var exitCode: Int32? { state.withLock { $0.signal }.map { 128 + $0 } }

  /// Runs `work`, with which the program ends, and watches for signals meanwhile. To be called on the main thread,
  /// while there is no other, since later ones inherit what it blocks.
  ///
  /// An asynchronous `main` will not do: it leaves the main thread to Dispatch, which unblocks all signals there.
  func run(_ work: @escaping @Sendable () async -> Never) -> Never {
    // A gone reader, and `ulimit -f`, are then errors of `write`.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var watched = sigset_t()
    sigemptyset(&watched)
    // What the caller had ignored stays so: `nohup`, and jobs in the background of a script.
    for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&watched, number) }
    pthread_sigmask(SIG_BLOCK, &watched, nil)
    let task = Task { await work() }
    var number: CInt = 0
    while sigwait(&watched, &number) == 0 { received(number, cancelling: task) }
    // There is nothing to watch for.
    while true { pause() }
  }

  /// Names the file to remove if the process is ended by force.
  func guardTemporary(_ path: String) { state.withLock { $0.temporary = path } }

  /// Runs `commit`, which makes the file complete or removes it, without being interrupted half-way.
  func releaseTemporary<Failure: Error>(_ commit: () throws(Failure) -> Void) throws(Failure) {
    let result: Result<Void, Failure> = state.withLock { state in
      state.temporary = nil
      do throws(Failure) { return .success(try commit()) } catch { return .failure(error) }
    }
    try result.get()
  }

  private func received(_ number: CInt, cancelling task: Task<Never, Never>) {
    state.withLock { $0.signal = number }
    task.cancel()
    var grace = timespec(tv_sec: 0, tv_nsec: Self.graceNanoseconds)
    nanosleep(&grace, nil)
    // If the lock is taken, a commit hangs in a file system; its file is complete or absent, and we do not wait.
    _ = state.withLockIfAvailable { state in
      if let path = state.temporary { unlink(path) }
      _exit(128 + number)
    }
    _exit(128 + number)
  }

  private static func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
