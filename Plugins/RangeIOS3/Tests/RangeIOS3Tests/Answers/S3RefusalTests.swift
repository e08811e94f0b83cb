#if S3
  import RangeIO
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  struct S3RefusalTests {
    private let now = 1_767_323_045

    private func verdict(
      _ status: Int, _ body: String, _ fields: KeyValuePairs<String, String> = [:], method: RequestPlan.Method = .get,
      isSigned: Bool = true, region: String = "us-east-1", requesterPays: Bool = false
    ) -> RefusalVerdict {
      let stamp = SigningTime(secondsSince1970: now).stamp
      let sent = HeaderFields([
        "Authorization": "AWS4-HMAC-SHA256 Credential=AKID/20260102/\(region)/s3/aws4_request, SignedHeaders=host",
        "x-amz-date": stamp,
      ])
      let request = S3Refusal.Request(
        method: method, signature: isSigned ? SentSignature(sent) : nil, bucket: "b", differs: { $0 != region },
        now: now, requesterPays: requesterPays)
      let head = ResponseHead(status: status, fields: HeaderFields(fields))
      return S3Refusal(head, body: Array(body.utf8)).verdict(on: request)
    }

    private func error(_ code: String, _ more: String = "") -> String {
      "<Error><Code>\(code)</Code><Message>text of the server</Message>\(more)</Error>"
    }

    private func failure(_ verdict: RefusalVerdict) -> ReadError? {
      if case .fail(let failure) = verdict { return failure }
      return nil
    }

    @Test func `another region is gone to, by the head or the document`() {
      let region = ["x-amz-bucket-region": "eu-west-1"] as KeyValuePairs
      #expect(verdict(301, "", region, method: .head).remedy == .region("eu-west-1"))
      #expect(verdict(301, error("PermanentRedirect"), region).remedy == .region("eu-west-1"))
      #expect(verdict(400, "", region, method: .head).remedy == .region("eu-west-1"))
      let document = error("AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>")
      #expect(verdict(400, document).remedy == .region("eu-west-1"))
      #expect(verdict(301, "", region, isSigned: false).remedy == .region("eu-west-1"))
    }

    @Test func `the region that was asked already is no reason to ask again`() {
      let region = ["x-amz-bucket-region": "us-east-1"] as KeyValuePairs
      #expect(verdict(403, error("AccessDenied"), region).isFailure)
      #expect(verdict(400, error("AuthorizationHeaderMalformed", "<Region>us-east-1</Region>")).isFailure)
      #expect(verdict(301, "", region).isNone)
      #expect(verdict(301, "", ["x-amz-bucket-region": "evil.example/"]).isNone)
    }

    @Test func `a HEAD without a body is left to a GET`() {
      for status in [400, 403, 301] { #expect(verdict(status, "", method: .head).isNone) }
    }

    @Test func `a clock that is wrong is learnt from the date of the answer`() {
      let late = ["Date": HTTPDate(secondsSince1970: now + 7_200).text] as KeyValuePairs
      #expect(verdict(403, error("RequestTimeTooSkewed"), late).remedy == .clock(offset: 7_200))
      let time = SigningTime(secondsSince1970: now - 9_000).stamp
      #expect(
        verdict(403, error("RequestTimeTooSkewed", "<ServerTime>\(time)</ServerTime>")).remedy == .clock(offset: -9_000)
      )
      // Already signed by the server's clock, or the server does not tell it.
      let same = ["Date": HTTPDate(secondsSince1970: now + 5).text] as KeyValuePairs
      #expect(failure(verdict(403, error("RequestTimeTooSkewed"), same))?.message.contains("clock") == true)
      #expect(verdict(403, error("RequestTimeTooSkewed")).isFailure)
    }

    @Test(arguments: ["ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"])
    func `credentials that have ended are replaced`(_ code: String) {
      #expect(verdict(400, error(code)).remedy == .credentials)
      #expect(verdict(403, error(code)).remedy == .credentials)
      #expect(verdict(400, error(code), isSigned: false).isFailure)
    }

    @Test(arguments: [
      "SlowDown", "ServiceUnavailable", "InternalError", "RequestLimitExceeded", "SlowDownRead",
      "XMinioServerNotInitialized",
    ])
    func `what passes is left to the transport, which knows Retry-After`(_ code: String) {
      #expect(verdict(503, error(code)).isNone)
      #expect(verdict(503, "").isNone)
    }

    @Test(arguments: [
      ("AccessDenied", ReadError.Code.permissionDenied, "s3:GetObject"),
      ("SignatureDoesNotMatch", .permissionDenied, "secret access key"),
      ("InvalidObjectState", .invalidResponse, "restore"),
      ("NoSuchBucket", .notFound, "bucket"), ("InvalidRequest", .invalidResponse, "SSE-C"),
      ("WhatIsThis", .invalidResponse, "documentation"),
    ])
    func `what cannot be mended says the code, the server's words and what to do`(
      _ code: String, _ expected: ReadError.Code, _ advice: String
    ) throws {
      let told = try #require(failure(verdict(403, error(code))))
      #expect(told.code == expected && !told.isTransient)
      for part in [code, "text of the server", advice] { #expect(told.message.contains(part), "\(told.message)") }
    }

    @Test func `a missing bucket, key or version is not found, whatever its code`() {
      for (code, advice) in [("NoSuchBucket", "bucket's name"), ("NoSuchVersion", "version ID"), ("New", "the key")] {
        let told = failure(verdict(404, error(code)))
        #expect(told?.code == .notFound && told?.message.contains(advice) == true, "\(told as Any)")
      }
      #expect(verdict(404, "<html>").isNone && verdict(404, "", method: .head).isNone)
    }

    @Test func `a refusal says what is missing`() {
      #expect(failure(verdict(403, error("AccessDenied"), isSigned: false))?.message.contains("anonymous") == true)
      #expect(failure(verdict(403, error("AccessDenied")))?.message.contains("requesterPays") == true)
      #expect(
        failure(verdict(403, error("AccessDenied"), requesterPays: true))?.message.contains("requesterPays") == false)
      #expect(failure(verdict(403, "<html>"))?.message.contains("status 403") == true)
      #expect(failure(verdict(400, error("RequestTimeout")))?.isTransient == true)
    }

    @Test func `a signature that was sent is read back`() {
      let keys = S3Credentials(accessKeyID: "user/with/slash", secretAccessKey: "s", sessionToken: "t")
      let signer = RequestSigner(credentials: keys, region: "r-1", keys: SigningKeys())
      let time = SigningTime(secondsSince1970: now)
      var fields = HeaderFields()
      for header in signer.headers(for: UnsignedRequest(host: "h", path: "/"), at: time) {
        fields.set(header.name, header.value)
      }
      let sent = SentSignature(fields)
      #expect(sent?.accessKeyID == "user/with/slash" && sent?.region == "r-1" && sent?.time == time)
      #expect(sent?.isMade(with: keys) == true)
      #expect(sent?.isMade(with: S3Credentials(accessKeyID: "user/with/slash", secretAccessKey: "s")) == false)
      #expect(SentSignature(HeaderFields(["Authorization": "Basic abc"])) == nil)
      #expect(SentSignature(HeaderFields(["Authorization": "x Credential=a/b, y"])) == nil)
    }
  }

  extension RefusalVerdict {
    fileprivate var isFailure: Bool { if case .fail = self { true } else { false } }
    fileprivate var isNone: Bool { if case .none = self { true } else { false } }
    fileprivate var remedy: Remedy? { if case .mend(let remedy) = self { remedy } else { nil } }
  }

#endif
