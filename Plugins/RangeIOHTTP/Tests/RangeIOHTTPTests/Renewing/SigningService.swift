#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Synchronization

  /// A server that serves an object to those whose URL has the right signature, and a service that gives such URLs, of which
  /// each has another signature.
  final class SigningService: Sendable {
    private struct State {
      /// The signature that the server accepts; 0: any.
      var accepted = 0
      /// Each once, the last from then on.
      var refusals = [ScriptedAnswer(403, text: "no\n")]
      var asked = 0
      var refused = 0
      var path = objectPath
    }
    private let state = Mutex(State())
    let server: LyingServer

    private init(_ server: LyingServer) { self.server = server }

    /// Runs `body` with a service of one object of `count` bytes, whose server accepts the first signature.
    static func with(count: Int = 100_000, _ body: (SigningService) async throws -> Void) async throws {
      try await withServer(count: count) { server in
        let service = SigningService(server)
        service.accept(1)
        server.script = service.script()
        try await body(service)
      }
    }

    /// Refuses what has another signature, and answers anything else as `answer` says.
    func script(_ answer: @escaping @Sendable (AnswerContext) -> ScriptedAnswer = { $0.honest }) -> ServerScript {
      ServerScript { [self] context in
        let refusal = state.withLock { state -> ScriptedAnswer? in
          let isGood = state.accepted == 0 || context.request.parameter("sig") == "hunter\(state.accepted)"
          guard !isGood else { return nil }
          state.refused += 1
          return state.refusals.count > 1 ? state.refusals.removeFirst() : state.refusals.first
        }
        guard var refusal else { return answer(context) }
        refusal.isBodyless = context.request.method == "HEAD"
        return refusal
      }
    }

    /// The server accepts this signature only, from now on.
    func accept(_ number: Int) { state.withLock { $0.accepted = number } }

    /// It refuses others so: by each of these once, and by the last from then on.
    func refuse(by answers: ScriptedAnswer...) { state.withLock { $0.refusals = answers } }

    /// URLs lead to this path, from now on.
    func move(to path: String) { state.withLock { $0.path = path } }

    /// How often a URL was asked for.
    var asked: Int { state.withLock { $0.asked } }
    /// How many requests were refused.
    var refused: Int { state.withLock { $0.refused } }

    func url(_ number: Int) -> String {
      "\(server.url(state.withLock { $0.path }))?sv=1&se=2099-01-01&sig=hunter\(number)"
    }

    /// The next URL: that with the signature 1 is given to begin with, or asked for first.
    var renewing: @Sendable () async throws -> String {
      { [self] in
        let number = state.withLock { state in
          state.asked += 1
          return state.asked + 1
        }
        return url(number)
      }
    }

    func source(_ configuration: RemoteConfiguration = .reading) -> HTTPSource {
      HTTPSource(url(1), configuration: configuration, renewing: renewing)
    }

    /// The ranges that were asked for, with the signatures.
    var requests: [String] {
      server.log.requests.filter { $0.method == "GET" }.map { "\($0["Range"] ?? "") \($0.parameter("sig") ?? "")" }
    }
  }
#endif
