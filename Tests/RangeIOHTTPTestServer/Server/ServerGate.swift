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
      var waiting: [(count: Int, number: Int, continuation: CheckedContinuation<Void, Never>)] = []
      var numbers = 0
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

    /// Waits until it is `count` or more, or the task is cancelled.
    public func reaches(_ count: Int) async {
      let number = state.withLock { state in
        state.numbers += 1
        return state.numbers
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReached = state.withLock { state in
            let isReached = state.count >= count || Task.isCancelled
            if !isReached { state.waiting.append((count, number, continuation)) }
            return isReached
          }
          if isReached { continuation.resume() }
        }
      } onCancel: {
        let left = state.withLock { state in
          state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
        }
        left?.resume()
      }
    }
  }

#endif
