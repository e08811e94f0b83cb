#if Serve
  internal import RangeIO

  /// How many connections and answers each client has, by its address, within limits.
  final class ClientLedger: Sendable {
    enum Verdict: Equatable { case permitted, tooManyOfClient, tooMany }

    private struct Counts {
      var connections = 0
      var answers = 0
    }
    private struct State {
      var clients: [String: Counts] = [:]
      var connections = 0
      var answers = 0
    }
    private let state = Locked(State())
    private let connectionsPerClient: Int
    private let answersPerClient: Int
    private let mostAnswers: Int

    init(connectionsPerClient: Int, answersPerClient: Int, mostAnswers: Int) {
      self.connectionsPerClient = connectionsPerClient
      self.answersPerClient = answersPerClient
      self.mostAnswers = mostAnswers
    }

    /// Begins a connection; `false`: the client has too many.
    func connect(_ client: String) -> Bool {
      state.withLock { state in
        guard state.clients[client, default: Counts()].connections < connectionsPerClient else { return false }
        state.clients[client, default: Counts()].connections += 1
        state.connections += 1
        return true
      }
    }

    func disconnect(_ client: String) {
      state.withLock { state in
        state.connections -= 1
        state.clients[client]?.connections -= 1
        if state.clients[client]?.connections == 0 { state.clients[client] = nil }
      }
    }

    /// Begins an answer. The client has a connection.
    func begin(_ client: String) -> Verdict {
      state.withLock { state in
        guard state.answers < mostAnswers else { return .tooMany }
        guard state.clients[client]?.answers ?? 0 < answersPerClient else { return .tooManyOfClient }
        state.clients[client]?.answers += 1
        state.answers += 1
        return .permitted
      }
    }

    func end(_ client: String) {
      state.withLock { state in
        state.answers -= 1
        state.clients[client]?.answers -= 1
      }
    }

    /// Those under way.
    var counts: (clients: Int, connections: Int, answers: Int) {
      state.withLock { ($0.clients.count, $0.connections, $0.answers) }
    }
  }
#endif
