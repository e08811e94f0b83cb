#if Serve && HTTP
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import Testing

  /// What supervisors and balancers ask.
  struct HealthTests {
    @Test func `a server is healthy while it answers, and ready until it is told to stop`() async throws {
      let folder = try ServedFolder()
      try folder.write([1], to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.administration = .nobody
        $0.maxRequests = 0
        $0.stopDelay = .seconds(3600)
      } _: { port, server in
        for path in ["/-/healthz", "/-/readyz", "/-/readyz?verbose"] {
          for host in ["127.0.0.1", "some.name"] {
            for method in ["GET", "HEAD", "OPTIONS"] {
              #expect(try await ask(path, port: port, method: method, host: host).status == 200)
            }
          }
        }
        // Without a name, as HAProxy asks.
        let old = try await RawClient.exchange("OPTIONS /-/readyz HTTP/1.0\r\n\r\n", port: port)
        #expect(ReceivedAnswer(old).status == 200)
        // There is no room for others.
        #expect(try await ask("/a.bin", port: port).status == 503)
        #expect(try await ask("/-/healthz/", port: port).status == 503)
        server.stop()
        #expect(try await ask("/-/readyz", port: port).status == 503)
        #expect(try await ask("/-/healthz", port: port).status == 200)
      }
    }
  }
#endif
