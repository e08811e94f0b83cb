#if S3
  internal import Crypto
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The token that a sign-in to IAM Identity Center (SSO) has left in a file, and its renewal.
  struct SSOToken: Sendable {
    private let login: SSOLogin

    /// Tokens are renewed this many seconds before they end, as the AWS tools do it.
    private static let early = 900

    init(_ login: SSOLogin) { self.login = login }

    /// The file: named by the SHA-1 of the session's name, or of the portal's URL in the older form.
    var path: String {
      let name = Insecure.SHA1.hash(data: Data((login.session ?? login.startURL).utf8))
      return "~/.aws/sso/cache/\(hexadecimal(name)).json"
    }

    /// The token, renewed if it ends soon.
    ///
    /// - Throws: `permissionDenied` if it has ended and cannot be renewed.
    func current(_ endpoints: ConfiguredEndpoints) async throws -> String {
      let path = endpoints.places.path(path)
      return try await endpoints.places.renewing(path) { try await current(path, endpoints) }
    }

    private func current(_ path: String, _ endpoints: ConfiguredEndpoints) async throws -> String {
      let places = endpoints.places
      guard let file = try await TokenFile.read(path, places) else { throw login.signIn("is not there") }
      guard let token = file["accessToken"], let expiry = file.time("expiresAt") else {
        throw login.signIn("is not complete")
      }
      let left = expiry - places.now()
      if login.session == nil || left >= Self.early {
        if left <= 0 { throw login.signIn("has ended") }
        return token
      }
      do {
        guard let renewed = try await renewed(file, endpoints), let token = renewed["accessToken"] else {
          throw login.signIn("has ended")
        }
        await renewed.save(path, places)
        return token
      } catch let error as ReadError where left > 0 && error.code != .closed {
        // Still good for a while.
        return token
      }
    }

    /// The file with a new token (`CreateToken`); `nil` if the sign-in cannot be renewed any more.
    private func renewed(_ file: TokenFile, _ endpoints: ConfiguredEndpoints) async throws -> TokenFile? {
      let places = endpoints.places
      guard let refresh = file["refreshToken"], let client = file["clientId"], let secret = file["clientSecret"],
        let registration = file.time("registrationExpiresAt"), registration > places.now()
      else { return nil }
      let form = ["clientId": client, "clientSecret": secret, "grantType": "refresh_token", "refreshToken": refresh]
      let answer = try await places.send(
        CredentialPlaces.Request(
          method: "POST", url: "\(try endpoints.url(of: .ssoOIDC, in: login.region))/token",
          fields: HeaderFields(["Content-Type": "application/json"]),
          body: Array(try JSONSerialization.data(withJSONObject: form)), timeout: .seconds(10), isLocal: false))
      if answer.status == 429 || answer.status >= 500 {
        throw ReadError(
          .inputOutput,
          "the sign-in of the profile '\(login.profile)' (SSO) was not renewed: status \(answer.status): "
            + "try again", isTransient: true)
      }
      guard answer.status == 200 else { return nil }
      let output = try TokenFile(answer.body, what: "the answer of the sign-in's service (SSO)")
      guard let token = output["accessToken"], let seconds = output.duration("expiresIn") else { return nil }
      var file = file
      file["accessToken"] = token
      file["expiresAt"] = TokenFile.text(places.now() + seconds)
      if let refresh = output["refreshToken"] { file["refreshToken"] = refresh }
      (file["startUrl"], file["region"]) = (login.startURL, login.region)
      return file
    }
  }

#endif
