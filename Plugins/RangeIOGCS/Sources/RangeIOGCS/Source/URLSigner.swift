#if GCS
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// Signs URLs that anybody can read an object with (V4).
  struct URLSigner: Sendable {
    /// The object's URL by the XML API, without a generation.
    let url: ObjectURL
    let generation: Int64?
    let credentials: GCSCredentials
    let places: CredentialPlaces

    /// The URL, which is good for so many seconds from now.
    func url(seconds: Int) async throws -> String {
      let time = SigningTime(secondsSince1970: places.now())
      let query: String
      switch credentials.kind {
      case .hmac(let key): query = Self.query(of: request, by: key, at: time, seconds)
      case .anonymous, .provider, .metadataServer: throw Self.noKey
      case .standard, .file, .json:
        guard let account = try await credentials.tokenSource(places) as? ServiceAccountKey else {
          throw Self.noKey
        }
        query = try Self.query(of: request, by: account, at: time, seconds)
      }
      return try url.with(path: url.path, query: query).text
    }

    private var request: UnsignedRequest {
      UnsignedRequest(
        scheme: url.scheme.rawValue, host: url.authority, path: url.path,
        query: generation.map { "generation=\($0)" } ?? "")
    }

    private static let noKey = ReadError(
      .invalidConfiguration, "only the key of a service account or an HMAC key can sign a URL: pass one as credentials")

    static func query(
      of request: UnsignedRequest, by key: HMACKey, at time: SigningTime, _ seconds: Int
    ) -> String {
      RequestSigner(
        .google, keyID: key.accessID, secret: key.secret, region: "auto", service: "storage",
        keys: SigningKeys(.google)
      ).presignedQuery(for: request, at: time, expiry: seconds)
    }

    static func query(
      of request: UnsignedRequest, by account: ServiceAccountKey, at time: SigningTime, _ seconds: Int
    ) throws(ReadError) -> String {
      let signer = RequestSigner(
        .googleRSA, keyID: account.email, secret: "", region: "auto", service: "storage", keys: SigningKeys(.googleRSA))
      let (query, text) = signer.presigning(request, at: time, expiry: seconds)
      return RequestSigner.query(query, signedBy: hexadecimal(try account.key.signature(of: text)), .googleRSA)
    }
  }

#endif
