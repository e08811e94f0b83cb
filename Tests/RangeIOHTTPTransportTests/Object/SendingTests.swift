#if HTTP
  import AsyncHTTPClient
  import NIOCore
  import RangeIO
  import Testing

  @testable import RangeIOHTTPTransport

  /// Requests whose turn has come, to a port of this machine where no server listens.
  @Suite(.timeLimit(.minutes(2))) struct SendingTests {
    private struct Turn {
      let core: ObjectCore
      let shared: SharedClient
      let permits: Permits
      let request: HTTPClient.Request

      init(keepAlive: Int) throws {
        var settings = TransportSettings()
        // The key of no other test.
        settings.keepAlive = .seconds(keepAlive)
        settings.connectionsPerHost = 1
        let url = try ObjectURL("http://127.0.0.1:1/")
        core = ObjectCore(url, settings)
        shared = try core.clients.client(for: url)
        permits = shared.permits(for: url.origin)
        request = try HTTPClient.Request(url: url.text)
      }

      /// Sends a request as its turn comes, after `before` was done with it.
      func send(_ before: (Exchange) -> Void = { _ in }) async throws -> Exchange {
        let limits = Exchange.Limits(
          connect: .max, head: .max, idle: .max, deadline: .max, drain: 0, isHTTP2: false, leastBytesPerSecond: 0,
          rateWindow: .seconds(1))
        let exchange = Exchange(
          Exchange.Sent(target: "/", isExact: false, isHead: false, expected: 1), into: nil, limits: limits,
          judge: { _ in .none })
        before(exchange)
        #expect(core.gate.enter())
        core.watch.add(exchange)
        #expect(permits.enter(urgency: nil) { core.send(exchange, request, shared, permits) } == nil)
        return exchange
      }

      /// Waits until each event loop has done what it was given.
      func settle() async throws {
        for loop in shared.client.eventLoopGroup.makeIterator() { try await loop.submit {}.get() }
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

    @Test func `a request whose reader has gone is not sent when its turn comes`() async throws {
      let turn = try Turn(keepAlive: 1022)
      _ = try await turn.send { $0.answer.fail(CancellationError()) }
      try await turn.settle()
      #expect(turn.permits.isIdle && turn.shared.loops?.isIdle == true && turn.requests == 0)
      await turn.core.close()
    }
  }
#endif
