#if S3
  internal import RangeIORemote
  internal import RangeIOSupport

  /// The signature of a request that was sent, by its fields. Two reads may be refused together: the second finds here
  /// that the first has already replaced what was wrong.
  struct SentSignature: Equatable, Sendable {
    var accessKeyID: String
    var region: String
    /// When it was signed, by the clock that was assumed.
    var time: SigningTime?
    var sessionToken: String?

    /// `nil` for a request without a signature.
    init?(_ fields: HeaderFields) {
      guard let text = fields["Authorization"], let mark = text.utf8Range(of: "Credential=") else { return nil }
      // The access key may have slashes of its own.
      let scope = text[mark.upperBound...].prefix { $0 != "," }.split(separator: "/", omittingEmptySubsequences: false)
      guard scope.count >= 5 else { return nil }
      accessKeyID = scope.dropLast(4).joined(separator: "/")
      region = String(scope[scope.count - 3])
      time = fields["x-amz-date"].flatMap { SigningTime($0) }
      sessionToken = fields["x-amz-security-token"] ?? fields["x-amz-s3session-token"]
    }

    /// `true` if it was made with `credentials`.
    func isMade(with credentials: S3Credentials) -> Bool {
      accessKeyID.hasSameBytes(as: credentials.accessKeyID)
        && (sessionToken ?? "").hasSameBytes(as: credentials.sessionToken ?? "")
    }
  }

#endif
