#if HTTP
  import RangeIOSupport

  /// What a server has seen and sent.
  public final class ServerLog: Sendable {
    private struct State {
      var requests: [ServerRequest] = []
      var bodyBytes = 0
      var connections = 0
      var openConnections = 0
      var mostOpen = 0
    }
    /// The last so many requests are kept.
    private static let limit = 100_000
    private let state = Guarded(State())
    /// The number of requests, to wait for. ``clear()`` does not change it.
    public let arrivals = AwaitedNumber()
    /// The number of connections that have ended, to wait for.
    public let endedConnections = AwaitedNumber()

    /// The requests since the start or ``clear()``, the oldest first; at most the last 100,000.
    public var requests: [ServerRequest] { state.withLock { $0.requests } }

    /// How many requests that are.
    public var requestCount: Int { state.withLock { $0.requests.count } }

    /// Bytes of bodies that were written to sockets, without heads and chunk headers.
    public var bodyBytes: Int { state.withLock { $0.bodyBytes } }

    /// Connections that were accepted.
    public var connections: Int { state.withLock { $0.connections } }

    /// Connections that are open now.
    public var openConnections: Int { state.withLock { $0.openConnections } }

    /// The most connections that were open at one time.
    public var mostOpenConnections: Int { state.withLock { $0.mostOpen } }

    /// Forgets requests and bytes, and counts connections from those that are open.
    public func clear() {
      state.withLock { state in
        state.requests = []
        state.bodyBytes = 0
        state.connections = state.openConnections
        state.mostOpen = state.openConnections
      }
    }

    func note(_ request: ServerRequest) {
      state.withLock { state in
        if state.requests.count >= Self.limit { state.requests.removeFirst(Self.limit / 10) }
        state.requests.append(request)
      }
      arrivals.add()
    }

    func sent(_ bytes: Int) { state.withLock { $0.bodyBytes += bytes } }

    func opened() {
      state.withLock { state in
        state.connections += 1
        state.openConnections += 1
        state.mostOpen = max(state.mostOpen, state.openConnections)
      }
    }

    func closed() {
      state.withLock { $0.openConnections -= 1 }
      endedConnections.add()
    }
  }

#endif
