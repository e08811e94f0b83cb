/// One read that waits for the flights that bring its gaps: resumed once, when the last has landed or the first failed.
final class GapWait: Sendable {
  private struct State {
    var missing = 0
    var parts: [FlightPlan.Part] = []
    var arrived: [(flight: FlightID, range: ByteRange, bytes: Bytes)] = []
    var failure: Failure?
    var isDone = false
  }
  /// A flight that failed.
  struct Failure: Error {
    let flight: FlightID
    let error: any Error
  }
  private let state = Locked(State())
  private let answer = PublishedOnce<OneAnswer<Void>>()

  /// Told under the flights' lock, before any of them can land.
  func expect(_ plan: FlightPlan) {
    state.withLock { state in
      state.parts = Array(plan.parts)
      state.missing = Set(state.parts.lazy.map(\.flight)).count
    }
  }

  func landed(_ flight: FlightID, _ range: ByteRange, _ result: Result<Bytes, any Error>) {
    let isDone = state.withLock { state -> Bool in
      guard !state.isDone else { return false }
      state.missing -= 1
      switch result {
      case .success(let bytes): state.arrived.append((flight, range, bytes))
      case .failure(let error): state.failure = Failure(flight: flight, error: error)
      }
      state.isDone = state.missing == 0 || state.failure != nil
      return state.isDone
    }
    if isDone { answer.value?.resolve(.success(())) }
  }

  /// Waits until all has landed, which is at once if it has already.
  ///
  /// - Parameter next: of the reader that waits: closing it ends the wait, whosever flights these are.
  /// - Returns: the pieces of the gaps, in order.
  /// - Throws: ``Failure``, `CancellationError`, `ReadError.Code.closed`.
  func pieces(_ next: ReadNext) async throws -> [ChunkPiece] {
    if !state.withLock({ $0.isDone }) {
      let answer = answer.publish(OneAnswer<Void>())
      if state.withLock({ $0.isDone }) { answer.resolve(.success(())) }
      try await next.wait(for: answer)
    }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      // Of one plan, flights are as disjoint as the parts they bring, and so in the same order.
      if state.arrived.count > 1 { state.arrived.sort { $0.range.lowerBound < $1.range.lowerBound } }
      var index = 0
      return state.parts.map { part in
        while state.arrived[index].flight != part.flight { index += 1 }
        let (_, range, bytes) = state.arrived[index]
        guard range != part.range else { return ChunkPiece(range, bytes) }
        let start = part.range.lowerBound - range.lowerBound
        return ChunkPiece(part.range, bytes.slice(start..<start + part.range.count))
      }
    }
  }
}
