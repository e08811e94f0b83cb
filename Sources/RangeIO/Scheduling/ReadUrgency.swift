import Synchronization

/// Whether anybody waits for a prefetch by now. Shared by all who see the request, so that those with a queue can move
/// it up.
///
/// A source sees that of the read it is asked for as ``current``.
public final class ReadUrgency: Sendable {
  private struct State {
    var handlers: [(number: Int, handler: @Sendable () -> Void)] = []
    var lastNumber = 0
  }
  private let isRaised = Atomic<Bool>(false)
  private let state = Locked(State())

  /// Whether it is that of a cache's flight, which is kept there.
  let isOfFlight: Bool

  /// That of a prefetch that no read waits for yet.
  init(isOfFlight: Bool = false) { self.isOfFlight = isOfFlight }

  /// Within a source's `read`: the urgency of the prefetch that it is for, also where another reader's source is read by
  /// way of this one. `nil` for a demand.
  @TaskLocal public static var current: ReadUrgency?

  /// Why it is read, as far as is known now.
  public var purpose: ReadPurpose { isRaised.load(ordering: .acquiring) ? .demand : .prefetch }

  /// A read waits for it now: for good.
  func raise() {
    let handlers = state.withLock { state in
      isRaised.store(true, ordering: .releasing)
      defer { state.handlers = [] }
      return state.handlers
    }
    for (_, handler) in handlers { handler() }
  }

  /// Calls `handler` once, when a read comes to wait; at once if that has happened.
  ///
  /// - Returns: to take it back by.
  @discardableResult public func onRaise(_ handler: @escaping @Sendable () -> Void) -> Handle {
    let number = state.withLock { state -> Int? in
      guard !isRaised.load(ordering: .relaxed) else { return nil }
      state.lastNumber += 1
      state.handlers.append((state.lastNumber, handler))
      return state.lastNumber
    }
    if number == nil { handler() }
    return Handle(number: number ?? 0)
  }

  /// Takes a handler back. It may be running.
  public func remove(_ handle: Handle) {
    state.withLock { state in state.handlers.removeAll { $0.number == handle.number } }
  }

  /// A handler that waits to be called.
  public struct Handle: Sendable {
    fileprivate let number: Int
  }
}
