/// One read that waits for the flights that bring its gaps. It resumes once: when the last has completed or the first
/// has failed.
final class FetchWait: Sendable {
  private struct Arrival {
    let flight: FlightID
    let piece: RangedBytes
  }

  private struct State {
    var missing = 0
    var parts = SmallArray<FlightPlan.Part>()
    var arrived = SmallArray<Arrival>()
    var failure: Failure?
    var isDone = false
    var answer: Promise<Void>?
  }
  struct Failure: Error {
    let flight: FlightID
    let error: any Error
  }
  private let state = Locked(State())

  /// `true` once there is nothing left to wait for: all flights have completed, or one has failed.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// `true` once every awaited flight has completed. After a failure the other flights are not counted any more: they
  /// may still be in progress.
  var hasAllCompleted: Bool { state.withLock { $0.missing == 0 } }

  var partCount: Int { state.withLock { $0.parts.count } }

  /// Sets the parts to wait for. Called under the flights' lock, before any of them can complete.
  func expect(_ plan: FlightPlan?, _ below: FlightPlan?) {
    state.withLock { state in
      switch (plan, below) {
      case (let plan?, nil), (nil, let plan?): state.parts = plan.parts
      case (let plan?, let below?):
        // One list in order, as if one plan had made it.
        let all = (Array(plan.parts) + Array(below.parts)).sorted { $0.range.lowerBound < $1.range.lowerBound }
        state.parts = SmallArray()
        for part in all { state.parts.append(part) }
      case (nil, nil): break
      }
      state.missing = state.parts.count == 1 ? 1 : Set(state.parts.lazy.map(\.flight)).count
    }
  }

  func completed(_ flight: FlightID, _ range: ByteRange, _ result: Result<Bytes, any Error>) {
    let answer = state.withLock { state -> Promise<Void>? in
      guard !state.isDone else { return nil }
      state.missing -= 1
      switch result {
      case .success(let bytes): state.arrived.append(Arrival(flight: flight, piece: RangedBytes(range, bytes)))
      case .failure(let error): state.failure = Failure(flight: flight, error: error)
      }
      state.isDone = state.missing == 0 || state.failure != nil
      return state.isDone ? state.answer : nil
    }
    answer?.resolve(.success(()))
  }

  /// Waits until all flights have completed or one has failed. Returns at once if that has happened already.
  ///
  /// - Parameters:
  ///   - plan: the flights waited for.
  ///   - next: belongs to the waiting reader. Closing that reader ends the wait, even if other readers started the
  ///     flights.
  ///   - escalate: makes them more urgent, when the waiting task becomes so.
  /// - Throws: `CancellationError`, `ReadError.Code.closed`.
  func finish(
    _ plan: FlightPlan?, _ below: FlightPlan?, _ next: ReadNext,
    escalate: @Sendable (FlightPlan, TaskPriority) -> Void
  ) async throws {
    let answer = state.withLock { state -> Promise<Void>? in
      guard !state.isDone else { return nil }
      let answer = Promise<Void>()
      state.answer = answer
      return answer
    }
    guard let answer else { return }
    guard #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) else { return try await next.wait(for: answer) }
    try await withTaskPriorityEscalationHandler {
      try await next.wait(for: answer)
    } onPriorityEscalated: { _, priority in
      for plan in [plan, below] { if let plan { escalate(plan, priority) } }
    }
  }

  /// The bytes of the only gap, which one flight brought. Throws ``Failure``.
  func onlyPiece() throws(Failure) -> Bytes {
    let outcome = state.withLock { state -> Result<Bytes, Failure> in
      if let failure = state.failure { return .failure(failure) }
      return .success(state.arrived[0].piece.bytes(of: state.parts[0].range))
    }
    return try outcome.get()
  }

  /// The pieces of the gaps, in order, once all flights have completed. Throws ``Failure``.
  func pieces() throws(Failure) -> [RangedBytes] {
    let outcome = state.withLock { state -> Result<[RangedBytes], Failure> in
      if let failure = state.failure { return .failure(failure) }
      // By flight, not by place: those of a latecomer's two plans may overlap.
      let arrived = state.arrived.sorted { $0.flight.number < $1.flight.number }
      return .success(
        state.parts.map { part in
          let index = arrived.partitionPoint { $0.flight.number >= part.flight.number }
          return RangedBytes(part.range, arrived[index].piece.bytes(of: part.range))
        })
    }
    return try outcome.get()
  }
}
