#if S3
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// An answer by which S3 refuses a request, and what it means. Pure.
  struct S3Refusal: Sendable {
    var status: Int
    var document: ErrorDocument
    /// Where the bucket is, by the head.
    var bucketRegion: String?
    /// The server's clock, seconds since 1970.
    var serverTime: Int?

    init(_ head: ResponseHead, body: [UInt8]) {
      status = head.status
      document = ErrorDocument(body)
      bucketRegion = head.fields["x-amz-bucket-region"].flatMap { XMLText.isName($0) ? $0 : nil }
      serverTime =
        head.fields["Date"].flatMap { HTTPDate($0) }?.secondsSince1970
        ?? XMLText.first("ServerTime", in: body).flatMap { SigningTime($0) }?.secondsSince1970
    }

    /// The request that was refused.
    struct Request: Sendable {
      var method: RequestPlan.Method
      /// `nil` for an anonymous request.
      var signature: SentSignature?
      var bucket: String
      /// `true` if a signature for the region, or a request to its host, would be another than the one that was sent.
      var differs: @Sendable (_ region: String) -> Bool
      /// Seconds since 1970 by our clock.
      var now: Int
      var requesterPays: Bool
      /// It asked for the names in the bucket.
      var lists = false
    }

    /// A request that is signed this many seconds early or late is accepted (AWS: 15 minutes; others fewer).
    static let tolerance = 240

    /// Decides what to do: mend and ask again, fail, or let the transport decide by the status.
    func verdict(on request: Request) -> RefusalVerdict {
      if let region = bucketRegion ?? document.region, request.differs(region) { return .mend(.region(region)) }
      // Without a body, a GET tells more: the transport sends one after a verdict of none.
      if request.method == .head { return .none }
      switch document.code {
      case "RequestTimeTooSkewed":
        guard let serverTime, let signed = request.signature?.time,
          abs(serverTime - signed.secondsSince1970) > Self.tolerance
        else { return .fail(failure(request)) }
        return .mend(.clock(offset: serverTime - request.now))
      case let code? where Self.expired.contains(code) && request.signature != nil: return .mend(.credentials)
      case nil where status == 401 && request.signature != nil: return .mend(.credentials)
      case "SlowDown", "ServiceUnavailable", "Busy", "RequestLimitExceeded", "Throttling", "InternalError":
        return .none
      // Stores have codes of their own for what passes, as for a server that has just begun.
      case _ where status == 503: return .none
      case nil where [301, 307, 308, 404, 410].contains(status): return .none
      case "TemporaryRedirect": return .none
      default: return .fail(failure(request))
      }
    }

    /// The rights do not suffice. An answer to HEAD has no code.
    var deniesAccess: Bool { status == 403 && document.code ?? "AccessDenied" == "AccessDenied" }

    /// Codes that other credentials may help against.
    private static let expired: Set<String> = [
      "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId",
      "InvalidClientTokenId", "InvalidTokenId",
    ]

    /// The error: what S3 did, and what to do about it.
    func failure(_ request: Request) -> ReadError {
      let (kind, advice, isTransient) = meaning(request)
      let code = document.code ?? "status \(status)"
      let message = document.message.map { " (\($0))" } ?? ""
      return ReadError(kind, "S3 refuses the request: \(code)\(message): \(advice)", isTransient: isTransient)
    }

    private func meaning(_ request: Request) -> (ReadError.Code, advice: String, isTransient: Bool) {
      switch document.code {
      case "AccessDenied", "AllAccessDisabled", "AccountProblem": (.permissionDenied, accessAdvice(request), false)
      case "SignatureDoesNotMatch":
        (.permissionDenied, "check the secret access key, and that no proxy changes the path or the host", false)
      case "InvalidAccessKeyId", "InvalidClientTokenId":
        (.permissionDenied, "the store does not know the access key: check that it belongs to this endpoint", false)
      case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken", "InvalidTokenId":
        (.permissionDenied, "the session token has expired or is not valid: get new credentials", false)
      case "RequestTimeTooSkewed": (.permissionDenied, "correct this machine's clock", false)
      case "InvalidObjectState":
        (.invalidResponse, "the object is in an archive (Glacier): restore it, then read it", false)
      case "AuthorizationHeaderMalformed", "PermanentRedirect", "IncorrectEndpoint",
        "IllegalLocationConstraintException":
        (.invalidResponse, "name the bucket's region, or the endpoint that serves it", false)
      case "NoSuchBucket": (.notFound, "check the bucket's name", false)
      case "NoSuchKey", "NoSuchVersion": (.notFound, "check the key and the version ID", false)
      case "InvalidArgument", "InvalidRequest", "InvalidBucketName", "KeyTooLongError":
        (
          .invalidResponse,
          "check the bucket, the key and the version ID; an object encrypted with a key "
            + "of yours (SSE-C) needs that key in the configuration's headers", false
        )
      case "RequestTimeout": (.inputOutput, "try again", true)
      case nil where status == 403: (.permissionDenied, accessAdvice(request), false)
      case nil where status == 401: (.permissionDenied, accessAdvice(request), false)
      case _? where status == 404: (.notFound, "check the bucket, the key and the version ID", false)
      default: (.invalidResponse, "look the code up in the store's documentation", false)
      }
    }

    private func accessAdvice(_ request: Request) -> String {
      let payer = request.requesterPays ? "" : "; a bucket whose readers pay needs requesterPays"
      if request.lists {
        return request.signature == nil
          ? "the bucket does not let everyone list it: pass credentials instead of anonymous access"
          : "check that these credentials may list the bucket (s3:ListBucket) under this prefix\(payer)"
      }
      if request.signature == nil { return "the object is not public: pass credentials instead of anonymous access" }
      return "check that these credentials may get the object (s3:GetObject, and s3:GetObjectVersion for versions), "
        + "and the key: without s3:ListBucket a missing object is refused too\(payer)"
    }
  }

#endif
