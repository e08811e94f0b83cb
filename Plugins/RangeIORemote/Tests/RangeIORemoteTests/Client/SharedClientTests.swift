#if HTTP
  import RangeIO
  import Testing

  @testable import RangeIORemote

  @Suite(.timeLimit(.minutes(2))) struct SharedClientTests {
    private func client(
      keepAlive: Int, _ change: (inout RemoteConfiguration) -> Void = { _ in }
    ) throws -> SharedClient {
      var settings = RemoteConfiguration()
      // The key of no other test.
      settings.keepAliveTimeout = .seconds(keepAlive)
      change(&settings)
      return try SharedClient.lease(ClientKey(settings, proxy: nil))
    }

    private func origin(_ host: String) throws -> ObjectURL.Origin { try ObjectURL("http://\(host)/").origin }

    @Test(arguments: [RemoteConfiguration.HTTPVersion.http1, .http2])
    func `no more requests go to the client than it may have connections`(_ version: RemoteConfiguration.HTTPVersion)
      async throws
    {
      let client = try client(keepAlive: version == .http1 ? 1001 : 1002) {
        $0.httpVersion = version
        $0.maxConnectionsPerHost = 3
      }
      let permits = client.permits(for: try origin("a.test"))
      let list = WaiterRegistry()
      for _ in 0..<3 { try await permits.enter(list) }
      struct MustWait: Error {}
      await #expect(throws: MustWait.self) {
        try await permits.enter(urgency: nil) { _ in throw MustWait() }
      }
      for _ in 0..<3 { permits.leave() }
      #expect(permits.isIdle)
      await client.end()
    }

    @Test func `redirects to ever new hosts do not fill the memory, and a host in use keeps its permits`() async throws
    {
      let client = try client(keepAlive: 1003)
      let used = client.permits(for: try origin("used.test"))
      try await used.enter(WaiterRegistry())
      for index in 0..<1000 { _ = client.permits(for: try origin("host\(index).test")) }
      #expect(client.hostCount <= 65)
      #expect(client.permits(for: try origin("used.test")) === used)
      used.leave()
      await client.end()
    }
  }
#endif
