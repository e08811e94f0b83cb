#if GCS
  internal import RangeIO
  internal import RangeIORemote
  internal import RangeIOSupport

  /// An answer by which the store refuses a request, and what it means. Pure.
  struct GCSRefusal: Sendable {
    var status: Int
    var document: GCSErrorDocument
    /// The server's clock, seconds since 1970.
    var serverTime: Int?

    init(_ head: ResponseHead, body: [UInt8]) {
      status = head.status
      document = GCSErrorDocument(body)
      serverTime = head.fields["Date"].flatMap { HTTPDate($0) }?.secondsSince1970
    }

    /// What a request was allowed by.
    enum Permit: Sendable {
      case none
      case token
      /// An HMAC key, used at that second by the clock that was assumed.
      case signature(at: Int)
    }

    /// The request that was refused.
    struct Request: Sendable {
      var method: RequestPlan.Method
      var permit: Permit
      /// Seconds since 1970 by our clock.
      var now: Int
      var hasUserProject: Bool
      /// It asked for the names in the bucket.
      var lists = false
    }

    /// A request that is signed this many seconds early or late is accepted (Google: 15 minutes).
    static let tolerance = 240

    /// Decides what to do: mend and ask again, fail, or let the transport decide by the status.
    func verdict(on request: Request) -> RefusalVerdict {
      if status == 401, case .token = request.permit { return .mend(.credentials) }
      // Without a body, a GET tells more: the transport sends one after a verdict of none.
      if request.method == .head { return .none }
      switch (status, request.permit) {
      case (503, _), (301, _), (307, _), (308, _): return .none
      case (_, .signature(let signed)) where document.code == "RequestTimeTooSkewed":
        guard let serverTime, abs(serverTime - signed) > Self.tolerance else { return .fail(failure(request)) }
        return .mend(.clock(offset: serverTime - request.now))
      default: return .fail(failure(request))
      }
    }

    /// The error: what the store did, and what to do about it.
    func failure(_ request: Request) -> ReadError {
      let (kind, advice, isTransient) = meaning(request)
      let code = document.code ?? "status \(status)"
      let message = document.message.map { " (\($0))" } ?? ""
      return ReadError(
        kind, "Google Cloud Storage refuses the request: \(code)\(message): \(advice)", isTransient: isTransient)
    }

    private func meaning(_ request: Request) -> (ReadError.Code, advice: String, isTransient: Bool) {
      switch document.code {
      // With status 401 it is a token that is required.
      case "UserProjectMissing",
        "required" where status == 400:
        (.permissionDenied, "readers of this bucket pay: name the project that pays as userProject", false)
      case "UserProjectAccountProblem", "UserProjectInvalid", "userProjectInvalid", "accountDisabled":
        (.permissionDenied, "check the project that is named as userProject, and its billing", false)
      case "userProjectAccessDenied", "UserProjectAccessDenied", "USER_PROJECT_DENIED":
        (
          .permissionDenied,
          "the account may not use the project that pays: give it serviceusage.services.use there", false
        )
      case "SignatureDoesNotMatch":
        (.permissionDenied, "check the secret of the HMAC key, and that no proxy changes the path or the host", false)
      case "InvalidAccessKeyId", "InvalidSecurity":
        (.permissionDenied, "the store does not know the HMAC key: check that it exists and is active", false)
      case "RequestTimeTooSkewed": (.permissionDenied, "correct this machine's clock", false)
      case "rateLimitExceeded", "userRateLimitExceeded", "SlowDown", "quotaExceeded":
        (.inputOutput, "try again later", true)
      case "NoSuchBucket": (.notFound, "check the bucket's name", false)
      case "notFound" where request.lists: (.notFound, "check the bucket's name", false)
      case "NoSuchKey", "notFound": (.notFound, "check the object's name and the generation", false)
      case "CustomerEncryptionKeyIsIncorrect", "customerEncryptionKeyIsIncorrect",
        "ResourceIsEncryptedWithCustomerEncryptionKey",
        "resourceIsEncryptedWithCustomerEncryptionKey":
        (
          .permissionDenied,
          "the object is encrypted with a key of yours: give it in the configuration's headers "
            + "(x-goog-encryption-algorithm, -key and -key-sha256)", false
        )
      case _ where status == 401 || status == 403: (.permissionDenied, accessAdvice(request), false)
      // A download by the JSON API is refused in plain text, without a code.
      case _ where status == 404: (.notFound, "check the bucket, the object's name and the generation", false)
      case "InvalidArgument", "InvalidBucketName", "InvalidURI", "invalid", "invalidParameter", "KeyTooLong":
        (.invalidResponse, "check the bucket, the object's name and the generation", false)
      default: (.invalidResponse, "look the code up in the documentation of Google Cloud Storage", false)
      }
    }

    private func accessAdvice(_ request: Request) -> String {
      if case .none = request.permit {
        return request.lists
          ? "the bucket does not let everyone list it: pass credentials instead of anonymous access"
          : "the object is not public: pass credentials instead of anonymous access"
      }
      if status == 401 { return "the credentials are not valid any more, or not for this store: get others" }
      let payer = request.hasUserProject ? "" : "; a bucket whose readers pay needs userProject"
      if request.lists { return "check that the account may list the bucket (storage.objects.list)\(payer)" }
      return "check that the account may get the object (storage.objects.get), and the name: without "
        + "storage.objects.list a missing object is refused too\(payer)"
    }
  }

#endif
