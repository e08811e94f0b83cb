#if HTTP
  internal import RangeIOHTTPTestServer

  /// A web server on 127.0.0.1 for tests of code that reads over HTTP. It has the same bytes at every path, and answers wrong,
  /// late or not at all, as you script it.
  ///
  /// ```swift
  /// let server = try await OddServer.start(serving: contents, .resets(after: 100), times: 1)
  /// #expect(try await download(server.url) == contents)
  /// #expect(server.requests.count == 2)
  /// await server.stop()
  /// ```
  ///
  /// Your code needs no part of RangeIO: any HTTP client will do. Without an odd answer the server does what RFC 9110 asks of
  /// one: `GET` and `HEAD`, a range, `If-Match`, `If-None-Match` and `If-Range`. ``withOddServer(serving:over:_:_:)`` stops it
  /// for you. To test a `RangeSource` of yours, use ``RemoteConformance``: it plays all answers of this server and compares
  /// every byte.
  ///
  /// Nothing waits for its client for ever: ``stop()`` ends all connections. The bodies of requests are read up to 1 MiB.
  public final class OddServer: Sendable {
    /// How clients connect.
    public enum Connection: CaseIterable, Sendable {
      /// HTTP/1.1 without TLS.
      case plain
      /// HTTP/1.1 over TLS, with ``certificate``.
      case tls
      /// HTTP/2 over TLS, with ``certificate``.
      case http2
    }

    /// The root that clients of ``Connection/tls`` and ``Connection/http2`` must trust, as PEM. Its key is public: trust it in
    /// tests only.
    public static let certificate = TestCertificate.pem

    /// How clients connect.
    public let connection: Connection
    private let server: LyingServer
    /// Where redirects lead: a server of another origin, and one of the other scheme.
    private let others: [LyingServer]
    private let objects: ServedObjects
    private let versions = ServerMemory()

    /// What is called with each request, when it arrives: at this server, or at one to which a redirect leads.
    typealias Witness = @Sendable (_ request: ServerRequest, _ isElsewhere: Bool) -> Void
    private let witness: Witness?

    private init(
      _ connection: Connection, _ server: LyingServer, _ others: [LyingServer], _ objects: ServedObjects,
      _ witness: Witness?
    ) {
      (self.connection, self.server, self.others) = (connection, server, others)
      (self.objects, self.witness) = (objects, witness)
    }

    // MARK: starting

    /// Starts a server. Stop it with ``stop()``.
    ///
    /// - Parameters:
    ///   - bytes: what it has, at every path.
    ///   - connection: HTTP/1.1, with or without TLS, or HTTP/2.
    ///   - script: what it answers. Default: what a server should.
    /// - Throws: an error of the system, if no port is free.
    public static func start(
      serving bytes: some Sequence<UInt8>, over connection: Connection = .plain, _ script: Script = .honest
    ) async throws -> OddServer {
      let server = try await start(over: connection)
      server.serve(bytes)
      server.answer(script)
      return server
    }

    /// Starts a server that gives one odd answer, wherever it applies. Stop it with ``stop()``.
    ///
    /// - Parameters:
    ///   - bytes: what it has, at every path.
    ///   - connection: HTTP/1.1, with or without TLS, or HTTP/2.
    ///   - answer: what it answers.
    ///   - times: to how many requests; later ones get the right answer. `nil`: to all.
    /// - Throws: an error of the system, if no port is free.
    public static func start(
      serving bytes: some Sequence<UInt8>, over connection: Connection = .plain, _ answer: Answer, times: Int? = nil
    ) async throws -> OddServer {
      try await start(serving: bytes, over: connection, .always(answer, times: times))
    }

    /// Starts a server that has nothing yet.
    static func start(over connection: Connection, witness: Witness? = nil) async throws -> OddServer {
      let objects = ServedObjects()
      var own = connection == .plain ? LyingServer.Configuration() : .tls(http2: connection == .http2)
      var others: [LyingServer] = []
      do {
        for var other in [own, connection == .plain ? .tls() : .init()] {
          other.script = ServerScript { context in
            witness?(context.request, true)
            return ServerScript.odd(0, rate: 1, []).answer(anywhere(context, objects))
          }
          others.append(try await LyingServer.start(other))
        }
        (own.elsewhere, own.otherScheme) = (others[0].origin, others[1].origin)
        return OddServer(connection, try await LyingServer.start(own), others, objects, witness)
      } catch {
        for other in others { await other.stop() }
        throw error
      }
    }

    /// Stops listening and ends all connections, also those with an answer under way.
    public func stop() async {
      for server in [server] + others { await server.stop() }
    }

    /// Runs `body`, and stops the server.
    func stopping<Result>(_ body: () async throws -> Result) async throws -> Result {
      do {
        let result = try await body()
        await stop()
        return result
      } catch {
        await stop()
        throw error
      }
    }

    // MARK: addresses

    /// The scheme, host and port, without a slash at the end.
    public var origin: String { server.origin }

    /// The URL of an object. Every other path at ``origin`` has the same object.
    public var url: String { server.url("/object") }

    /// The port.
    var port: Int { server.port }

    // MARK: what it answers

    /// Answers by `script` from the next request on.
    public func answer(_ script: Script) {
      server.script = ServerScript { [objects, witness] context in
        witness?(context.request, false)
        return script.script.answer(Self.anywhere(context, objects))
      }
    }

    /// Gives `answer` wherever it applies, from the next request on.
    ///
    /// - Parameters:
    ///   - answer: what it answers.
    ///   - times: to how many requests; later ones get the right answer. `nil`: to all.
    public func answer(_ answer: Answer, times: Int? = nil) { self.answer(.always(answer, times: times)) }

    /// Replaces what the server has: a new version, with an entity tag and a time of its own.
    public func serve(_ bytes: some Sequence<UInt8>) {
      let version = versions.count("versions") + 1
      let object = ServedObject(
        Array(bytes), tag: .strong("v\(version)"), lastModified: 1_700_000_000 + 60 * version)
      serve(object)
    }

    /// Replaces what the server has.
    func serve(_ object: ServedObject) { objects.put(object, at: Self.path) }

    private static let path = "/"

    /// The request as one for the object.
    private static func anywhere(_ context: AnswerContext, _ objects: ServedObjects) -> AnswerContext {
      var context = context
      (context.object, context.previous) = (objects[path], objects.previous(path))
      context.honest = .honest(context.request, context.object, date: context.date)
      return context
    }

    // MARK: what it saw

    /// The requests so far, the oldest first: at most the last 100,000. Those at other servers, to which a redirect led, are
    /// not among them.
    public var requests: [Request] { server.log.requests.map { Request($0) } }

    /// How many connections the server accepted.
    public var connectionCount: Int { server.log.connections }

    /// The bytes of bodies that the server sent, without heads.
    public var sentByteCount: Int { server.log.bodyBytes }

    /// How often the server gave this answer.
    public func count(of answer: Answer) -> Int { server.told(answer.name) }

    /// Waits until no connection is open, as long as the task is not cancelled.
    func waitForConnections() async {
      for server in [server] + others { await server.log.endedConnections.reaches(server.log.connections) }
    }
  }

  /// Starts an ``OddServer``, runs `body`, and stops the server.
  ///
  /// ```swift
  /// try await withOddServer(serving: contents, .random(seed: 7)) { server in
  ///   for _ in 0..<100 { #expect(try await download(server.url) == contents) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: what it has, at every path.
  ///   - connection: HTTP/1.1, with or without TLS, or HTTP/2.
  ///   - script: what it answers. Default: what a server should.
  ///   - body: what is done with the server.
  /// - Throws: what `body` throws; an error of the system, if no port is free.
  public func withOddServer<Result>(
    serving bytes: some Sequence<UInt8>, over connection: OddServer.Connection = .plain,
    _ script: OddServer.Script = .honest, _ body: (OddServer) async throws -> Result
  ) async throws -> Result {
    let server = try await OddServer.start(serving: bytes, over: connection, script)
    return try await server.stopping { try await body(server) }
  }

  /// Starts an ``OddServer`` that gives one odd answer, runs `body`, and stops the server.
  ///
  /// - Parameters:
  ///   - bytes: what it has, at every path.
  ///   - connection: HTTP/1.1, with or without TLS, or HTTP/2.
  ///   - answer: what it answers.
  ///   - times: to how many requests; later ones get the right answer. `nil`: to all.
  ///   - body: what is done with the server.
  /// - Throws: what `body` throws; an error of the system, if no port is free.
  public func withOddServer<Result>(
    serving bytes: some Sequence<UInt8>, over connection: OddServer.Connection = .plain, _ answer: OddServer.Answer,
    times: Int? = nil, _ body: (OddServer) async throws -> Result
  ) async throws -> Result {
    try await withOddServer(serving: bytes, over: connection, .always(answer, times: times), body)
  }

#else
  /// Not built: enable the trait `HTTP`.
  @available(
    *, unavailable,
    message:
      "RangeIORemoteTesting is built without its trait: write .package(url: …, traits: [\"HTTP\"]) in Package.swift"
  )
  public enum OddServer {}
#endif
