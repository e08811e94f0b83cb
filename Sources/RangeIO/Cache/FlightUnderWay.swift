/// A flight as seen by the reads inside it. A source may read through another reader, and that reader through the same
/// store. A read inside a flight must not wait for something that the flight itself blocks.
///
/// - If the flight reads without a reservation, its *turn* is given up before a read inside it waits. Otherwise flights
///   could hold all turns while the reads inside them wait for one.
/// - Bytes that the flight itself *fetches* are read past the store, because otherwise the flight would wait for
///   itself.
///
/// Known by a task-local value. If a source continues reading in a task that does not inherit task-local values, such
/// as a detached task, this is not detected.
final class FlightUnderWay: Sendable {
  /// The flight that the current task reads inside. It may be over.
  @TaskLocal static var current: FlightUnderWay?

  private struct State {
    /// The store whose turn it holds.
    var turn: Permits?
    /// The token that the flight reads, and the end of its pipeline; set until the flight is over. Work started inside the flight
    /// keeps this object for as long as that work runs, which may be as long as the bytes exist.
    var reads: (token: ChunkToken, bottom: SourceLink)?

    var isOver: Bool { reads == nil }
  }

  /// The flight inside which this one was started.
  private let outer: FlightUnderWay?
  private let state: Locked<State>

  private init(_ token: ChunkToken, _ bottom: SourceLink, turn: Permits?, within outer: FlightUnderWay?) {
    self.outer = outer
    state = Locked(State(turn: turn, reads: (token, bottom)))
  }

  /// Reads for flights of `token`.
  ///
  /// - Parameter turns: the store whose turn is taken first and given back at the end; `nil` if none is needed.
  static func read(
    _ request: ReadRequest, of token: ChunkToken, turns: Permits?, _ next: ReadNext
  ) async throws -> ReadResponse {
    try await CachingStage.takeTurn(turns, next)
    let flight = FlightUnderWay(token, next.bottom, turn: turns, within: underWay)
    defer { flight.end() }
    let response = try await $current.withValue(flight) { try await next(request) }
    try response.check(request)
    return response
  }

  private func end() {
    // Release what it held outside of the lock.
    let (turn, reads) = state.withLock { state in
      defer { state = State(turn: nil, reads: nil) }
      return (state.turn, state.reads)
    }
    turn?.leave()
    withExtendedLifetime(reads) {}
  }

  /// The innermost flight that the current task reads inside.
  private static var underWay: FlightUnderWay? {
    var flight = current
    // Work that a read has started and left behind inherits it.
    while let one = flight, one.state.withLock({ $0.isOver }) { flight = one.outer }
    return flight
  }

  /// True if the current task reads inside a flight of `token`.
  static func isReading(_ token: ChunkToken) -> Bool {
    var flight = underWay
    while let one = flight {
      if one.state.withLock({ $0.reads?.token === token }) { return true }
      flight = one.outer
    }
    return false
  }

  /// True if the current task reads inside a flight through the same pipeline.
  static func isReading(through next: ReadNext) -> Bool {
    guard let flight = underWay else { return false }
    return flight.state.withLock { $0.reads?.bottom === next.bottom }
  }

  /// Gives up the turns of all flights that the current task reads inside, because it is about to wait.
  static func giveUpTurns() {
    var flight = current
    while let one = flight {
      let turn = one.state.withLock { state in
        defer { state.turn = nil }
        return state.turn
      }
      turn?.leave()
      flight = one.outer
    }
  }
}
