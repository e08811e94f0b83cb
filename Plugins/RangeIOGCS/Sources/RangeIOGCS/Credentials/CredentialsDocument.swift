#if GCS
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote

  /// A file of credentials as Google's tools write it, of any type. Names are those of the file.
  ///
  /// A message about a document never shows its contents, except the type and the names of members.
  final class CredentialsDocument: Decodable, Sendable {
    let type: String?
    let universe_domain: String?
    let quota_project_id: String?
    // service_account
    let client_email: String?
    let private_key: String?
    let private_key_id: String?
    let token_uri: String?
    // authorized_user, and external_account that says who asks
    let client_id: String?
    let client_secret: String?
    let refresh_token: String?
    // external_account
    let audience: String?
    let subject_token_type: String?
    let token_url: String?
    let credential_source: SubjectToken.Document?
    let workforce_pool_user_project: String?
    // impersonated_service_account, and external_account that ends as one
    let service_account_impersonation_url: String?
    let service_account_impersonation: Impersonation.Settings?
    let delegates: [String]?
    let source_credentials: CredentialsDocument?

    /// Parses `text`.
    ///
    /// - Throws: `ReadError` with `invalidConfiguration`.
    static func parse(_ text: String) throws(ReadError) -> CredentialsDocument {
      do {
        return try JSONDecoder().decode(CredentialsDocument.self, from: Data(text.utf8))
      } catch {
        // The decoder's own error may show parts of the document.
        throw ReadError(
          .invalidConfiguration,
          "the credentials are no JSON object as Google's tools write it: download the key, or log in, again")
      }
    }

    /// What tokens come from.
    ///
    /// - Parameter signsTokens: `true` if a service account's key is to sign tokens itself.
    func tokenSource(signsTokens: Bool = false) throws(ReadError) -> any TokenSource {
      if let universe_domain, universe_domain != "googleapis.com" {
        throw ReadError(
          .invalidConfiguration,
          "the credentials are of the universe '\(universe_domain.prefix(64))', which is not supported: "
            + "pass tokens by a provider")
      }
      switch type {
      case "service_account": return try ServiceAccountKey(self, signsTokens: signsTokens)
      case "authorized_user": return try AuthorizedUser(self)
      case "external_account": return try ExternalAccount.source(self)
      case "impersonated_service_account": return try Impersonation(self)
      default:
        let shown = GCSErrorDocument.name(type).map { "the type '\($0)'" } ?? "no type that can be read"
        throw ReadError(
          .invalidConfiguration,
          "the credentials have \(shown), which is not supported: use a service_account, authorized_user, "
            + "external_account or impersonated_service_account, or pass tokens by a provider")
      }
    }

    /// `value`, which the member called `name` has.
    func required(_ value: String?, _ name: String) throws(ReadError) -> String {
      guard let value, !value.isEmpty else {
        throw ReadError(
          .invalidConfiguration,
          "the credentials of type '\(GCSErrorDocument.name(type) ?? "")' lack \(name): download or make them again")
      }
      return value
    }

    /// `value` if it is the URL of a server that a secret may be sent to.
    func url(_ value: String?, _ name: String) throws(ReadError) -> String? {
      guard let value, !value.isEmpty else { return nil }
      // `try?`: what is no URL is refused below.
      guard let parsed = try? ObjectURL(value), parsed.user == nil, parsed.scheme == .https || parsed.isLoopback
      else {
        throw ReadError(
          .invalidConfiguration, "\(name) in the credentials is no https URL: secrets are sent there, so correct it")
      }
      return value
    }
  }

#endif
