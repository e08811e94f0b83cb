#if S3
  internal import Crypto
  internal import Foundation
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// What `aws login` leaves: keys in a file, which are renewed by a token that only the holder of a key may use (DPoP,
  /// RFC 9449).
  struct LoginSession: Equatable, Sendable {
    /// The profile's name, for errors.
    let profile: String
    /// The value of `login_session`: the ARN of who signed in.
    let session: String

    /// Keys are renewed this many seconds before they end, as the AWS tools do it.
    private static let early = 300

    /// The file: named by the SHA-256 of the session.
    func path(_ places: CredentialPlaces) -> String {
      let directory = places.variable("AWS_LOGIN_CACHE_DIRECTORY") ?? "~/.aws/login/cache"
      return places.path("\(directory)/\(RangeIOSupport.SHA256.hexDigest(Array(session.utf8))).json")
    }

    /// The keys, renewed if they end soon.
    ///
    /// - Parameter region: whose service is asked if the file names none.
    /// - Throws: `permissionDenied` if the session has ended.
    func credentials(_ endpoints: ConfiguredEndpoints, region: String) async throws -> S3Credentials {
      let path = path(endpoints.places)
      return try await endpoints.places.renewing(path) { try await credentials(path, endpoints, region) }
    }

    private func credentials(
      _ path: String, _ endpoints: ConfiguredEndpoints, _ region: String
    ) async throws -> S3Credentials {
      let places = endpoints.places
      guard let file = try await TokenFile.read(path, places) else { throw signIn("is not there") }
      guard let kept = Self.keys(of: file) else { throw signIn("is not complete") }
      let left = (kept.expiry ?? 0) - places.now()
      if left > Self.early { return kept }
      do {
        let renewed = try await renewed(file, endpoints, file["signInRegion"] ?? region)
        guard let keys = Self.keys(of: renewed) else { throw signIn("is not complete") }
        await renewed.save(path, places)
        return keys
      } catch let error as ReadError where left > 0 && error.code != .closed {
        // Still good for a while.
        return kept
      }
    }

    private static func keys(of file: TokenFile) -> S3Credentials? {
      guard let keys = file.inner("accessToken"), let id = keys["accessKeyId"], let secret = keys["secretAccessKey"],
        let token = keys["sessionToken"], let expiry = keys.time("expiresAt")
      else { return nil }
      return S3Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token, expiry: expiry)
    }

    /// The file with new keys (`CreateOAuth2Token`).
    private func renewed(
      _ file: TokenFile, _ endpoints: ConfiguredEndpoints, _ region: String
    ) async throws -> TokenFile {
      let places = endpoints.places
      guard let pem = file["dpopKey"], let refresh = file["refreshToken"], let client = file["clientId"],
        // `try?`: what is no key is told here.
        let key = try? P256.Signing.PrivateKey(pemRepresentation: pem)
      else { throw signIn("cannot be renewed") }
      let url = "\(try endpoints.url(of: .signIn, in: region))/v1/token"
      let form = ["clientId": client, "grantType": "refresh_token", "refreshToken": refresh]
      let proof = try KeyProof(key: key, url: url, time: places.now(), id: UUID().uuidString.lowercased()).text()
      let answer = try await places.send(
        CredentialPlaces.Request(
          method: "POST", url: url, fields: HeaderFields(["Content-Type": "application/json", "DPoP": proof]),
          body: Array(try JSONSerialization.data(withJSONObject: form)), timeout: .seconds(10), isLocal: false))
      if answer.status == 429 || answer.status >= 500 {
        throw ReadError(
          .inputOutput, "the session of the profile '\(profile)' was not renewed: status \(answer.status): try again",
          isTransient: true)
      }
      guard answer.status == 200 else { throw signIn("has ended") }
      let output = try TokenFile(answer.body, what: "the answer of the sign-in's service")
      guard var keys = output.inner("accessToken"), let seconds = output.duration("expiresIn"),
        let refresh = output["refreshToken"]
      else { throw signIn("is not complete") }
      keys["accountId"] = file.inner("accessToken")?["accountId"]
      keys["expiresAt"] = TokenFile.text(places.now() + seconds)
      var file = file
      file.set("accessToken", keys)
      file["refreshToken"] = refresh
      return file
    }

    private func signIn(_ how: String) -> ReadError {
      ReadError(.permissionDenied, "the session of the profile '\(profile)' \(how): run aws login --profile \(profile)")
    }
  }

  /// The proof that who sends a request holds a key: a signed JSON token of RFC 9449, section 4.2.
  struct KeyProof {
    let key: P256.Signing.PrivateKey
    let url: String
    /// Seconds since 1970.
    let time: Int
    /// Unique for each.
    let id: String

    /// The value of the field `DPoP`.
    func text() throws -> String {
      let point = Array(key.publicKey.rawRepresentation)
      let (x, y) = (Self.encoded(point.prefix(32)), Self.encoded(point.suffix(32)))
      let header =
        #"{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","x":"\#(x)","y":"\#(y)","crv":"P-256"}}"#
      let claims = try JSONSerialization.data(withJSONObject: ["htm": "POST", "htu": url, "iat": time, "jti": id])
      let text = "\(Self.encoded(header.utf8)).\(Self.encoded(claims))"
      let signature = try key.signature(for: Data(text.utf8)).rawRepresentation
      return "\(text).\(Self.encoded(signature))"
    }

    private static func encoded(_ bytes: some Sequence<UInt8>) -> String {
      let text = Base64.text(Array(bytes)).prefix { $0 != "=" }
      return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
  }

#endif
