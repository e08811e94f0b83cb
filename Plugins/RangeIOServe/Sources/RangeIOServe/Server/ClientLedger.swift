#if Serve
  internal import RangeIO

  /// Counts the connections, streams of HTTP/2 and answers of each client, by its network, within limits.
  final class ClientLedger: Sendable {
    enum Verdict: Equatable { case permitted, tooManyOfClient, tooMany }

    private struct Counts {
      var connections = 0
      var answers = 0
      var streams = 0

      var isNone: Bool { connections == 0 && answers == 0 && streams == 0 }
    }
    private struct State {
      /// Those with a connection, or an answer that has not ended with it.
      var clients: [String: Counts] = [:]
      var connections = 0
      var answers = 0
      var release = MemoryRelease()

      mutating func change(_ client: String, _ change: (inout Counts) -> Void) {
        change(&clients[client, default: Counts()])
        if let counts = clients[client], counts.isNone { clients[client] = nil }
      }
    }
    private let state = Locked(State())
    private let maxConnectionsPerClient: Int
    private let maxStreamsPerClient: Int
    private let maxRequestsPerClient: Int
    private let maxRequests: Int

    init(maxConnectionsPerClient: Int, maxStreamsPerClient: Int = .max, maxRequestsPerClient: Int, maxRequests: Int) {
      self.maxConnectionsPerClient = maxConnectionsPerClient
      self.maxStreamsPerClient = maxStreamsPerClient
      self.maxRequestsPerClient = maxRequestsPerClient
      self.maxRequests = maxRequests
    }

    /// Begins a connection; `false`: the client has too many.
    func connect(_ client: String) -> Bool {
      state.withLock { state in
        guard state.clients[client, default: Counts()].connections < maxConnectionsPerClient else { return false }
        state.change(client) { $0.connections += 1 }
        state.connections += 1
        return true
      }
    }

    func disconnect(_ client: String) {
      state.withLock { state in
        state.connections -= 1
        state.change(client) { $0.connections -= 1 }
      }
    }

    /// Begins a stream of HTTP/2, which takes some 25 KiB until its client has taken all of it; `false`: the client has too many.
    func openStream(_ client: String) -> Bool {
      state.withLock { state in
        guard state.clients[client]?.streams ?? 0 < maxStreamsPerClient else { return false }
        state.change(client) { $0.streams += 1 }
        return true
      }
    }

    func closeStream(_ client: String) { state.withLock { $0.change(client) { $0.streams -= 1 } } }

    /// Begins an answer.
    func begin(_ client: String) -> Verdict {
      state.withLock { state in
        guard state.answers < maxRequests else { return .tooMany }
        guard state.clients[client]?.answers ?? 0 < maxRequestsPerClient else { return .tooManyOfClient }
        state.change(client) { $0.answers += 1 }
        state.answers += 1
        return .permitted
      }
    }

    /// `true` if the limits allow an answer that most likely ends at once.
    func permits(_ client: String) -> Bool {
      state.withLock { state in
        state.answers < maxRequests && state.clients[client]?.answers ?? 0 < maxRequestsPerClient
      }
    }

    /// An answer has begun that does not end at once.
    func beganAnyway(_ client: String) {
      state.withLock { state in
        state.change(client) { $0.answers += 1 }
        state.answers += 1
      }
    }

    /// - Returns: `true` if the memory of ended answers is to be given back: see ``MemoryRelease``.
    @discardableResult func end(_ client: String) -> Bool {
      state.withLock { state in
        state.change(client) { $0.answers -= 1 }
        state.answers -= 1
        return state.release.ended(answersLeft: state.answers)
      }
    }

    /// The pause after memory was given back is over.
    ///
    /// - Returns: whether to do so again.
    func releasePauseEnded() -> Bool { state.withLock { $0.release.pauseEnded(answersLeft: $0.answers) } }

    /// Those under way.
    var counts: (clients: Int, connections: Int, answers: Int) {
      state.withLock { ($0.clients.count, $0.connections, $0.answers) }
    }
  }
#endif
