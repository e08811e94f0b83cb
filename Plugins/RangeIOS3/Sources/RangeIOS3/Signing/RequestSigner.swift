#if S3
  internal import Crypto
  internal import Foundation
  internal import RangeIORemote

  /// Signs requests without a body by AWS Signature Version 4, in fields of the head or in the query. Pure: the time is
  /// given.
  ///
  /// Equal to botocore's `S3SigV4Auth` and `S3SigV4QueryAuth`, which `SignatureTests` compares it with.
  struct RequestSigner: Sendable {
    /// The statement about the body.
    enum Payload: String, Sendable {
      /// Not covered by the signature.
      case unsigned = "UNSIGNED-PAYLOAD"
      /// Empty: the SHA-256 of nothing.
      case empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    }

    let credentials: S3Credentials
    let region: String
    let keys: SigningKeys
    var service = "s3"

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// Returns the fields to add to the head of `request`: `x-amz-date`, `x-amz-content-sha256`, `x-amz-security-token`
    /// with temporary credentials, and `Authorization`. Fields of these names in `request` are not covered.
    func headers(
      for request: UnsignedRequest, at time: SigningTime, payload: Payload = .empty
    ) -> [UnsignedRequest.Header] {
      var added: [UnsignedRequest.Header] = [
        .init("x-amz-content-sha256", payload.rawValue), .init("x-amz-date", time.stamp),
      ]
      if let token = credentials.sessionToken { added.append(.init("x-amz-security-token", token)) }
      var request = request
      request.headers.removeAll { header in
        let name = header.name.lowercased()
        return name == "x-amz-security-token" || added.contains { $0.name == name }
      }
      request.headers += added
      let signed = request.signedFields.map(\.name).joined(separator: ";")
      let signature = signature(of: request.canonical(payload: payload.rawValue), at: time)
      let authorization =
        "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope(time)), SignedHeaders=\(signed), "
        + "Signature=\(signature)"
      return added + [.init("Authorization", authorization)]
    }

    /// Returns the query of a URL that anybody can use until it expires: that of `request`, then the signature.
    ///
    /// - Parameter expiry: seconds from `time`, from 1 to 604,800 (a week).
    func presignedQuery(for request: UnsignedRequest, at time: SigningTime, expiry: Int) -> String {
      var parameters = [
        ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope(time))"),
        ("X-Amz-Date", time.stamp), ("X-Amz-Expires", String(expiry)),
        ("X-Amz-SignedHeaders", request.signedFields.map(\.name).joined(separator: ";")),
      ]
      if let token = credentials.sessionToken { parameters.append(("X-Amz-Security-Token", token)) }
      let added = parameters.map { "\($0.0)=\(ObjectURL.encodedQuery($0.1))" }.joined(separator: "&")
      var request = request
      request.query = request.query.isEmpty ? added : "\(request.query)&\(added)"
      let signature = signature(of: request.canonical(payload: Payload.unsigned.rawValue), at: time)
      return "\(request.query)&X-Amz-Signature=\(signature)"
    }

    private func scope(_ time: SigningTime) -> String { "\(time.day)/\(region)/\(service)/aws4_request" }

    private func signature(of canonical: String, at time: SigningTime) -> String {
      let digest = hexadecimal(SHA256.hash(data: Array(canonical.utf8)))
      let text = "\(Self.algorithm)\n\(time.stamp)\n\(scope(time))\n\(digest)"
      let key = keys.key(secret: credentials.secretAccessKey, day: time.day, region: region, service: service)
      return hexadecimal(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
  }

#endif
