#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport

  @testable import RangeIOAzure

  /// A blob service that a test scripts: it checks every signature over what came by the wire, and has a clock, versions and
  /// snapshots. Its account is in the path, as in an emulator.
  final class BlobStore: Sendable {
    struct State {
      var keys: [SharedKey] = []
      /// Signatures and tokens that let their holder read, as they stand in requests.
      var accepted: Set<String> = []
      var isPublic = false
      /// The clock minus that of this machine, in seconds.
      var clockOffset = 0
      /// Answers in place of the blob, each once.
      var answers: [ScriptedAnswer] = []
      /// By path, and by the parameter that names the version or snapshot; the present state without one.
      var blobs: [String: [String: ServedObject]] = [:]
      /// The names that the container lists.
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

    /// Puts a blob at `/account/container/blob`, not encoded; `moment` as in `versionid=…`.
    func put(_ object: ServedObject, at path: String, moment: String = "") {
      state.withLock { $0.blobs[path, default: [:]][moment] = object }
    }

    /// As a script of a server.
    var script: ServerScript { ServerScript { [self] in answer($0.request) } }

    private func answer(_ request: ServerRequest) -> ScriptedAnswer {
      state.withLock { state in
        let date = HTTPTime.now + state.clockOffset
        var answer: ScriptedAnswer
        if let (status, code) = refusal(of: request, at: date, state) {
          state.refusals.append(code)
          answer = error(status, code)
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
      // The service answers no range that counts from the end.
      if case .suffix? = request.range { return error(400, "InvalidHeaderValue") }
      let moment = ["versionid", "snapshot"].compactMap { name in request.parameter(name).map { "\(name)=\($0)" } }
        .first
      guard let found = state.blobs[request.path]?[moment ?? ""] else { return error(404, "BlobNotFound") }
      return ScriptedAnswer.honest(request, found, date: date)
    }

    // MARK: refusing

    /// `true` if nothing is wrong with the request's signature.
    func accepts(_ request: ServerRequest) -> Bool {
      state.withLock { refusal(of: request, at: HTTPTime.now + $0.clockOffset, $0) == nil }
    }

    private func refusal(of request: ServerRequest, at date: Int, _ state: State) -> (Int, String)? {
      guard request["x-ms-version"] == AzureAuthority.serviceVersion else { return (400, "InvalidHeaderValue") }
      if request.parameter("sig") != nil {
        let isGood = state.accepted.contains { request.query?.hasSuffix($0) == true }
        return isGood ? nil : (403, "AuthenticationFailed")
      }
      guard let text = request["Authorization"] else { return state.isPublic ? nil : (404, "ResourceNotFound") }
      if text.hasPrefix("Bearer ") { return state.accepted.contains(text) ? nil : (401, "InvalidAuthenticationInfo") }
      guard let time = request["x-ms-date"].flatMap({ HTTPDate($0) }) else { return (400, "MissingRequiredHeader") }
      guard abs(time.secondsSince1970 - date) <= Self.tolerance else { return (403, "AuthenticationFailed") }
      guard let sent = sent(request) else { return (400, "InvalidUri") }
      let isSigned = state.keys.contains { $0.authorization(request.method, sent) == text }
      return isSigned ? nil : (403, "AuthenticationFailed")
    }

    /// The request as it came by the wire; `nil` for a target that makes no URL.
    private func sent(_ request: ServerRequest) -> PreparedRequest? {
      var fields = HeaderFields()
      for field in request.fields { fields.set(field.name, field.value) }
      let target = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      // `try?`: what makes no URL is refused.
      let url = try? ObjectURL(
        scheme: .http, host: "localhost", path: target[0], query: target.count > 1 ? target[1] : nil)
      return url.map { PreparedRequest(url: $0, fields: fields) }
    }

    /// An error answer as the service sends it.
    func error(_ status: Int, _ code: String) -> ScriptedAnswer {
      var answer = ScriptedAnswer(
        status, text: "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>m\nRequestId:1</Message></Error>",
        type: "application/xml")
      answer.fields["x-ms-error-code"] = code
      return answer
    }
  }

#endif
