#if HTTP
  internal import RangeIO
  internal import RangeIOHTTPTestServer
  internal import RangeIORemote
  internal import RangeIOSupport

  /// What a source did wrong, or what came of it.
  struct Fault: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  /// A server that has the same object at every path and answers as it is scripted to, and two others to redirect to: one of
  /// another origin, one of the other scheme.
  struct OddStore: Sendable {
    static let size = 200_000
    /// The most time of a read.
    static let limit = Duration.seconds(2)
    /// So long a call may take before it counts as hanging: many times the limit, for a machine that does much else.
    static let patience = Duration.seconds(60)
    /// The numbers of the versions: the first is one that only a stale cache still shows.
    static let past = 1, present = 2, future = 3

    let server: LyingServer
    let connection: RemoteConformance.Connection
    let secrets: [String]
    private let others: [LyingServer]
    private let objects: ServedObjects
    private let faults: Guarded<[String]>

    /// Starts the servers, runs `body`, and stops them.
    static func with<Result>(
      _ connection: RemoteConformance.Connection = .plain, secrets: [String],
      accepts: @escaping @Sendable (RemoteConformance.Request) -> Bool, _ body: (OddStore) async throws -> Result
    ) async throws -> Result {
      let (objects, faults) = (ServedObjects(), Guarded<[String]>([]))
      for version in versions.prefix(present) { objects.put(version, at: path) }
      let own = connection == .plain ? LyingServer.Configuration() : .tls(http2: connection == .http2)
      var strange = own
      strange.script = ServerScript { context in
        let text = "\(context.request.target) \(context.request.fields.map(\.value))"
        let isSeen = context.request["Authorization"] != nil || secrets.contains { text.contains($0) }
        if isSeen { faults.withLock { $0.append("another server sees a secret") } }
        return ServerScript.odd(0, rate: 1, []).answer(Self.anywhere(context, objects))
      }
      var otherScheme = connection == .plain ? LyingServer.Configuration.tls() : .init()
      otherScheme.script = strange.script
      return try await LyingServer.with(strange) { elsewhere in
        try await LyingServer.with(otherScheme) { other in
          var configuration = own
          (configuration.elsewhere, configuration.otherScheme) = (elsewhere.origin, other.origin)
          return try await LyingServer.with(configuration) { server in
            let store = OddStore(
              server: server, connection: connection, secrets: secrets, others: [elsewhere, other], objects: objects,
              faults: faults, accepts: accepts)
            return try await body(store)
          }
        }
      }
    }

    private let accepts: @Sendable (RemoteConformance.Request) -> Bool
    private static let path = "/"

    private init(
      server: LyingServer, connection: RemoteConformance.Connection, secrets: [String], others: [LyingServer],
      objects: ServedObjects, faults: Guarded<[String]>,
      accepts: @escaping @Sendable (RemoteConformance.Request) -> Bool
    ) {
      (self.server, self.connection, self.secrets, self.others) = (server, connection, secrets, others)
      (self.objects, self.faults, self.accepts) = (objects, faults, accepts)
      answer(.honest)
    }

    /// The request as one for the object.
    private static func anywhere(_ context: AnswerContext, _ objects: ServedObjects) -> AnswerContext {
      var context = context
      (context.object, context.previous) = (objects[path], objects.previous(path))
      context.honest = .honest(context.request, context.object, date: context.date)
      return context
    }

    /// Answers by `script` from now on.
    func answer(_ script: ServerScript) {
      server.script = ServerScript { [objects, faults, accepts] context in
        if context.hop == nil, !accepts(RemoteConformance.Request(context.request)) {
          faults.withLock { $0.append("the store would refuse its request: \(context.request.method)") }
        }
        return script.answer(Self.anywhere(context, objects))
      }
    }

    /// Replaces the object by this version of it.
    func replace(by version: Int) { objects.put(Self.versions[version - 1], at: Self.path) }

    private static let versions = [past, present, future].map { ServedObject(count: size, version: $0) }

    /// The bytes of a range of a version.
    static func content(_ range: Range<Int>, _ version: Int) -> Bytes { Bytes(versions[version - 1].bytes[range]) }

    /// What the servers saw of the source that they should not have.
    func checkRequests() throws {
      if let fault = faults.withLock({ $0.first }) { throw Fault(fault) }
    }

    /// Waits until no connection is open, as long as the task is not cancelled.
    func waitForConnections() async {
      for server in [server] + others { await server.log.endedConnections.reaches(server.log.connections) }
    }

    /// The settings for a source: it gives up soon, a read after ``limit``, and shares its connections with no other check.
    func configuration(_ opening: RemoteOpening = .beginning) -> RemoteConfiguration {
      var configuration = RemoteConfiguration()
      configuration.proxy = .none
      configuration.additionalTrustRoots = [.pem(Array(TestCertificate.pem.utf8))]
      configuration.httpVersion = connection == .http2 ? .http2 : .http1
      configuration.opening = opening
      configuration.firstByteTimeout = .seconds(1)
      configuration.idleTimeout = .milliseconds(300)
      configuration.readTimeout = Self.limit
      configuration.keepAliveTimeout = .seconds(60) + .microseconds(server.port)
      return configuration
    }
  }

  extension RemoteConformance.Request {
    fileprivate init(_ request: ServerRequest) {
      var fields = HeaderFields()
      for field in request.fields { fields.set(field.name, field.value) }
      self.init(method: request.method, target: request.target, fields: fields)
    }
  }
#endif
