/// A limited number of permits. Demands go before prefetches, each in order of arrival, and no prefetch waits forever
/// (``AdmissionQueue``).
package final class Permits: Sendable {
  private typealias State = AdmissionQueue<Promise<Void>>
  private let state: Locked<State>
  /// Permits have no rate, so the time is always now.
  private static let now = ReadInstant(nanoseconds: 0)

  package init(_ count: Int) { state = Locked(State(concurrentReads: count, bucket: nil)) }

  /// The number of waiters for a permit.
  package var waiterCount: Int { state.withLock { $0.queueCount } }

  /// Whether no permit is in use, and none is waited for.
  package var isIdle: Bool { state.withLock { $0.underWay == 0 && $0.queueCount == 0 } }

  /// Waits for a permit; ``leave()`` returns it. Throws when cancelled, or when `list` fails.
  ///
  /// - Parameter urgency: the urgency of the prefetch that it is for; `nil` for a demand.
  package func enter(_ list: WaiterRegistry, urgency: ReadUrgency? = nil) async throws {
    try await enter(urgency: urgency) { answer in try await list.wait(for: answer) }
  }

  /// Waits for a permit as `wait` does, which throws to give up.
  package func enter(
    urgency: ReadUrgency?, _ wait: nonisolated(nonsending) (Promise<Void>) async throws -> Void
  ) async throws {
    let purpose = urgency?.purpose ?? .demand
    let arrival = state.withLock { $0.arrived(0, purpose, now: Self.now) { Promise() } }
    guard case .waits(let ticket, let answer, let actions) = arrival else { return }
    admit(actions)
    let handle = urgency?.observe { [self] in admit(state.withLock { $0.raised(ticket, now: Self.now) }) }
    defer { if let handle { urgency?.remove(handle) } }
    do {
      try await wait(answer)
    } catch {
      // Its turn may have come just now. Then the next waiter gets it.
      admit(state.withLock { $0.left(ticket, 0, now: Self.now) })
      throw error
    }
  }

  /// Returns a permit: to the next waiter, else to the next caller.
  package func leave() { admit(state.withLock { $0.ended(now: Self.now) }) }

  private func admit(_ actions: State.Actions) {
    for waiter in actions.admitted { waiter.resolve(.success(())) }
  }
}
