/// A bounded number of permits: demands go before prefetches, each in the order they came, and no prefetch waits for
/// ever (``AdmissionQueue``).
package final class Permits: Sendable {
  private typealias State = AdmissionQueue<Promise<Void>>
  private let state: Locked<State>
  /// Permits know no rate, so all is now.
  private static let now = ReadInstant(nanoseconds: 0)

  package init(_ count: Int) { state = Locked(State(concurrentReads: count, bucket: nil)) }

  /// Those who wait for a permit.
  package var waiterCount: Int { state.withLock { $0.queueCount } }

  /// Waits for a permit, which ``leave()`` gives back. Throws when cancelled, or when `list` is failed.
  ///
  /// - Parameter urgency: of the prefetch that it is for; `nil` for a demand.
  package func enter(_ list: WaiterRegistry, urgency: ReadUrgency? = nil) async throws {
    let purpose = urgency?.purpose ?? .demand
    let arrival = state.withLock { $0.arrived(0, purpose, now: Self.now) { Promise() } }
    guard case .waits(let ticket, let answer, let actions) = arrival else { return }
    admit(actions)
    let handle = urgency?.onRaise { [self] in admit(state.withLock { $0.raised(ticket, now: Self.now) }) }
    defer { if let handle { urgency?.remove(handle) } }
    do {
      try await list.wait(for: answer)
    } catch {
      // Its turn may have come just now. Then it is the next one's.
      admit(state.withLock { $0.left(ticket, 0, now: Self.now) })
      throw error
    }
  }

  /// Gives a permit back: to the next that waits, else to the next that comes.
  package func leave() { admit(state.withLock { $0.ended(now: Self.now) }) }

  private func admit(_ actions: State.Actions) {
    for waiter in actions.admitted { waiter.resolve(.success(())) }
  }
}
