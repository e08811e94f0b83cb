#if Serve
  internal import CRangeIOSystem
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import NIOPosix
  internal import RangeIO
  internal import RangeIORemote
  internal import SystemPackage

  /// Answers requests.
  struct Responder: Sendable {
    let mounts: Mounts
    let configuration: RangeServer.Configuration
    let clients: ClientLedger
    let statistics: @Sendable () -> [String: any Encodable & Sendable]
    let logger: Logger
    let counters = ServerCounters()
    let dates = AnswerDates()
    let stopping = StopFlag()
    let authenticator: Authenticator
    private let hosts: HostPolicy
    private let origins: AllowedOrigins

    init(
      mounts: Mounts, configuration: RangeServer.Configuration, clients: ClientLedger,
      statistics: @escaping @Sendable () -> [String: any Encodable & Sendable], logger: Logger
    ) {
      self.mounts = mounts
      self.configuration = configuration
      self.clients = clients
      self.statistics = statistics
      self.logger = logger
      authenticator = Authenticator(configuration.users, maxWaiting: max(1, configuration.maxRequests / 4))
      hosts = HostPolicy(configuration.hostNames)
      origins = AllowedOrigins(configuration.allowedOrigins)
    }

    /// The longest target that is looked at. A field of a head may be longer, so what is refused is told apart (RFC 9112, section 3).
    static let maxTarget = 12 << 10

    /// After an answer the connection must not be used again: what follows on it may be anything.
    struct ConnectionIsSpent: Error {}

    /// Answers the request with this head.
    ///
    /// - Throws: what makes the connection be closed at once, such as a source that fails in the middle of an answer.
    @concurrent func respond(
      to head: HTTPRequest, _ writer: consuming ResponseWriter, _ client: ConnectedClient
    ) async throws {
      // Requests may come faster than the connections of others are looked at.
      try await client.yield()
      let began = logTime
      // Nothing that is served takes a body. One that is announced is not waited for, nor skipped without end.
      let hasBody =
        head.headerFields[.transferEncoding] != nil || head.headerFields[.contentLength].map { $0 != "0" } ?? false
      let health = hasBody ? nil : health(head)
      let isCounted = !hasBody && health == nil
      let verdict = isCounted ? clients.begin(client.network) : .permitted
      defer { if verdict == .permitted, isCounted { ended(client.network) } }
      var answer: Answer
      switch verdict {
      case _ where health != nil: answer = health ?? .line(.notFound)
      case _ where hasBody: answer = .line(.contentTooLarge, [.connection: "close"])
      case .permitted: answer = try await self.answer(head, client)
      case .tooManyOfClient: answer = .line(.tooManyRequests, [.retryAfter: "1"])
      case .tooMany: answer = .line(.serviceUnavailable, [.retryAfter: "1"])
      }
      finish(&answer, to: head)
      let (status, before) = (answer.status, client.bodyBytes.value)
      do {
        try await send(consume answer, isHead: head.method == .head, writer, to: client)
      } catch {
        let count = client.bodyBytes.value - before
        log(head, status, bodyBytes: count, isComplete: false, since: began, of: client)
        throw error
      }
      log(head, status, bodyBytes: client.bodyBytes.value - before, since: began, of: client)
      if hasBody { throw ConnectionIsSpent() }
    }

    /// An answer to `client` has ended that counted as one under way.
    func ended(_ client: String) {
      if clients.end(client) { Self.giveBackMemory(of: clients) }
    }

    /// Gives memory back, and once more a second later if as much was left meanwhile.
    private static func giveBackMemory(of clients: ClientLedger) {
      IOThreads.forWork.submit(IOJob { rio_give_back_memory() })
      MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(1)) {
        if clients.releasePauseEnded() { giveBackMemory(of: clients) }
      }
    }

    private static let server = HTTPField(name: .server, value: "rangeio")
    private static let noSniffing = HTTPField(name: .xContentTypeOptions, value: "nosniff")

    /// Adds what each answer has, and counts it.
    func finish(_ answer: inout Answer, to head: HTTPRequest) {
      origins.complete(&answer.fields, for: head)
      answer.fields.append(HTTPField(name: .date, value: dates.text))
      answer.fields.append(Self.server)
      answer.fields.append(Self.noSniffing)
      counters.answered(answer.status.code)
      guard logger.logLevel <= .info else { return }
      logger.info(
        "\(answer.status.code) \(head.method) \(LoggedText.line(ShownName.target(head.path ?? "")))",
        metadata: ["range": "\(LoggedText.line(head.headerFields[.range] ?? ""))"])
    }

    /// The answer to a request that is not for this server; `nil` if it is.
    func refusal(of head: HTTPRequest) -> Answer? {
      // A second `Host` is left among the fields: the request is ambiguous.
      guard let authority = head.authority, !head.headerFields.contains(.host) else { return .line(.badRequest) }
      // An empty one is valid, and no name of this server.
      guard authority.isEmpty || HostPolicy.isHost(authority) else { return .line(.badRequest) }
      guard hosts.permits(authority) else {
        return .line(.misdirectedRequest, advice: "this server does not know the name in 'Host' as its own")
      }
      return nil
    }

    private func answer(_ head: HTTPRequest, _ client: ConnectedClient) async throws -> Answer {
      if let refusal = refusal(of: head) { return refusal }
      switch head.method {
      case .get, .head: break
      case .options: return Answer(.noContent, [.allow: Self.methods])
      default: return .line(.methodNotAllowed, [.allow: Self.methods])
      }
      if authenticator.isNeeded {
        do {
          if try await authenticator.user(head, of: client.network) == nil { return Authenticator.challenge }
        } catch is Authenticator.IsBusy {
          return .line(.serviceUnavailable, [.retryAfter: "1"])
        }
      }
      guard let path = head.path, path.utf8.first == UInt8(ascii: "/") else { return .line(.badRequest) }
      guard path.utf8.count <= Self.maxTarget else { return .line(.uriTooLong) }
      guard let target = RequestTarget(path) else { return .line(.notFound) }
      if target.names.first == Mounts.reserved { return try await administration(target, head, client) }
      do {
        switch try mounts.place(of: target.names) {
        case .root:
          let listing = ServedItem.Listing(await mounts.entries())
          return try await AsideWork.value { try ListingPage(target, listing).answer(head) }
        case .below(let pool, let path): return try await object(in: pool, at: path, target, head)
        }
      } catch {
        return try failure(error, target)
      }
    }

    private static let methods = "GET, HEAD, OPTIONS"

    /// The answer after an `error` before the head was sent.
    func failure(_ error: any Error, _ target: RequestTarget) throws -> Answer {
      // The client has left, or the server stops.
      if error is CancellationError { throw error }
      guard let error = error as? ReadError else {
        logger.error(
          "request failed", metadata: ["path": "\(target.shown)", "error": "\(LoggedText.line("\(error)"))"])
        return .line(.internalServerError)
      }
      let status: HTTPResponse.Status =
        switch error.code {
        case .notFound, .unsupportedSource: .notFound
        case .permissionDenied: .forbidden
        case .timedOut: .gatewayTimeout
        case .invalidResponse: .badGateway
        case .sourceChanged, .resourcesExhausted, .limitExceeded, .closed: .serviceUnavailable
        // It refuses connections, or is busy.
        case .inputOutput where error.isTransient: .serviceUnavailable
        // What has no error number of this system comes from another machine.
        case .inputOutput where !(error.cause is Errno): .badGateway
        default: .internalServerError
        }
      if status.code >= 500 {
        logger.warning(
          "request failed", metadata: ["path": "\(target.shown)", "error": "\(LoggedText.line("\(error)"))"])
      }
      guard status == .serviceUnavailable else { return .line(status) }
      let wait = max(1, min(3600, error.retryAfter?.components.seconds ?? 1))
      return .line(status, [.retryAfter: "\(wait)"])
    }
  }

  extension HTTPField.Name {
    static let host = HTTPField.Name("Host")!
    static let xContentTypeOptions = HTTPField.Name("X-Content-Type-Options")!
  }

  /// The `Date` of answers, made once in a second.
  final class AnswerDates: Sendable {
    private let last = Locked<(seconds: Int, text: String)>((.min, ""))
    /// The present second.
    var now: HTTPDate { HTTPDate(secondsSince1970: Int(rio_realtime_ns() / 1_000_000_000)) }

    var text: String {
      let now = now
      return last.withLock { last in
        if last.seconds != now.secondsSince1970 { last = (now.secondsSince1970, now.text) }
        return last.text
      }
    }
  }
#endif
