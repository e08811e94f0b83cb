#if HTTP
  import AsyncHTTPClient
  import NIOCore
  import Synchronization
  import Testing

  @testable import RangeIO
  @testable import RangeIORemote

  /// Requests whose turn has come, to a port of this machine where no server listens.
  @Suite(.timeLimit(.minutes(2))) struct SendingTests {
    private struct Turn {
      let core: ObjectCore
      let shared: SharedClient
      let permits: Permits
      let request: HTTPClient.Request

      init(keepAlive: Int) throws {
        var settings = RemoteConfiguration()
        // The key of no other test.
        settings.keepAliveTimeout = .seconds(keepAlive)
        settings.maxConnectionsPerHost = 1
        let url = try ObjectURL("http://127.0.0.1:1/")
        core = try ObjectCore(url, settings)
        shared = try core.clients.client(for: url)
        permits = shared.permits(for: url.origin)
        request = try HTTPClient.Request(url: url.text)
      }

      func exchange() -> Exchange {
        let limits = Exchange.Limits(
          connect: .max, head: .max, idle: .max, deadline: .max, drain: 0, isHTTP2: false, minBytesPerSecond: 0,
          rateWindow: .seconds(1))
        return Exchange(
          Exchange.Sent(isHead: false, expected: 1), into: nil, limits: limits,
          judge: { _ in .none })
      }

      /// Sends a request as its turn comes, after `before` was done with it.
      func send(_ before: (Exchange) -> Void = { _ in }) async throws -> Exchange {
        let exchange = exchange()
        before(exchange)
        #expect(core.gate.enter())
        core.watch.add(exchange)
        #expect(permits.enter(urgency: nil) { core.send(exchange, request, shared, permits) } == nil)
        return exchange
      }

      /// Waits until each event loop has done what it was given.
      func settle() async throws {
        for loop in shared.client.eventLoopGroup.makeIterator() {
          let done = Promise<Void>()
          loop.execute { done.resolve(.success(())) }
          try await done.value()
        }
      }

      var requests: Int { core.counts.sum(ObjectCore.Count.requests.rawValue) }
    }

    @Test func `a request that has ended returns its permit and its event loop`() async throws {
      let turn = try Turn(keepAlive: 1021)
      let exchange = try await turn.send()
      guard case .noHead = try await exchange.answer.value().outcome else {
        Issue.record("a server answers at port 1")
        return
      }
      try await turn.settle()
      #expect(turn.permits.isIdle && turn.shared.loops?.isIdle == true && turn.requests == 1)
      await turn.core.close()
    }

    @Test func `a demand is sent before a prefetch that came first`() async throws {
      let turn = try Turn(keepAlive: 1023)
      #expect(turn.permits.enter(urgency: nil) {} == nil)
      let wire = WireRequest(method: "GET", url: turn.core.origin, fields: HeaderFields(), expected: 1)
      let (prefetch, demand) = (turn.exchange(), turn.exchange())
      let place = try ReadUrgency.$served.withValue(ReadUrgency()) {
        try turn.core.enqueue(prefetch, wire, turn.shared, turn.permits)
      }
      #expect(try place != nil && turn.core.enqueue(demand, wire, turn.shared, turn.permits) != nil)
      turn.permits.leave()
      #expect(demand.phase.load(ordering: .relaxed) != .queued)
      _ = try await (demand.answer.value(), prefetch.answer.value())
      try await turn.settle()
      #expect(turn.permits.isIdle && turn.requests == 2)
      await turn.core.close()
    }

    @Test func `the time of connecting counts from when a request is sent, not from when it was queued`() async throws {
      let turn = try Turn(keepAlive: 1024)
      let before = Watch.now
      let exchange = try await turn.send { $0.since.store(0, ordering: .relaxed) }
      #expect(exchange.since.load(ordering: .relaxed) >= before)
      _ = try await exchange.answer.value()
      try await turn.settle()
      await turn.core.close()
    }

    @Test func `a request whose reader has gone is not sent when its turn comes`() async throws {
      let turn = try Turn(keepAlive: 1022)
      _ = try await turn.send { $0.answer.fail(CancellationError()) }
      try await turn.settle()
      #expect(turn.permits.isIdle && turn.shared.loops?.isIdle == true && turn.requests == 0)
      await turn.core.close()
    }
  }
#endif
