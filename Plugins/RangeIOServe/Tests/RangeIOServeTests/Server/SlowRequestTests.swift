#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import RangeIOTesting
  import Testing

  /// Clients that send slowly, or more than they take.
  @Suite(.timeLimit(.minutes(2))) struct SlowRequestTests {
    private func withFile(
      _ configure: (inout RangeServer.Configuration) -> Void = { _ in }, _ body: (_ port: Int) async throws -> Void
    ) async throws {
      let folder = try ServedFolder()
      try folder.write(ServedFolder.bytes(200_000), to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))], configure) { port, _ in try await body(port) }
    }

    @Test(arguments: ["", "GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"])
    func `a head that comes byte by byte has no more time than another, and others are answered`(before: String)
      async throws
    {
      try await withFile {
        $0.headTimeout = .seconds(1)
      } _: { port in
        let client = try await ClientConnection.open(port)
        try await client.send(before + "GET /a.bin HTTP/1.1\r\nX: ")
        // `try?`: the server closes it meanwhile.
        while client.channel.isActive {
          try? await client.send("x")
          #expect(try await ask("/-/healthz", port: port).status == 200)
        }
        let received = String(decoding: await client.end(), as: UTF8.self)
        #expect(received.components(separatedBy: "HTTP/1.1 ").count == (before.isEmpty ? 1 : 2))
      }
    }

    @Test(arguments: ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
    func `a body is not awaited, however slowly it comes`(field: String) async throws {
      try await withFile { port in
        let client = try await ClientConnection.open(port)
        try await client.send("GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n5\r\n")
        // The server ends it; this side never does.
        #expect(String(decoding: await client.end(), as: UTF8.self).hasPrefix("HTTP/1.1 413"))
      }
    }

    @Test func `a client that asks on and takes nothing is sent what its connection holds`() async throws {
      try await withFile { port in
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .channelOption(.autoRead, value: false)
          .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
          .connect(host: "127.0.0.1", port: port).outcome()
        // 4 GB of answers.
        let request = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
        channel.writeAndFlush(ByteBuffer(string: String(repeating: request, count: 20_000)), promise: nil)
        // No event tells that nothing more is sent: its count stays the same while others are answered.
        var (sent, quiet) = (0, 0)
        while sent == 0 || quiet < 50 {
          let now = try await metric("rangeio_server_body_bytes", port)
          quiet = now - sent < 65_536 ? quiet + 1 : 0
          if quiet == 0 { sent = now }
        }
        #expect(sent < 32 << 20)
        #expect(try await ask("/a.bin", port: port, ["Range: bytes=-9"]).body.count == 9)
        channel.close(promise: nil)
      }
    }

    @Test func `what is asked before a side is closed is answered, and the connection ends`() async throws {
      try await withFile { port in
        let client = try await ClientConnection.open(port)
        let request = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-99999\r\n\r\n"
        try await client.send(request + request + request)
        try await client.channel.close(mode: .output).outcome()
        let bytes = await client.end()
        #expect(
          bytes.count > 300_000 && bytes.suffix(100_000).elementsEqual(ServedFolder.bytes(200_000).prefix(100_000)))
      }
    }
  }
#endif
