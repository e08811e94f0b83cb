#if S3 || GCS

  /// Signs requests by a signature of version 4, in fields of the head or in the query. Pure: the time is
  /// given.
  ///
  /// Equal to botocore's `S3SigV4Auth` and `S3SigV4QueryAuth`, and to the signed URLs of google-cloud-storage, which tests of
  /// the plugins compare it with.
  public struct RequestSigner: Sendable {
    /// The statement about the body.
    public enum Payload: Sendable {
      /// Not covered by the signature.
      case unsigned
      /// There is none.
      case empty
      /// These bytes.
      case bytes([UInt8])

      /// As it stands in the request.
      var text: String {
        switch self {
        case .unsigned: "UNSIGNED-PAYLOAD"
        // The SHA-256 of nothing.
        case .empty: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        case .bytes(let bytes): SHA256.hexDigest(bytes)
        }
      }
    }

    private let form: SignatureForm
    /// The name of the key.
    private let keyID: String
    private let secret: String
    private let sessionToken: String?
    private let region: String
    private let service: String
    private let keys: SigningKeys

    /// A signer.
    ///
    /// - Parameters:
    ///   - keyID: the name of the key, or of the account.
    ///   - secret: the secret of the key; empty if another signs what ``presigning(_:at:expiry:)`` returns.
    ///   - keys: the keys derived so far, of the same form.
    public init(
      _ form: SignatureForm, keyID: String, secret: String, sessionToken: String? = nil, region: String,
      service: String, keys: SigningKeys
    ) {
      self.form = form
      self.keyID = keyID
      self.secret = secret
      self.sessionToken = sessionToken
      self.region = region
      self.service = service
      self.keys = keys
    }

    /// Returns the fields to add to the head of `request`: those of the date, the payload and the session token of temporary
    /// credentials, and `Authorization`. Fields of these names in `request` are not covered.
    public func headers(
      for request: UnsignedRequest, at time: SigningTime, payload: Payload = .empty
    ) -> [UnsignedRequest.Header] {
      let tokenField = form.fieldPrefix + form.tokenName.lowercased()
      let payload = payload.text
      var added: [UnsignedRequest.Header] = [
        .init(form.fieldPrefix + "content-sha256", payload), .init(form.fieldPrefix + "date", time.stamp),
      ]
      if let sessionToken { added.append(.init(tokenField, sessionToken)) }
      var request = request
      request.fieldPrefix = form.fieldPrefix
      request.headers.removeAll { header in
        let name = header.name.lowercased()
        return name == tokenField || added.contains { $0.name == name }
      }
      request.headers += added
      let signed = request.signedFields.map(\.name).joined(separator: ";")
      let signature = signature(of: text(request.canonical(payload: payload), time), time)
      let authorization =
        "\(form.algorithm) Credential=\(keyID)/\(scope(time)), SignedHeaders=\(signed), Signature=\(signature)"
      return added + [.init("Authorization", authorization)]
    }

    /// Returns the query of a URL that anybody can use until it expires: that of `request`, then the signature.
    ///
    /// - Parameter expiry: seconds from `time`, from 1 to 604,800 (a week).
    public func presignedQuery(for request: UnsignedRequest, at time: SigningTime, expiry: Int) -> String {
      let (query, text) = presigning(request, at: time, expiry: expiry)
      return Self.query(query, signedBy: signature(of: text, time), form)
    }

    /// The query of such a URL but for its signature, and the text to sign.
    public func presigning(
      _ request: UnsignedRequest, at time: SigningTime, expiry: Int
    ) -> (query: String, text: String) {
      var request = request
      request.fieldPrefix = form.fieldPrefix
      var parameters = [
        ("Algorithm", form.algorithm), ("Credential", "\(keyID)/\(scope(time))"), ("Date", time.stamp),
        ("Expires", String(expiry)),
        ("SignedHeaders", request.signedFields.map(\.name).joined(separator: ";")),
      ]
      if let sessionToken { parameters.append((form.tokenName, sessionToken)) }
      let added = parameters.map { name, value in
        "\(form.parameterPrefix)\(name)=\(PercentCoding.encoded(value, keeping: nil))"
      }
      request.query = ((request.query.isEmpty ? [] : [request.query]) + added).joined(separator: "&")
      return (request.query, text(request.canonical(payload: Payload.unsigned.text), time))
    }

    /// `query` with the signature that was made of its text.
    public static func query(_ query: String, signedBy signature: String, _ form: SignatureForm) -> String {
      "\(query)&\(form.parameterPrefix)Signature=\(signature)"
    }

    private func scope(_ time: SigningTime) -> String { "\(time.day)/\(region)/\(service)/\(form.terminator)" }

    /// The text to sign of a canonical request.
    private func text(_ canonical: String, _ time: SigningTime) -> String {
      "\(form.algorithm)\n\(time.stamp)\n\(scope(time))\n\(SHA256.hexDigest(Array(canonical.utf8)))"
    }

    private func signature(of text: String, _ time: SigningTime) -> String {
      keys.signature(of: text, secret: secret, day: time.day, region: region, service: service)
    }
  }

#endif
