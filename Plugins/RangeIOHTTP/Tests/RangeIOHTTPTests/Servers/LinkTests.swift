#if HTTP

  import RangeIOHTTPTestServer
  import Testing

  /// The link that makes a server look far away.
  struct LinkTests {
    @Test func `bytes come out after the delay and the time that the rate takes`() {
      var link = LinkSchedule(delay: 1_000, bytesPerSecond: 1e9)
      #expect(link.pass(500, at: 0) == 1_500)
      // Those behind wait for those before.
      #expect(link.pass(500, at: 100) == 2_000)
      // After a pause nothing is saved up.
      #expect(link.pass(500, at: 10_000) == 11_500)
    }

    @Test func `an unlimited link only delays`() {
      var link = LinkSchedule(delay: 7, bytesPerSecond: nil)
      #expect((0..<3).map { link.pass(1 << 30, at: $0) } == [7, 8, 9])
    }

    @Test func `parts of a busy time take no longer than the whole`() {
      var parts = LinkSchedule(delay: 0, bytesPerSecond: 3e6)
      var whole = parts
      let last = (0..<30_000).map { _ in parts.pass(1, at: 0) }.last
      #expect(last == whole.pass(30_000, at: 0))
      #expect(last == 10_000_000)
    }

    @Test func `a proxy passes all bytes on, no earlier than they are due`() async throws {
      try await LyingServer.with { server in
        let object = ServedObject(count: 1_000_000)
        server.objects.put(object, at: "/object")
        server.script = ServerScript { $0.honest.closing }
        let link = LinkProxy.Link(roundTrip: .milliseconds(20), bytesPerSecond: 10e6)
        try await LinkProxy.with(to: server.port, link) { proxy in
          let start = ContinuousClock.now
          let answer = try await RawClient.exchange(Wire.request(), port: proxy.port)
          // At least: how much later depends on what else the machine does.
          #expect(ContinuousClock.now - start >= .milliseconds(120))
          #expect(answer.parts.body == object.bytes && answer.end == .closed)
          #expect(proxy.bytesDown == answer.bytes.count && proxy.connections == 1)
          #expect(proxy.bytesUp == Wire.request().utf8.count)
        }
      }
    }

    @Test func `connections share a rate if they are told to`() async throws {
      try await LyingServer.with { server in
        server.objects.put(ServedObject(count: 300_000), at: "/object")
        server.script = ServerScript { $0.honest.closing }
        var link = LinkProxy.Link(roundTrip: .zero, bytesPerSecond: 10e6)
        link.isShared = true
        try await LinkProxy.with(to: server.port, link) { proxy in
          let start = ContinuousClock.now
          try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
              group.addTask { try await RawClient.exchange(Wire.request(), port: proxy.port).parts.body.count }
            }
            for try await count in group { #expect(count == 300_000) }
          }
          #expect(ContinuousClock.now - start >= .milliseconds(120))
        }
      }
    }
  }

#endif
