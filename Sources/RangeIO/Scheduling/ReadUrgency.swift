import Synchronization

/// The urgency of a request: that of a prefetch until a read waits for it. All code that handles the request shares it, so that
/// queues can move the request up.
///
/// A source finds the urgency of the read it serves in ``current``.
public final class ReadUrgency: Sendable {
  private struct State {
    var handlers: [(number: Int, handler: @Sendable () -> Void)] = []
    var lastNumber = 0
  }
  private let isRaised = Atomic<Bool>(false)
  private let state = Locked(State())

  /// `true` for a prefetch of a cache's flight, which stores it.
  let isOfFlight: Bool

  /// Creates the urgency of a prefetch that no read waits for yet.
  init(isOfFlight: Bool = false) { self.isOfFlight = isOfFlight }

  /// Within a source's `read`: the urgency of the prefetch that it serves, also when that read goes on to another
  /// reader's source. `nil` for a demand.
  public static var current: ReadUrgency? { served }
  @TaskLocal static var served: ReadUrgency?

  /// `true` while no read waits for the bytes, as far as is known. Once `false`, it stays so.
  public var isPrefetch: Bool { purpose == .prefetch }

  /// The purpose, as far as is known now.
  var purpose: Purpose { isRaised.load(ordering: .acquiring) ? .demand : .prefetch }

  /// A read waits for it now. This is final.
  func raise() {
    let handlers = state.withLock { state in
      isRaised.store(true, ordering: .releasing)
      defer { state.handlers = [] }
      return state.handlers
    }
    for (_, handler) in handlers { handler() }
  }

  /// Calls `handler` once, when a read starts to wait; at once if that has happened.
  ///
  /// The handler may come after the read that it is for has ended. It is released with the urgency, a moment later.
  public func onRaise(_ handler: @escaping @Sendable () -> Void) { observe(handler) }

  /// Like ``onRaise(_:)``. Returns a handle for removing the handler.
  @discardableResult func observe(_ handler: @escaping @Sendable () -> Void) -> Handle {
    let number = state.withLock { state -> Int? in
      guard !isRaised.load(ordering: .relaxed) else { return nil }
      state.lastNumber += 1
      state.handlers.append((state.lastNumber, handler))
      return state.lastNumber
    }
    if number == nil { handler() }
    return Handle(number: number ?? 0)
  }

  /// Removes a handler. It may still be running.
  package func remove(_ handle: Handle) {
    state.withLock { state in state.handlers.removeAll { $0.number == handle.number } }
  }

  /// A registered handler.
  package struct Handle: Sendable {
    fileprivate let number: Int
  }
}

extension ReadUrgency {
  /// Why bytes are read.
  enum Purpose: Hashable, Sendable {
    /// A read waits for them.
    case demand
    /// They may be needed soon. Demand has priority everywhere.
    case prefetch
  }
}
