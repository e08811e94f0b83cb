#if GCS
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Asks a token server for an access token (RFC 6749, section 4 and 5), by a form in the body.
  struct TokenExchange: Sendable {
    /// What is asked, as the subject of a sentence.
    var server: String
    var url: String
    var form: [(name: String, value: String)]
    var fields = HeaderFields()
    /// What to check if the server refuses.
    var advice: String

    /// Google's own server.
    static let googleURL = "https://oauth2.googleapis.com/token"
    /// The most time for an exchange.
    static let timeout = Duration.seconds(20)

    private struct Answer: Decodable {
      var access_token: String?
      var expires_in: WrittenNumber?
      var error: String?
      var error_description: String?
    }

    /// Sends the form and returns the token.
    func token(_ places: CredentialPlaces) async throws -> GCSToken {
      // In the body: a URL may be logged on its way.
      let body = form.map { "\($0.name)=\(ObjectURL.encodedQuery($0.value))" }.joined(separator: "&")
      let sent = places.now()
      var fields = fields
      fields.set("Content-Type", "application/x-www-form-urlencoded")
      let answer = try await places.send(
        CredentialPlaces.Request(
          method: "POST", url: url,
          fields: fields, body: Array(body.utf8),
          timeout: Self.timeout, isLocal: false))
      // `try?`: what cannot be decoded says nothing.
      let decoded = try? JSONDecoder().decode(Answer.self, from: Data(answer.body))
      guard answer.status == 200 else { throw refused(answer.status, decoded) }
      guard let token = decoded?.access_token, !token.isEmpty else {
        throw ReadError(.invalidResponse, "the answer of \(server) has no access_token: check its URL")
      }
      return GCSToken(token, expiry: decoded?.expires_in?.value.map { Self.end(sent, $0) })
    }

    /// A number that does not overflow.
    static func end(_ now: Int, _ seconds: Int) -> Int { now + min(max(seconds, 0), 31_536_000) }

    private func refused(_ status: Int, _ answer: Answer?) -> ReadError {
      let isBusy = status == 429 || status >= 500
      let code = GCSErrorDocument.name(answer?.error) ?? "status \(status)"
      // A server that repeats what was sent to it would show a secret.
      let text = answer?.error_description.flatMap { GCSErrorDocument.line($0) }
      let isHarmless =
        text.map { text in !form.contains { $0.value.utf8.count > 8 && text.contains($0.value) } } ?? false
      // `decoding` repairs what the limit cuts in two.
      let shown = isHarmless ? text.map { " (\(String(decoding: $0.utf8.prefix(300), as: UTF8.self)))" } ?? "" : ""
      return ReadError(
        isBusy ? .inputOutput : .permissionDenied, "\(server) gave no token: \(code)\(shown): \(advice)",
        isTransient: isBusy)
    }
  }

#endif
