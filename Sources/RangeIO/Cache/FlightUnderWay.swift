/// A flight that reads what lies below, as those see it that read within it: a source may read through another reader, and
/// that one through the same store. A read within a flight must not wait for what the flight itself holds up.
///
/// - Its *turn*, if it reads without a reservation, is given up before a read within it waits: all turns could be held by
///   flights whose reads within wait for one.
/// - What it is to *bring* is read past the store: it would wait for itself.
///
/// Known by a task-local value. A source that reads on in a task that does not inherit those, such as a detached one, is
/// not found out.
final class FlightUnderWay: Sendable {
  /// The one that the present task reads within; it may be over.
  @TaskLocal static var current: FlightUnderWay?

  private struct State {
    /// Whose turn it holds.
    var turn: (any ChunkStore)?
    /// What it reads, and where the pipeline ends that it reads through: until it is over. Work that was begun within it
    /// keeps it for as long as that runs, which may be as long as what it reads is there.
    var reads: (token: ChunkToken, bottom: SourceLink)?

    var isOver: Bool { reads == nil }
  }

  /// The one within which this one was begun.
  private let outer: FlightUnderWay?
  private let state: Locked<State>

  private init(_ token: ChunkToken, _ bottom: SourceLink, turn: (any ChunkStore)?, within outer: FlightUnderWay?) {
    self.outer = outer
    state = Locked(State(turn: turn, reads: (token, bottom)))
  }

  /// Reads for flights of `token`.
  ///
  /// - Parameter turns: whose turn is taken first and given back in the end; `nil` if none is needed.
  static func read(
    _ request: ReadRequest, of token: ChunkToken, turns: (any ChunkStore)?, _ next: ReadNext
  ) async throws -> ReadResponse {
    try await Caching.takeTurn(turns, next)
    let flight = FlightUnderWay(token, next.bottom, turn: turns, within: underWay)
    defer { flight.end() }
    let response = try await $current.withValue(flight) { try await next(request) }
    try response.check(request)
    return response
  }

  private func end() {
    // What it held goes outside of the lock.
    let (turn, reads) = state.withLock { state in
      defer { state = State(turn: nil, reads: nil) }
      return (state.turn, state.reads)
    }
    turn?.leaveUnreserved()
    withExtendedLifetime(reads) {}
  }

  /// The innermost one that the present task reads within.
  private static var underWay: FlightUnderWay? {
    var flight = current
    // Work that a read has begun and left behind inherits it.
    while let one = flight, one.state.withLock({ $0.isOver }) { flight = one.outer }
    return flight
  }

  /// Whether the present task reads within a flight of `token`.
  static func isReading(_ token: ChunkToken) -> Bool {
    var flight = underWay
    while let one = flight {
      if one.state.withLock({ $0.reads?.token === token }) { return true }
      flight = one.outer
    }
    return false
  }

  /// Whether the present task reads within a flight through the same pipeline.
  static func isReading(through next: ReadNext) -> Bool {
    guard let flight = underWay else { return false }
    return flight.state.withLock { $0.reads?.bottom === next.bottom }
  }

  /// Gives up the turns of all flights that the present task reads within: it is about to wait.
  static func giveUpTurns() {
    var flight = current
    while let one = flight {
      let turn = one.state.withLock { state in
        defer { state.turn = nil }
        return state.turn
      }
      turn?.leaveUnreserved()
      flight = one.outer
    }
  }
}
