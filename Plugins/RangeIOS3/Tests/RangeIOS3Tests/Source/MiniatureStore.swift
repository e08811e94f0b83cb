#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport

  @testable import RangeIOS3

  /// A store that a test scripts: it checks every signature over what came by the wire, has one region and a clock, and
  /// keeps versions.
  final class MiniatureStore: Sendable {
    struct State {
      /// Who may read, by access key.
      var accepted: [String: S3Credentials] = [:]
      /// Access keys whose time is over.
      var expired: Set<String> = []
      var region = "us-east-1"
      /// The clock minus that of this machine, in seconds.
      var clockOffset = 0
      var isPublic = false
      /// Readers may read the current version only, as with s3:GetObject alone.
      var forbidsVersions = false
      var demandsPayment = false
      /// Answers in place of the object, each once.
      var answers: [ScriptedAnswer] = []
      /// By path, the newest last. Without ids the bucket keeps no versions.
      var objects: [String: [(id: String?, object: ServedObject)]] = [:]
      /// How many sessions have begun.
      var sessions = 0
      /// Fields of the answer to who asks for checksums.
      var checksums: [String: String] = [:]
      /// The names that the bucket lists.
      var names = NamePages([])
      /// Codes of the answers that refused something.
      var refusals: [String] = []
    }
    private let state = Guarded(State())

    /// A signature is good for this many seconds before and after the clock.
    private static let tolerance = 900

    /// Changes how the store behaves.
    func set<Result: Sendable>(_ change: (inout State) -> Result) -> Result { state.withLock { change(&$0) } }

    /// The codes of refusals so far.
    var refusals: [String] { state.withLock { $0.refusals } }

    /// Puts an object at `/bucket/key`, not encoded.
    func put(_ object: ServedObject, at path: String, version: String? = nil) {
      state.withLock { state in
        if version == nil { state.objects[path] = [] }
        state.objects[path, default: []].append((version, object))
      }
    }

    /// As a script of a server.
    var script: ServerScript { ServerScript { [self] in answer($0.request) } }

    private func answer(_ request: ServerRequest) -> ScriptedAnswer {
      state.withLock { state in
        let date = HTTPTime.now + state.clockOffset
        var answer: ScriptedAnswer
        if let code = refusal(of: request, at: date, state) {
          state.refusals.append(code)
          answer = refused(code, state)
        } else if request.target.hasSuffix("/?session") {
          answer = beginSession(&state, date)
        } else if !state.answers.isEmpty {
          answer = state.answers.removeFirst()
        } else {
          answer = list(request, state.names) ?? content(request, state, date)
        }
        answer.fields["Date"] = HTTPTime.text(date)
        answer.isBodyless = request.method == "HEAD"
        return answer
      }
    }

    private func content(_ request: ServerRequest, _ state: State, _ date: Int) -> ScriptedAnswer {
      let versions = state.objects[request.path] ?? []
      let wanted = request.parameter("versionId")
      let found = wanted == nil ? versions.last : versions.last { $0.id.map(ObjectURL.encodedQuery) == wanted }
      guard let found else { return error(404, wanted == nil ? "NoSuchKey" : "NoSuchVersion") }
      var answer = ScriptedAnswer.honest(request, found.object, date: date)
      answer.fields["x-amz-version-id"] = found.id
      if request["x-amz-checksum-mode"] == "ENABLED" {
        for (name, value) in state.checksums { answer.fields[name] = value }
      }
      return answer
    }

    /// A session with a directory bucket, of five minutes.
    private func beginSession(_ state: inout State, _ date: Int) -> ScriptedAnswer {
      state.sessions += 1
      let number = state.sessions
      state.accepted["SESSION\(number)"] = S3Credentials(
        accessKeyID: "SESSION\(number)", secretAccessKey: "session secret \(number)", sessionToken: "session \(number)")
      return ScriptedAnswer(
        200,
        text: """
          <CreateSessionResult><Credentials><SessionToken>session \(number)</SessionToken>
          <SecretAccessKey>session secret \(number)</SecretAccessKey><AccessKeyId>SESSION\(number)</AccessKeyId>
          <Expiration>\(TokenFile.text(date + 300))</Expiration></Credentials></CreateSessionResult>
          """)
    }

    // MARK: refusing

    /// `true` if nothing is wrong with the request's signature.
    func accepts(_ request: ServerRequest) -> Bool {
      state.withLock { refusal(of: request, at: HTTPTime.now + $0.clockOffset, $0) == nil }
    }

    private func refusal(of request: ServerRequest, at date: Int, _ state: State) -> String? {
      if state.forbidsVersions, request.parameter("versionId") != nil { return "AccessDenied" }
      if state.demandsPayment, request["x-amz-request-payer"] != "requester" { return "AccessDenied" }
      guard let text = request["Authorization"] else { return state.isPublic ? nil : "AccessDenied" }
      var fields = HeaderFields()
      for field in request.fields { fields.set(field.name, field.value) }
      guard let sent = SentSignature(fields), let time = sent.time else { return "InvalidRequest" }
      if sent.region != state.region { return "AuthorizationHeaderMalformed" }
      if state.expired.contains(sent.accessKeyID) { return "ExpiredToken" }
      guard let keys = state.accepted[sent.accessKeyID] else { return "InvalidAccessKeyId" }
      if abs(time.secondsSince1970 - date) > Self.tolerance { return "RequestTimeTooSkewed" }
      return text == signature(request, keys, time, sent.region) ? nil : "SignatureDoesNotMatch"
    }

    /// The signature that is right for the target and the fields as they came.
    private func signature(
      _ request: ServerRequest, _ keys: S3Credentials, _ time: SigningTime, _ region: String
    ) -> String? {
      let target = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let unsigned = UnsignedRequest(
        method: request.method, scheme: "http", host: request["Host"] ?? "", path: String(target[0]),
        query: target.count > 1 ? String(target[1]) : "", headers: request.fields.map { .init($0.name, $0.value) })
      let isExpress = request["Authorization"]?.contains("/s3express/") == true
      let signer = RequestSigner(
        credentials: keys, region: region, service: isExpress ? "s3express" : "s3",
        form: request["x-amz-s3session-token"] == nil ? .amazon : .amazonExpress, keys: SigningKeys())
      return signer.headers(for: unsigned, at: time).last?.value
    }

    private func refused(_ code: String, _ state: State) -> ScriptedAnswer {
      switch code {
      case "AuthorizationHeaderMalformed":
        var answer = error(400, code, "<Region>\(state.region)</Region>")
        answer.fields["x-amz-bucket-region"] = state.region
        return answer
      case "ExpiredToken", "InvalidRequest": return error(400, code)
      default: return error(403, code)
      }
    }

    /// An error answer as S3 sends it.
    func error(_ status: Int, _ code: String, _ more: String = "") -> ScriptedAnswer {
      ScriptedAnswer(
        status, text: "<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code><Message>m</Message>\(more)</Error>",
        type: "application/xml")
    }
  }

#endif
