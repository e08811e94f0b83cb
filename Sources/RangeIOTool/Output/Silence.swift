#if Tool
import RangeIO

/// Finds out when a server that is waited for sends nothing. A value: it does not wait.
struct Silence {
  /// The shortest pause to tell of.
  static let minDuration = Duration.seconds(5)

  private var received: Int
  /// When the last bytes came.
  private var since = Duration.zero
  private var isTold = false
  private var lastLook = Duration.zero

  /// - Parameter received: the bytes that have come before.
  init(received: Int) { self.received = received }

  /// Looks at what has come.
  ///
  /// - Parameters:
  ///   - isBlocked: whether the tool waits for its output, so that it takes no more bytes.
  ///   - now: the time since this was made.
  /// - Returns: how long the pause is, once in each.
  mutating func look(received: Int, isBlocked: Bool, at now: Duration) -> Duration? {
    // Nobody looked for a while: the process was stopped, or the machine slept.
    let isLate = now - lastLook > .seconds(3)
    lastLook = now
    if isBlocked || isLate || received != self.received { (self.received, since, isTold) = (received, now, false) }
    guard !isTold, now - since >= Self.minDuration else { return nil }
    isTold = true
    return now - since
  }
}

/// Runs `body`, which waits for the server of `name`. Meanwhile says on a terminal, once in each pause, that nothing comes.
///
/// - Parameter counts: what the source has counted so far.
nonisolated(nonsending) func tellingOfSilence<Result>(
  of name: SourceName, _ counts: @escaping @Sendable () -> [Counters],
  _ body: nonisolated(nonsending) () async throws -> Result
) async throws -> Result {
  guard name.isURL, StandardError.showsProgress else { return try await body() }
  // Ends with this function.
  async let _: Void = tellOfSilence(name.shown) { counts().reduce(0) { $0 + ($1["bytes received"] ?? 0) } }
  return try await body()
}

private func tellOfSilence(_ name: String, _ received: @escaping @Sendable () -> Int) async {
  let start = ContinuousClock.now
  var silence = Silence(received: received())
  // `try?`: it is cancelled when nothing is waited for any more.
  while (try? await Task.sleep(for: .seconds(1))) != nil {
    let now = ContinuousClock.now - start
    guard let pause = silence.look(received: received(), isBlocked: OutputWait.isGoingOn, at: now) else { continue }
    // In place of the line of progress, which the next bytes draw again; not of output on the same terminal.
    let start = StandardOutput.isTerminal ? "\n" : "\r\u{1B}[K"
    let text = "rangeio: \(name): no bytes from the server for \(Figures.span(pause))"
    StandardError.line(start + Complaint.oneLine(text))
  }
}
#endif
