#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport

  @testable import RangeIOGCS

  /// A store that a test scripts: by both APIs, with generations, with tokens that end and HMAC keys that it checks. It also
  /// is the server that gives tokens.
  final class MiniatureGCS: Sendable {
    struct State {
      /// Tokens that are good.
      var tokens: Set<String> = ["token-1"]
      var keys: [String: HMACKey] = [:]
      var isPublic = false
      var demandsProject = false
      var keepsGenerations = false
      /// Objects that are stored with gzip, by path.
      var encoded: Set<String> = []
      /// By bucket and name, the newest last.
      var objects: [String: [(generation: Int, object: ServedObject)]] = [:]
      /// Answers of the services beside the objects, by path.
      var services: [String: @Sendable (ServerRequest) -> ScriptedAnswer] = [:]
      /// How often each service was asked.
      var asked: [String: Int] = [:]
      /// The names that the bucket lists.
      var names = NamePages([])
      /// Statuses of the answers that refused something.
      var refusals: [Int] = []
      /// The clock minus that of this machine, in seconds.
      var clockOffset = 0
      /// Called for each request for an object, before it is answered.
      var onRead: @Sendable (inout State, Int) -> Void = { _, _ in }
      var reads = 0
    }
    private let state = Guarded(State())

    /// Changes how the store behaves.
    func set<Result: Sendable>(_ change: (inout State) -> Result) -> Result { state.withLock { change(&$0) } }

    /// The statuses of refusals so far.
    var refusals: [Int] { state.withLock { $0.refusals } }

    /// How often the service at `path` was asked.
    func asked(_ path: String) -> Int { state.withLock { $0.asked[path] ?? 0 } }

    /// Puts an object at `bucket/name`, not encoded.
    func put(_ object: ServedObject, at path: String, generation: Int) {
      state.withLock { state in
        if !state.keepsGenerations { state.objects[path] = [] }
        state.objects[path, default: []].append((generation, object))
      }
    }

    /// As a script of a server.
    var script: ServerScript { ServerScript { [self] in answer($0.request) } }

    private func answer(_ request: ServerRequest) -> ScriptedAnswer {
      state.withLock { state in
        let date = HTTPTime.now + state.clockOffset
        let path = request.path
        var answer: ScriptedAnswer
        if let service = state.services[path] {
          state.asked[path, default: 0] += 1
          answer = service(request)
        } else {
          state.reads += 1
          let onRead = state.onRead
          onRead(&state, state.reads)
          if let refused = refusal(of: request, at: date, state) {
            state.refusals.append(refused.status)
            answer = refused
          } else {
            answer = list(request, state.names) ?? content(request, state, date)
          }
        }
        answer.fields["Date"] = HTTPTime.text(date)
        answer.isBodyless = request.method == "HEAD"
        return answer
      }
    }

    /// The object's place, by either API.
    private func place(_ request: ServerRequest) -> String {
      let raw = String(request.target.prefix { $0 != "?" })
      guard raw.hasPrefix("/storage/v1/b/") else { return String(request.path.dropFirst()) }
      let parts = raw.dropFirst("/storage/v1/b/".count).split(separator: "/")
      return parts.count == 3 ? PercentCoding.decoded("\(parts[0])/\(parts[2])") : ""
    }

    private func content(_ request: ServerRequest, _ state: State, _ date: Int) -> ScriptedAnswer {
      let place = place(request)
      let all = state.objects[place] ?? []
      let wanted = request.parameter("generation")
      let found = wanted == nil ? all.last : all.last { "\($0.generation)" == wanted }
      guard let found else {
        // A download by JSON is refused in plain text.
        return request.target.hasPrefix("/storage/v1/")
          ? ScriptedAnswer(404, text: "No such object: \(place)", type: "text/html; charset=UTF-8")
          : Self.xml(404, "NoSuchKey", "The specified key does not exist.")
      }
      var answer = ScriptedAnswer.honest(request, found.object, date: date)
      answer.fields["x-goog-generation"] = "\(found.generation)"
      answer.fields["x-goog-hash"] = "crc32c=AAAAAA=="
      answer.fields["x-goog-stored-content-encoding"] = state.encoded.contains(place) ? "gzip" : "identity"
      if state.encoded.contains(place) {
        guard request["Accept-Encoding"] == "gzip" else { return Self.xml(500, "Decompressed", "no ranges") }
        answer.fields["Content-Encoding"] = "gzip"
      }
      return answer
    }

    // MARK: refusing

    /// `true` if nothing is wrong with the request's token or signature.
    func accepts(_ request: ServerRequest) -> Bool {
      state.withLock { refusal(of: request, at: HTTPTime.now, $0) == nil }
    }

    private func refusal(of request: ServerRequest, at date: Int, _ state: State) -> ScriptedAnswer? {
      if state.demandsProject, request["x-goog-user-project"] == nil {
        return Self.xml(400, "UserProjectMissing", "Bucket is a requester pays bucket but no user project provided.")
      }
      if state.isPublic { return nil }
      guard let text = request["Authorization"] else {
        return Self.xml(
          403, "AccessDenied", "Access denied.", "Anonymous caller does not have storage.objects.get access")
      }
      if text.hasPrefix("Bearer ") {
        return state.tokens.contains(String(text.dropFirst(7)))
          ? nil : Self.xml(401, "AuthenticationRequired", "Authentication required.")
      }
      guard let time = request["x-goog-date"].flatMap({ SigningTime($0) }), abs(time.secondsSince1970 - date) <= 900
      else {
        return Self.xml(
          403, "RequestTimeTooSkewed", "The difference between the request time and the server is too large.")
      }
      for key in state.keys.values where text == signature(request, key, time) { return nil }
      return Self.xml(
        403, "SignatureDoesNotMatch", "The signature does not match.", "<StringToSign>hidden</StringToSign>")
    }

    /// The signature that is right for the target and the fields as they came.
    private func signature(_ request: ServerRequest, _ key: HMACKey, _ time: SigningTime) -> String? {
      let target = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let unsigned = UnsignedRequest(
        method: request.method, scheme: "http", host: request["Host"] ?? "", path: String(target[0]),
        query: target.count > 1 ? String(target[1]) : "", headers: request.fields.map { .init($0.name, $0.value) })
      let signer = RequestSigner(
        .google, keyID: key.accessID, secret: key.secret, region: "auto", service: "storage", keys: SigningKeys(.google)
      )
      return signer.headers(for: unsigned, at: time).last?.value
    }

    /// An error answer of the XML API.
    static func xml(_ status: Int, _ code: String, _ message: String, _ details: String = "") -> ScriptedAnswer {
      ScriptedAnswer(
        status,
        text: "<?xml version='1.0'?><Error><Code>\(code)</Code><Message>\(message)</Message>"
          + "<Details>\(details)</Details></Error>", type: "application/xml; charset=UTF-8")
    }

    /// An answer in JSON.
    static func json(_ text: String, status: Int = 200, _ fields: [ServedField] = []) -> ScriptedAnswer {
      ScriptedAnswer(status, fields, text: text, type: "application/json")
    }
  }

#endif
