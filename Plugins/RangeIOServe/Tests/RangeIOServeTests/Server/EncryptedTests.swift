#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOPosix
  import NIOSSL
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import Testing

  /// A server that speaks TLS.
  @Suite(.timeLimit(.minutes(2))) struct EncryptedTests {
    private static let kept = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let request = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    private func certificate(_ folder: ServedFolder) throws -> ServerCertificate {
      try folder.write(Array((TestCertificate.pem + "\n" + TestCertificate.key).utf8), to: ".both.pem")
      return try ServerCertificate(certificatePath: folder.path + "/.both.pem")
    }

    @Test func `answers of all sizes are whole, and cross the network encrypted`() async throws {
      let folder = try ServedFolder()
      let certificate = try certificate(folder)
      let bytes = ServedFolder.bytes(3_000_000)
      try folder.write(bytes, to: "a.bin")
      try folder.write([1, 2, 3], to: "b.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.certificate = certificate
      } _: { port, _ in
        for _ in 0..<2 {
          let whole = ReceivedAnswer(try await RawClient.exchange(Self.request, port: port, isTLS: true))
          #expect(whole.status == 200 && whole.body == bytes)
        }
        // Kept, and answered at once the second time.
        let kept = "GET /b.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let last = "GET /b.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let received = try await RawClient.exchange(kept + kept + last, port: port, isTLS: true)
        #expect(String(decoding: received.bytes, as: UTF8.self).matches(of: /HTTP\/1\.1 200/).count == 3)
        // In the clear there is no answer.
        let clear = try await RawClient.exchange(Self.request, port: port)
        #expect(!String(decoding: clear.bytes, as: UTF8.self).contains("HTTP/1.1"))
      }
    }

    @Test func `TLS 1_1 is refused`() async throws {
      let folder = try ServedFolder()
      let certificate = try certificate(folder)
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.certificate = certificate
      } _: { port, _ in
        for (version, isAccepted) in [(TLSVersion.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
          let channel = try await connect(port, at: version)
          #expect((channel != nil) == isAccepted, "\(version)")
          channel?.close(promise: nil)
        }
      }
    }

    @Test func `a new certificate is for new connections, and one that cannot be used changes nothing`() async throws {
      let folder = try ServedFolder()
      let certificate = try certificate(folder)
      let path = folder.path + "/.both.pem"
      try folder.write([1], to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.certificate = certificate
      } _: { port, _ in
        let reading = SlowReading()
        let old = try #require(try await connect(port, at: .tlsv13, reading))
        var events = reading.events.makeAsyncIterator()
        _ = await events.next()
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: ReadError.self) { try certificate.reload() }
        let second = try #require(try await connect(port, at: .tlsv13))
        second.close(promise: nil)
        try Data(Self.other.utf8).write(to: URL(fileURLWithPath: path))
        try certificate.reload()
        #expect(try await connect(port, at: .tlsv13) == nil)
        // The one before stays.
        let count = reading.byteCount.withLock { $0 }
        try await old.writeAndFlush(ByteBuffer(string: Self.kept)).outcome()
        while reading.byteCount.withLock({ $0 }) == count, await events.next() != nil {}
        #expect(reading.byteCount.withLock { $0 } > count)
        old.close(promise: nil)
      }
    }

    @Test func `what cannot be used is told by its path`() throws {
      let folder = try ServedFolder()
      for (name, text) in [("none", nil), ("text", "text"), ("no-key", TestCertificate.pem)] as [(String, String?)] {
        if let text { try folder.write(Array(text.utf8), to: name) }
        let error = #expect(throws: ReadError.self) {
          _ = try ServerCertificate(certificatePath: folder.path + "/" + name)
        }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("/" + name) == true)
      }
    }

    /// Connects as a client that trusts the certificate of the tests only; `nil` if the handshake fails.
    private func connect(_ port: Int, at version: TLSVersion, _ reading: SlowReading = SlowReading()) async throws
      -> (any Channel)?
    {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(TestCertificate.pem.utf8)))
      (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
      let context = try NIOSSLContext(configuration: configuration)
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: context, serverHostname: "localhost"))
            try channel.pipeline.syncOperations.addHandler(reading)
          }
        }
        .connect(host: "127.0.0.1", port: port).outcome()
      do {
        try await channel.writeAndFlush(ByteBuffer(string: Self.kept)).outcome()
        return channel
      } catch {
        channel.close(promise: nil)
        return nil
      }
    }

    private static let other = """
      -----BEGIN CERTIFICATE-----
      MIIBlDCCATugAwIBAgIUZCrolqKqilisz2Dm4ZPmB0h3pMswCgYIKoZIzj0EAwIw
      FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTIzMjE1NVoYDzIxMjYxMTA1
      MjMyMTU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
      PQMBBwNCAATqVHRppY53h/AUFaBBI0I8+GDIGp/RbKM7vySF8QDkSTfqHYylpDjs
      YHt8PHCxXmRs3bHwpzsFMlrs+4mHklCCo2kwZzAdBgNVHQ4EFgQUsMayqi6QWjHT
      RyH9WEav1obbNj8wHwYDVR0jBBgwFoAUsMayqi6QWjHTRyH9WEav1obbNj8wDwYD
      VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
      RwAwRAIgYhO9227ckk7wFuwIAruOiXQoPSTaHxj33nnplx6KHSwCIGk4EXCLYDOS
      Pgo5OtZQTqtuLmrX1PasxG5Fvm7M6goc
      -----END CERTIFICATE-----
      -----BEGIN PRIVATE KEY-----
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1gniNd1XyVMXIiPX
      HNlyf51w+71ZsZ0a213JhmdOO32hRANCAATqVHRppY53h/AUFaBBI0I8+GDIGp/R
      bKM7vySF8QDkSTfqHYylpDjsYHt8PHCxXmRs3bHwpzsFMlrs+4mHklCC
      -----END PRIVATE KEY-----
      """
  }
#endif
