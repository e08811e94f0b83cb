#if HTTP

  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import NIOSSL
  import RangeIOHTTPTestServer
  import Testing

  /// The server over HTTP/2.
  struct HTTP2Tests {
    /// Sends requests, one after the other. Returns the bytes of the bodies, `nil` for one that failed.
    private func bodies(_ count: Int, _ script: ServerScript) async throws -> (bodies: [[UInt8]?], connections: Int) {
      try await LyingServer.with(.tls(http2: true)) { server in
        server.objects.put(ServedObject(count: 100_000), at: "/object")
        server.script = script
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(TestCertificate.pem.utf8)))
        configuration.tlsConfiguration = tls
        let client = HTTPClient(configuration: configuration)
        var bodies: [[UInt8]?] = []
        for _ in 0..<20 where bodies.count < count {
          var request = HTTPClientRequest(url: server.url("/object"))
          request.headers.add(name: "Range", value: "bytes=1000-80999")
          do {
            let answer = try await client.execute(request, timeout: .seconds(30))
            #expect(
              answer.version == .http2 && answer.headers.first(name: "content-range") == "bytes 1000-80999/100000")
            bodies.append(Array(try await answer.body.collect(upTo: 1 << 20).readableBytesView))
          } catch let error as HTTPClientError where error == .cancelled {
            // The client gave the request to a connection that was just closing: it was not sent.
          } catch {
            bodies.append(nil)
          }
        }
        try await client.shutdown()
        #expect(server.log.requests.allSatisfy { $0.isHTTP2 })
        return (bodies, server.log.connections)
      }
    }

    private let wanted = ServedObject.content(1000..<81_000)

    @Test func `ranges come over one connection`() async throws {
      let (bodies, connections) = try await bodies(3, .honest)
      #expect(bodies == [wanted, wanted, wanted] && connections == 1)
    }

    @Test func `a stream can be reset in its body, and the connection lives on`() async throws {
      let (bodies, connections) = try await bodies(2, .always(.resetStream, times: 1))
      #expect(bodies == [nil, wanted] && connections == 1)
    }

    @Test func `after GOAWAY the answer comes whole, and the next needs another connection`() async throws {
      // A bare client may lose a request to a connection that is just closing, so the last of three counts.
      let (bodies, connections) = try await bodies(3, .always(.goAway, times: 1))
      #expect(bodies.first == .some(wanted) && bodies.last == .some(wanted) && connections >= 2)
    }

    @Test func `a connection can end without a word`() async throws {
      let (bodies, connections) = try await bodies(3, .always(.endWithoutNotify, times: 1))
      #expect(bodies.first == .some(nil) && bodies.last == .some(wanted) && connections >= 2)
    }
  }

#endif
