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

  /// An ``OddServer`` with an object of three versions, and what a source may not do to it.
  struct OddStore: Sendable {
    static let size = 200_000
    /// The most time of a read.
    static let limit = Duration.seconds(2)
    /// So long a call may take before it counts as hanging: many times the limit, for a machine that does much else.
    static let patience = Duration.seconds(60)
    /// The numbers of the versions: the first is one that only a stale cache still shows.
    static let past = 1, present = 2, future = 3

    let server: OddServer
    let secrets: [String]
    private let faults: Guarded<[String]>

    /// Starts the server, runs `body`, and stops it.
    static func with<Result>(
      _ connection: OddServer.Connection = .plain, secrets: [String],
      accepts: @escaping @Sendable (OddServer.Request) -> Bool, _ body: (OddStore) async throws -> Result
    ) async throws -> Result {
      let faults = Guarded<[String]>([])
      let server = try await OddServer.start(over: connection) { request, isElsewhere in
        if isElsewhere {
          let text = "\(request.target) \(request.fields.map(\.value))"
          let isSeen = request["Authorization"] != nil || secrets.contains { text.contains($0) }
          if isSeen { faults.withLock { $0.append("another server sees a secret") } }
        } else if request.parameter("hop") == nil, !accepts(OddServer.Request(request)) {
          faults.withLock { $0.append("the store would refuse its request: \(request.method)") }
        }
      }
      let store = OddStore(server: server, secrets: secrets, faults: faults)
      for version in [past, present] { store.replace(by: version) }
      server.answer(.honest)
      return try await server.stopping { try await body(store) }
    }

    /// Replaces the object by this version of it.
    func replace(by version: Int) { server.serve(Self.versions[version - 1]) }

    private static let versions = [past, present, future].map { ServedObject(count: size, version: $0) }

    /// The bytes of a range of a version.
    static func content(_ range: Range<Int>, _ version: Int) -> Bytes { Bytes(versions[version - 1].bytes[range]) }

    /// What the servers saw of the source that they should not have.
    func checkRequests() throws {
      if let fault = faults.withLock({ $0.first }) { throw Fault(fault) }
    }

    /// The settings for a source: it gives up soon, a read after ``limit``, and shares its connections with no other check.
    func configuration(_ opening: RemoteOpening = .beginning) -> RemoteConfiguration {
      var configuration = RemoteConfiguration()
      configuration.proxy = .none
      configuration.additionalTrustRoots = [.pem(Array(OddServer.certificate.utf8))]
      configuration.httpVersion = server.connection == .http2 ? .http2 : .http1
      configuration.opening = opening
      configuration.firstByteTimeout = .seconds(1)
      configuration.idleTimeout = .milliseconds(300)
      configuration.readTimeout = Self.limit
      configuration.keepAliveTimeout = .seconds(60) + .microseconds(server.port)
      return configuration
    }
  }
#endif
