#if HTTP
  import RangeIOSupport

  /// Where a scripted answer waits until the test lets it go on.
  public final class ServerGate: Sendable {
    private struct State {
      var isOpen = false
      var waiting: [@Sendable () -> Void] = []
    }
    private let state = Guarded(State())
    private let arrived = AwaitedNumber()

    /// Creates a closed gate.
    public init() {}

    /// Lets all pass, from now on.
    public func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for pass in waiting { pass() }
    }

    /// Waits until `count` answers have come to the gate.
    public func arrival(_ count: Int = 1) async { await arrived.reaches(count) }

    /// How many answers have come to the gate.
    public var arrivals: Int { arrived.now }

    /// Calls `pass` once the gate is open, perhaps at once.
    func enter(_ pass: @escaping @Sendable () -> Void) {
      arrived.add()
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(pass) }
        return state.isOpen
      }
      if isOpen { pass() }
    }
  }

  /// A number that grows, and that tests wait for.
  public final class AwaitedNumber: Sendable {
    private struct State {
      var count = 0
      var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state = Guarded(State())

    init() {}

    /// The number now.
    public var now: Int { state.withLock { $0.count } }

    func add(_ count: Int = 1) {
      let reached = state.withLock { state in
        state.count += count
        let reached = state.waiting.filter { $0.count <= state.count }.map(\.continuation)
        state.waiting.removeAll { $0.count <= state.count }
        return reached
      }
      for continuation in reached { continuation.resume() }
    }

    /// Waits until it is `count` or more.
    public func reaches(_ count: Int) async {
      await withCheckedContinuation { continuation in
        let isReached = state.withLock { state in
          if state.count < count { state.waiting.append((count, continuation)) }
          return state.count >= count
        }
        if isReached { continuation.resume() }
      }
    }
  }

#endif
