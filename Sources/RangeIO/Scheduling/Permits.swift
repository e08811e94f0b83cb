/// A limited number of permits. Demands go before prefetches, each in order of arrival, and no prefetch waits forever
/// (``AdmissionQueue``).
package final class Permits: Sendable {
  fileprivate enum Waiter {
    case task(Promise<Void>)
    case call(@Sendable () -> Void)
  }
  fileprivate typealias State = AdmissionQueue<Waiter>
  private let state: Locked<State>
  /// Permits have no rate, so the time is always now.
  private static let now = ReadClock.Instant(nanoseconds: 0)

  package init(_ count: Int) { state = Locked(State(concurrentReads: count, bucket: nil)) }

  /// The number of waiters for a permit.
  package var waiterCount: Int { state.withLock { $0.queueCount } }

  /// `true` while no permit is in use or waited for.
  package var isIdle: Bool { state.withLock { $0.underWay == 0 && $0.queueCount == 0 } }

  // MARK: in a task

  /// Waits for a permit; ``leave()`` returns it. Throws when cancelled, or when `list` fails.
  ///
  /// - Parameter urgency: the urgency of the prefetch that it is for; `nil` for a demand.
  package func enter(_ list: WaiterRegistry, urgency: ReadUrgency? = nil) async throws {
    try await enter(urgency: urgency) { answer in try await list.wait(for: answer) }
  }

  /// Waits for a permit; ``leave()`` returns it. Throws when cancelled.
  package func enter() async throws { try await enter(urgency: nil) { answer in try await answer.value() } }

  /// Waits for a permit as `wait` does, which throws to give up.
  package func enter(
    urgency: ReadUrgency?, _ wait: nonisolated(nonsending) (Promise<Void>) async throws -> Void
  ) async throws {
    guard case (let place, .task(let answer))? = arrive(urgency, { .task(Promise()) }) else { return }
    do {
      try await wait(answer)
    } catch {
      // Its turn may have come just now. Then the next waiter gets it.
      if !withdraw(place) { leave() }
      throw error
    }
    place.end()
  }

  // MARK: without a task

  /// A place in the queue. Pass it to ``withdraw(_:)``, or call ``end()`` when the turn has come.
  package struct QueuePlace: Sendable {
    fileprivate typealias Ticket = State.Ticket
    fileprivate let ticket: Ticket
    private let urgency: ReadUrgency?
    private let handle: ReadUrgency.Handle?

    fileprivate init(_ ticket: Ticket, _ urgency: ReadUrgency?, _ permits: Permits) {
      self.ticket = ticket
      self.urgency = urgency
      handle = urgency?.observe { permits.raise(ticket) }
    }

    /// The urgency has no effect on the queue any more.
    package func end() { if let handle { urgency?.remove(handle) } }
  }

  /// Calls `admitted` once there is a permit, which ``leave()`` returns: now, or on the thread that returns one.
  ///
  /// - Returns: the place in the queue; `nil` if `admitted` was called.
  package func enter(urgency: ReadUrgency?, admitted: @escaping @Sendable () -> Void) -> QueuePlace? {
    let waiting = arrive(urgency) { .call(admitted) }
    if waiting == nil { admitted() }
    return waiting?.place
  }

  /// Gives up a place. Returns whether it was one still: then its `admitted` is never called.
  package func withdraw(_ place: QueuePlace) -> Bool {
    place.end()
    let actions = state.withLock { state -> State.Actions? in
      state.isQueued(place.ticket) ? state.left(place.ticket, 0, now: Self.now) : nil
    }
    if let actions { admit(actions) }
    return actions != nil
  }

  /// Returns a permit: to the next waiter, else to the next caller.
  package func leave() { admit(state.withLock { $0.ended(now: Self.now) }) }

  // MARK: the queue

  /// Takes a permit, or a place in the queue.
  private func arrive(
    _ urgency: ReadUrgency?, _ waiter: @Sendable () -> Waiter
  ) -> (place: QueuePlace, waiter: Waiter)? {
    let purpose = urgency?.purpose ?? .demand
    let arrival = state.withLock { $0.arrived(0, purpose, now: Self.now, waiter: waiter) }
    guard case .waits(let ticket, let waiter, let actions) = arrival else { return nil }
    admit(actions)
    return (QueuePlace(ticket, urgency, self), waiter)
  }

  private func raise(_ ticket: State.Ticket) { admit(state.withLock { $0.raised(ticket, now: Self.now) }) }

  private func admit(_ actions: State.Actions) {
    for waiter in actions.admitted {
      switch waiter {
      case .task(let answer): answer.resolve(.success(()))
      case .call(let admitted): admitted()
      }
    }
  }
}
