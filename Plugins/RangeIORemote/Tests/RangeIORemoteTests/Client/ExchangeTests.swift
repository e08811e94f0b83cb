#if HTTP
  import AsyncHTTPClient
  import NIOCore
  import RangeIO
  import Synchronization
  import Testing

  @testable import RangeIORemote

  @Suite(.timeLimit(.minutes(2))) struct ExchangeTests {
    private let limits = Exchange.Limits(
      connect: .max, head: .max, idle: .max, deadline: .max, drain: 0, isHTTP2: false, minBytesPerSecond: 0,
      rateWindow: .seconds(1))

    /// A request to a port of this machine where no server listens.
    private func exchange() -> Exchange {
      Exchange(
        Exchange.Sent(isHead: false, expected: 1), into: nil, limits: limits,
        judge: { _ in .none })
    }

    private func withClient(keepAlive: Int, _ body: (SharedClient) async throws -> Void) async throws {
      var settings = RemoteConfiguration()
      // The key of no other test.
      settings.keepAliveTimeout = .seconds(keepAlive)
      let client = try SharedClient.lease(ClientKey(settings, proxy: nil))
      try await body(client)
      await client.end()
    }

    @Test func `20,000 requests that were stopped before their turn, each sent at the end of another, fill no stack`()
      async throws
    {
      try await withClient(keepAlive: 1011) { client in
        let request = try HTTPClient.Request(url: "http://127.0.0.1:1/")
        let loop = client.client.eventLoopGroup.any()
        let done = Promise<Void>()
        @Sendable func send(_ left: Int) {
          guard left > 0 else {
            done.resolve(.success(()))
            return
          }
          let exchange = exchange()
          exchange.stop()
          exchange.start(request, with: client.client, on: .delegate(on: loop)) { send(left - 1) }
        }
        loop.execute { send(20_000) }
        try await done.value()
      }
    }

    @Test func `a request that closing stops before its reader waits for it fails as closed`() async throws {
      try await withClient(keepAlive: 1012) { client in
        let request = try HTTPClient.Request(url: "http://127.0.0.1:1/")
        // Often, since some of the connections are refused before the client is told to stop.
        for _ in 0..<500 {
          let exchange = exchange()
          exchange.stop()
          exchange.start(request, with: client.client, on: .indifferent) {}
          guard case .noHead(let fault) = try await exchange.answer.value().outcome else {
            Issue.record("it has no head")
            return
          }
          try #require(fault.failure.reason == .closed && !fault.failure.isTransient)
        }
      }
    }

    @Test func `while a request waits for its turn only the time of the whole read counts`() async throws {
      let late = Exchange(
        Exchange.Sent(isHead: false, expected: 1), into: nil,
        limits: Exchange.Limits(
          connect: 0, head: 0, idle: 0, deadline: 100, drain: 0, isHTTP2: false, minBytesPerSecond: 1,
          rateWindow: .seconds(1)),
        judge: { _ in .none })
      late.check(at: 100)
      #expect(!late.answer.isAnswered)
      late.check(at: 101)
      let failure = await #expect(throws: Failure.self) { _ = try await late.answer.value() }
      #expect(failure?.text.contains("permit more connections") == true)
    }

    @Test func `a server that refuses connections and was never heard of may be the wrong one`() async throws {
      var settings = RemoteConfiguration()
      settings.proxy = .none
      let object = try RemoteObject("http://127.0.0.1:1/", configuration: settings)
      let unreached = await #expect(throws: ReadError.self) { try await object.describe() }
      #expect(unreached?.isUnreached == true && unreached?.isTransient == true)
      object.core.learnt.withLock { $0.measure.record(latency: .milliseconds(1)) }
      let away = await #expect(throws: ReadError.self) { try await object.describe() }
      #expect(away?.isUnreached == false && away?.isTransient == true)
      await object.close()
    }

    @Test func `a service that gives credentials and was never reached may be the wrong one, until the object is read`()
      async throws
    {
      var direct = RemoteConfiguration()
      direct.proxy = .none
      var settings = direct
      let service = try ObjectURL("http://127.0.0.1:1/token")
      settings.credentials = HTTPCredentials { [direct] _ in
        let answer = try await SmallExchange.send(
          method: "GET", url: service, fields: HeaderFields(), timeout: .seconds(5), limit: 64, configuration: direct)
        return .bearer("\(answer.status)")
      }
      let object = try RemoteObject("http://127.0.0.1:1/", configuration: settings)
      let unreached = await #expect(throws: ReadError.self) { try await object.describe() }
      #expect(unreached?.isUnreached == true && unreached?.message.contains("gives no answer") == true)
      object.core.learnt.withLock { $0.measure.record(latency: .milliseconds(1)) }
      let away = await #expect(throws: ReadError.self) { try await object.describe() }
      #expect(away?.isUnreached == false && away?.isTransient == true)
      await object.close()
    }

    @Test func `by default only silence ends a body, not its time or its rate`() async throws {
      let settings = RemoteConfiguration()
      let core = try RemoteObject("http://127.0.0.1:1/", configuration: settings).core
      #expect(core.deadline == .max && settings.minBytesPerSecond.bytes == 0)
      let slow = Exchange(
        Exchange.Sent(isHead: false, expected: 1), into: nil,
        limits: Exchange.Limits(
          connect: settings.connectTimeout.nanoseconds, head: settings.firstByteTimeout.nanoseconds,
          idle: settings.idleTimeout.nanoseconds, deadline: core.deadline, drain: 0, isHTTP2: false,
          minBytesPerSecond: settings.minBytesPerSecond.bytes, rateWindow: settings.rateWindow),
        judge: { _ in .none })
      slow.phase.store(.body, ordering: .relaxed)
      // A byte each fifteen seconds, for eleven days.
      var now = Watch.now
      for _ in 0..<65_536 {
        slow.since.store(now, ordering: .relaxed)
        slow.received.wrappingAdd(1, ordering: .relaxed)
        now += 15_000_000_000
        slow.check(at: now)
      }
      #expect(slow.stopped == nil)
      slow.check(at: now + 20_000_000_000)
      #expect(slow.stopped == .stalled)
    }

    @Test func `the client makes no spans: they would show signatures`() throws {
      let configuration = try ClientKey(RemoteConfiguration(), proxy: nil).configuration()
      #expect(configuration.tracing.tracer == nil)
    }
  }
#endif
