#if HTTP
  internal import AsyncHTTPClient
  internal import NIOCore
  internal import RangeIO

  /// Something under way that may take too long.
  protocol Watched: AnyObject, Sendable {
    /// Ends it if it takes too long.
    ///
    /// - Parameter now: nanoseconds on the clock of `NIODeadline`.
    func check(at now: Int64)
    /// Ends it now.
    func stop()
  }

  /// Looks a few times a second at all that is under way of one object, and ends what takes too long. One timer for all,
  /// instead of one for each request that is moved with each part of a body.
  ///
  /// The timer ends by itself while nothing is under way.
  final class Watch: Sendable {
    private struct State {
      var watched: [ObjectIdentifier: any Watched] = [:]
      var isTicking = false
    }
    private let state = Locked(State())
    private let interval: TimeAmount
    private let eventLoop: any EventLoop

    init(every interval: Duration) {
      self.interval = TimeAmount(interval)
      eventLoop = HTTPClient.defaultEventLoopGroup.any()
    }

    /// The present time, in nanoseconds.
    static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    /// The time after `duration`; the end of all times if that is too long to count.
    static func time(after duration: Duration) -> Int64 {
      let (time, overflow) = now.addingReportingOverflow(duration.nanoseconds)
      return overflow ? .max : time
    }

    /// The number of what is under way.
    var count: Int { state.withLock { $0.watched.count } }

    func add(_ one: some Watched) {
      let key = ObjectIdentifier(one)
      let mustTick = state.withLock { state in
        state.watched[key] = one
        defer { state.isTicking = true }
        return !state.isTicking
      }
      if mustTick { tickLater() }
    }

    func remove(_ one: some Watched) {
      let key = ObjectIdentifier(one)
      state.withLock { _ = $0.watched.removeValue(forKey: key) }
    }

    /// Ends all that is under way.
    func stopAll() {
      for one in state.withLock({ $0.watched.values.map { $0 } }) { one.stop() }
    }

    private func tickLater() {
      eventLoop.scheduleTask(in: interval) { [self] in tick() }
    }

    private func tick() {
      let all = state.withLock { state in
        if state.watched.isEmpty { state.isTicking = false }
        return state.watched.values.map { $0 }
      }
      guard !all.isEmpty else { return }
      let now = Self.now
      for one in all { one.check(at: now) }
      tickLater()
    }
  }
#endif
