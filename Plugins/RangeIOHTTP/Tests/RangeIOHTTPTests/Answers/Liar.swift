#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// A server and a source that reads from it.
  struct Liar {
    var server = LyingServer.Configuration()
    /// No proxy of the environment is used.
    var source = RemoteConfiguration()
    /// The object at `/folder/object`.
    var object = ServedObject(count: 200_000)
    /// The range that is read.
    var range = 1000..<5000

    init() {
      source.proxy = .none
      // So that what the server says of the read is no answer to the opening.
      source.opening = .head
    }

    /// One with TLS, and HTTP/2 if asked for.
    static func tls(http2: Bool = false) -> Liar {
      var liar = Liar()
      liar.server = .tls(http2: http2)
      liar.source.additionalTrustRoots = [.pem(Array(TestCertificate.pem.utf8))]
      liar.source.httpVersion = http2 ? .http2 : .http1
      return liar
    }

    /// The result of one read.
    struct Outcome {
      var bytes: [UInt8]?
      var error: ReadError?
      var description: SourceDescription?
      /// The requests of the read, without those of the first description.
      var requests: [ServerRequest] = []
      /// The bytes of bodies that the server sent for the read.
      var bodyBytes = 0
      /// The counters of the source.
      var counts: Counters?
      /// The bytes that are right.
      var expected: [UInt8] = []

      var isRight: Bool { bytes == expected }
    }

    /// Describes the object as the server's configuration has it, then reads the range while it has `script`.
    ///
    /// - Parameter before: is called between the two.
    func read(
      _ script: ServerScript = .honest, before: (LyingServer) async throws -> Void = { _ in }
    ) async throws -> Outcome {
      try await LyingServer.with(server) { server in
        server.objects.put(object, at: "/folder/object")
        let source = HTTPSource(server.url("/folder/object"), configuration: self.source)
        var outcome = Outcome()
        do {
          let description = try await source.describe()
          outcome.description = description
          outcome.expected = Array(object.bytes[range.clamped(to: 0..<object.bytes.count)])
          try await before(server)
          server.script = script
          server.log.clear()
          outcome.bytes = Array(try await source.read(range, of: description))
        } catch let error as ReadError {
          outcome.error = error
        }
        outcome.requests = server.log.requests
        outcome.bodyBytes = server.log.bodyBytes
        outcome.counts = source.statistics().first
        await source.close()
        return outcome
      }
    }

    /// Describes and reads with `script` from the first request on.
    func readAll(_ script: ServerScript) async throws -> Outcome {
      var liar = self
      liar.server.script = script
      return try await liar.read(script)
    }
  }

  /// Expects that the bytes are right.
  func expectRight(_ outcome: Liar.Outcome, _ location: SourceLocation = #_sourceLocation) {
    #expect(outcome.isRight, "\(outcome.error.map { "\($0)" } ?? "wrong bytes")", sourceLocation: location)
  }

  /// Expects an error of `code` whose message has the words `says`: what the server did.
  func expectFailure(
    _ outcome: Liar.Outcome, _ code: ReadError.Code, _ says: String, isTransient: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) {
    guard let error = outcome.error else {
      Issue.record("no error, but \(outcome.isRight ? "the right" : "wrong") bytes", sourceLocation: location)
      return
    }
    #expect(error.code == code && error.isTransient == isTransient, "\(error)", sourceLocation: location)
    #expect(error.message.contains(says), "\(error)", sourceLocation: location)
  }

#endif
