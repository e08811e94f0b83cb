#if HTTP

  import NIOCore
  import RangeIOSupport
  import Synchronization

  /// What the connections of a ``LyingServer`` share.
  final class ServerCore: Sendable {
    let configuration: LyingServer.Configuration
    let objects: ServedObjects
    let log = ServerLog()
    let memory = ServerMemory()
    let port = Atomic(0)
    private let scripted: Guarded<ServerScript>
    private let numbers = Guarded((connections: 0, requests: 0))
    private let open = Guarded<[Int: NIOLoopBound<WireEnd>]>([:])

    init(_ configuration: LyingServer.Configuration) {
      self.configuration = configuration
      objects = configuration.objects
      scripted = Guarded(configuration.script)
    }

    var script: ServerScript {
      get { scripted.withLock { $0 } }
      set { scripted.withLock { $0 = newValue } }
    }

    var origin: String { "\(configuration.isTLS ? "https" : "http")://127.0.0.1:\(port.load(ordering: .relaxed))" }

    /// Numbers a request, notes it and has the script answer it.
    func answer(_ request: inout ServerRequest) -> ScriptedAnswer {
      request.number = numbers.withLock { numbers in
        defer { numbers.requests += 1 }
        return numbers.requests
      }
      log.note(request)
      let date = HTTPTime.now + configuration.clockOffset
      return script.answer(
        AnswerContext(
          request: request, object: objects[request.path], previous: objects.previous(request.path), origin: origin,
          elsewhere: configuration.elsewhere, otherScheme: configuration.otherScheme, date: date, memory: memory))
    }

    /// Counts a connection.
    ///
    /// - Returns: its number.
    func opened(_ end: NIOLoopBound<WireEnd>) -> Int {
      log.opened()
      let number = numbers.withLock { numbers in
        defer { numbers.connections += 1 }
        return numbers.connections
      }
      open.withLock { $0[number] = end }
      return number
    }

    func closed(_ number: Int) {
      open.withLock { $0[number] = nil }
      log.closed()
    }

    /// Ends all connections.
    func endConnections(byReset isReset: Bool) {
      for end in open.withLock({ Array($0.values) }) {
        end.eventLoop.execute { end.value.close(isReset: isReset) }
      }
    }
  }

#endif
