/// One read that waits for the flights that bring its gaps: resumed once, when the last has landed or the first failed.
final class GapWait: Sendable {
  private struct Arrival {
    let flight: FlightID
    let range: ByteRange
    let bytes: Bytes
  }

  private struct State {
    var missing = 0
    var parts = Few<FlightPlan.Part>()
    var arrived = Few<Arrival>()
    var failure: Failure?
    var isDone = false
    var answer: OneAnswer<Void>?
  }
  /// A flight that failed.
  struct Failure: Error {
    let flight: FlightID
    let error: any Error
  }
  private let state = Locked(State())

  /// Whether nothing is to be waited for any more.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Told under the flights' lock, before any of them can land.
  func expect(_ plan: FlightPlan) {
    state.withLock { state in
      state.parts = plan.parts
      state.missing = plan.parts.count == 1 ? 1 : Set(plan.parts.lazy.map(\.flight)).count
    }
  }

  func landed(_ flight: FlightID, _ range: ByteRange, _ result: Result<Bytes, any Error>) {
    let answer = state.withLock { state -> OneAnswer<Void>? in
      guard !state.isDone else { return nil }
      state.missing -= 1
      switch result {
      case .success(let bytes): state.arrived.append(Arrival(flight: flight, range: range, bytes: bytes))
      case .failure(let error): state.failure = Failure(flight: flight, error: error)
      }
      state.isDone = state.missing == 0 || state.failure != nil
      return state.isDone ? state.answer : nil
    }
    answer?.resolve(.success(()))
  }

  /// Waits until all has landed or one flight failed, which is at once if it has already.
  ///
  /// - Throws: `CancellationError`.
  func finish() async throws {
    let answer = state.withLock { state -> OneAnswer<Void>? in
      guard !state.isDone else { return nil }
      let answer = OneAnswer<Void>()
      state.answer = answer
      return answer
    }
    try await answer?.value()
  }

  /// The pieces of the gaps, in order, once all has landed.
  ///
  /// - Throws: ``Failure``.
  func pieces() throws(Failure) -> [ChunkPiece] {
    let outcome = state.withLock { state -> Result<[ChunkPiece], Failure> in
      if let failure = state.failure { return .failure(failure) }
      return .success(
        state.parts.map { part in
          let arrival = state.arrived.first { $0.flight == part.flight }!
          guard arrival.range != part.range else { return ChunkPiece(part.range, arrival.bytes) }
          let start = part.range.lowerBound - arrival.range.lowerBound
          return ChunkPiece(part.range, arrival.bytes.slice(start..<start + part.range.count))
        })
    }
    return try outcome.get()
  }
}
