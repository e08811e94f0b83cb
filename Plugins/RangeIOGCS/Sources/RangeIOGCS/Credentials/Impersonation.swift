#if GCS
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Another account's token for a service account (IAM Credentials API, `generateAccessToken`).
  struct Impersonation: TokenSource {
    private let url: String
    private let delegates: [String]
    private let caller: any TokenSource
    private let quotaProject: String?
    /// The time that tokens are good for, in seconds.
    private let lifetime: Int

    private static let action = ":generateAccessToken"

    /// The member `service_account_impersonation` of a file of credentials.
    struct Settings: Decodable, Sendable {
      var token_lifetime_seconds: Int?
    }

    /// A document of the type `impersonated_service_account`.
    init(_ document: CredentialsDocument) throws(ReadError) {
      guard let source = document.source_credentials else {
        _ = try document.required(nil, "source_credentials")
        throw ReadError(.invalidConfiguration, "the credentials lack source_credentials: make them again")
      }
      // No chain of them: a file that names itself would have no end.
      guard source.type != "impersonated_service_account" else {
        throw ReadError(
          .invalidConfiguration,
          "the source_credentials are impersonated_service_account too: name the accounts between as delegates")
      }
      try self.init(document, by: source.tokenSource())
    }

    /// - Parameter caller: who asks.
    init(_ document: CredentialsDocument, by caller: any TokenSource) throws(ReadError) {
      let name = "service_account_impersonation_url"
      let text = try document.required(document.service_account_impersonation_url, name)
      url = try document.url(text, name) ?? ""
      guard url.hasSuffix(Self.action) else {
        throw ReadError(
          .invalidConfiguration, "\(name) in the credentials does not end with \(Self.action): correct it")
      }
      self.caller = caller
      delegates = document.delegates ?? []
      quotaProject = document.quota_project_id
      lifetime = document.service_account_impersonation?.token_lifetime_seconds ?? ServiceAccountKey.lifetime
      guard 600...43_200 ~= lifetime else {
        throw ReadError(
          .invalidConfiguration, "token_lifetime_seconds in the credentials is not from 600 to 43,200: correct it")
      }
    }

    private struct Question: Encodable {
      var delegates: [String]
      var scope: [String]
      var lifetime: String
    }

    private struct Answer: Decodable {
      var accessToken: String
      var expireTime: String?
    }

    func token(for scope: TokenScope, _ places: CredentialPlaces) async throws -> GCSToken {
      let own = try await caller.token(for: .platform, places)
      let question = try JSONEncoder().encode(
        Question(delegates: delegates, scope: [scope.rawValue], lifetime: "\(lifetime)s"))
      let answer = try await places.send(
        CredentialPlaces.Request(
          method: "POST", url: url,
          fields: HeaderFields(["Authorization": "Bearer \(own.value)", "Content-Type": "application/json"]),
          body: Array(question), timeout: TokenExchange.timeout, isLocal: false))
      guard answer.status == 200 else { throw Self.refused(answer) }
      // `try?`: what cannot be decoded has no token.
      guard let decoded = try? JSONDecoder().decode(Answer.self, from: Data(answer.body)), !decoded.accessToken.isEmpty
      else {
        throw ReadError(
          .invalidResponse, "the answer of IAM Credentials has no accessToken: check the URL in the credentials")
      }
      let expiry = decoded.expireTime.flatMap { SigningTime($0) }?.secondsSince1970
      return GCSToken(decoded.accessToken, expiry: expiry, quotaProject: quotaProject ?? own.quotaProject)
    }

    private static func refused(_ answer: CredentialPlaces.Answer) -> ReadError {
      let document = GCSErrorDocument(answer.body)
      let isBusy = answer.status == 429 || answer.status >= 500
      let message = document.message.map { " (\($0))" } ?? ""
      return ReadError(
        isBusy ? .inputOutput : .permissionDenied,
        "IAM Credentials gave no token for the service account: \(document.code ?? "status \(answer.status)")\(message): "
          + "give the caller the role Service Account Token Creator on it", isTransient: isBusy)
    }
  }

#endif
