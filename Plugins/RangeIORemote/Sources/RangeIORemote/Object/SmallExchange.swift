#if HTTP
  internal import RangeIO

  /// One request with a short answer, for services beside an object, such as one that gives credentials. Nothing is
  /// repeated and no redirect is followed.
  public enum SmallExchange {
    /// Sends a request and returns its answer.
    ///
    /// - Parameters:
    ///   - method: the method, such as `POST`.
    ///   - url: where the service is.
    ///   - fields: the fields of the request.
    ///   - body: the body of the request; empty for none.
    ///   - timeout: the most time for all of it.
    ///   - limit: the most bytes of the answer; more fail.
    ///   - configuration: its proxy and the certificates that it trusts count, nothing else.
    /// - Throws: `ReadError` if there is no whole answer in time, or a longer one; `CancellationError`, at once.
    public nonisolated(nonsending) static func send(
      method: String, url: ObjectURL, fields: HeaderFields, body: [UInt8] = [], timeout: Duration, limit: Int,
      configuration: RemoteConfiguration = RemoteConfiguration()
    ) async throws -> (status: Int, fields: HeaderFields, body: [UInt8]) {
      var settings = RemoteConfiguration()
      settings.connectTimeout = timeout
      settings.firstByteTimeout = timeout
      settings.readTimeout = timeout
      settings.proxy = configuration.proxy
      settings.trustRootFile = configuration.trustRootFile
      settings.additionalTrustRoots = configuration.additionalTrustRoots
      do { return try await send(method, url, fields, body, settings, limit) } catch let failure as Failure {
        throw failure.readError(source: nil)
      }
    }

    private nonisolated(nonsending) static func send(
      _ method: String, _ url: ObjectURL, _ fields: HeaderFields, _ body: [UInt8], _ settings: RemoteConfiguration,
      _ limit: Int
    ) async throws -> (status: Int, fields: HeaderFields, body: [UInt8]) {
      for field in fields.all { try HeaderFields.check(field.value, of: field.name) }
      let core = try ObjectCore(url, settings)
      do {
        let answer = try await answer(
          WireRequest(method: method, url: url, fields: fields, expected: .max, body: body), core, limit,
          until: core.deadline)
        await core.close()
        return answer
      } catch {
        await core.close()
        throw error
      }
    }

    private nonisolated(nonsending) static func answer(
      _ request: WireRequest, _ core: ObjectCore, _ limit: Int, until deadline: Int64
    ) async throws -> (status: Int, fields: HeaderFields, body: [UInt8]) {
      let seen = Seen()
      // One byte more than permitted shows that there are too many.
      let outcome = try await core.exchange(request, into: nil, until: deadline) { answer in
        seen.head.withLock { $0 = answer }
        return .collect(most: limit + 1)
      }
      let server = request.url.authority
      switch outcome {
      case .collected(let body, let fault):
        if let fault {
          throw Failure(
            .other("no whole answer"), "\(server) broke its answer off (\(fault.summary)): try again", isTransient: true
          )
        }
        guard body.count <= limit else {
          throw Failure(.other("long answer"), "\(server) answers with more than \(limit) bytes: check the URL")
        }
        guard let head = seen.head.withLock({ $0 }) else { break }
        return (head.status, head.fields, body)
      case .noHead(let fault):
        let failure = Failure(
          .other("no answer"), "\(server) gives no answer (\(fault.summary)): check that it runs and can be reached",
          isTransient: true)
        var error = failure.readError(source: nil)
        error.isUnreached = fault.isUnreached
        throw error
      default: break
      }
      throw Failure(.other("no answer"), "\(server) ended its answer early: try again", isTransient: true)
    }

    private final class Seen: Sendable {
      let head = Locked<ResponseHead?>(nil)
    }
  }

  extension TransportFault {
    /// A few words for messages.
    var summary: String {
      switch self {
      case .unresolved: "its name cannot be resolved"
      case .refused: "it refused the connection"
      case .connectTimeout: "no connection in time"
      case .tls(let text): "TLS: \(text)"
      case .reset, .goAway, .streamReset, .closedWithoutNotify, .leftOver: "it closed the connection"
      case .headTimeout, .stalled, .tooSlow, .deadline: "no answer in time"
      case .giantHeaders: "its headers are too large"
      case .closed: "the source was closed"
      case .proxyRefused: "the proxy refused to connect to it"
      case .malformed(let text), .proxy(let text), .noProxy(let text), .other(let text): text
      case .proxyAuthentication: "the proxy asks for a user and a password"
      }
    }
  }
#endif
