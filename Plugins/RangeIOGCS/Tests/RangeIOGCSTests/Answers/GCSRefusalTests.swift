#if GCS
  import RangeIO
  import RangeIORemote
  import Testing

  @testable import RangeIOGCS

  struct GCSRefusalTests {
    private let now = 1_767_323_045

    private func verdict(
      _ status: Int, _ body: String, _ fields: KeyValuePairs<String, String> = [:], method: RequestPlan.Method = .get,
      permit: GCSRefusal.Permit = .token
    ) -> RefusalVerdict {
      let request = GCSRefusal.Request(method: method, permit: permit, now: now, hasUserProject: false)
      let head = ResponseHead(status: status, fields: HeaderFields(fields))
      return GCSRefusal(head, body: Array(body.utf8)).verdict(on: request)
    }

    private func failure(_ verdict: RefusalVerdict) -> ReadError? {
      if case .fail(let failure) = verdict { return failure }
      return nil
    }

    private func remedy(_ verdict: RefusalVerdict) -> Remedy? {
      if case .mend(let remedy) = verdict { return remedy }
      return nil
    }

    private func xml(_ code: String, _ more: String = "") -> String {
      "<Error><Code>\(code)</Code><Message>text of the server</Message>\(more)</Error>"
    }

    private func json(_ reason: String) -> String {
      #"{"error": {"code": 403, "message": "text\nof the server", "errors": [{"reason": "\#(reason)", "domain": "global"}]}}"#
    }

    @Test func `a token that is refused is replaced, a missing one is not`() {
      #expect(remedy(verdict(401, xml("AuthenticationRequired"))) == .credentials)
      #expect(remedy(verdict(401, json("authError"))) == .credentials)
      #expect(remedy(verdict(401, "")) == .credentials)
      #expect(remedy(verdict(401, "", method: .head)) == .credentials)
      #expect(failure(verdict(401, "", permit: .none))?.code == .permissionDenied)
    }

    @Test(
      arguments: [
        (403, "AccessDenied", ReadError.Code.permissionDenied, "storage.objects.get"),
        (400, "UserProjectMissing", .permissionDenied, "userProject"),
        (403, "SignatureDoesNotMatch", .permissionDenied, "secret"),
        (403, "InvalidSecurity", .permissionDenied, "HMAC key"), (400, "InvalidBucketName", .invalidResponse, "bucket"),
        (403, "NoSuchBucket", .notFound, "bucket"), (400, "SomethingNew", .invalidResponse, "SomethingNew"),
      ])
    func `an error in XML is told with its code and what to do`(
      _ status: Int, _ code: String, _ kind: ReadError.Code, _ word: String
    ) {
      let error = failure(verdict(status, xml(code)))
      #expect(error?.code == kind && error?.isTransient == false)
      #expect(error.map { $0.message.contains(code) && $0.message.contains(word) } == true)
      #expect(error?.message.contains("text of the server") == true)
    }

    @Test(
      arguments: [
        (403, "forbidden", ReadError.Code.permissionDenied), (400, "required", .permissionDenied),
        (403, "userProjectAccessDenied", .permissionDenied), (400, "invalidParameter", .invalidResponse),
        (403, "rateLimitExceeded", .inputOutput),
        (400, "resourceIsEncryptedWithCustomerEncryptionKey", .permissionDenied),
      ])
    func `an error in JSON is told with its reason and what to do`(
      _ status: Int, _ reason: String, _ kind: ReadError.Code
    ) {
      let error = failure(verdict(status, json(reason)))
      #expect(error?.code == kind && error?.isTransient == (kind == .inputOutput))
      #expect(error.map { $0.message.contains("\(reason) (text of the server)") } == true)
    }

    @Test func `an object that a download by JSON does not find is missing, though the answer is a text`() {
      // As Google answers `alt=media`.
      for text in ["No such object: bucket/key", ""] {
        let error = failure(verdict(404, text))
        #expect(error?.code == .notFound && error?.message.contains("name") == true)
      }
    }

    @Test func `a read without credentials that JSON refuses is not said to lack a project that pays`() {
      let error = failure(verdict(401, json("required"), permit: .none))
      #expect(error?.code == .permissionDenied && error?.message.contains("pass credentials") == true)
      #expect(failure(verdict(400, json("required")))?.message.contains("userProject") == true)
    }

    @Test func `a HEAD without a body, a busy server and a redirect are left to the transport`() {
      for verdict in [
        verdict(403, "", method: .head), verdict(503, xml("SlowDown")), verdict(307, ""), verdict(301, ""),
      ] {
        guard case .none = verdict else {
          Issue.record("\(verdict)")
          continue
        }
      }
    }

    @Test func `a clock that is wrong is learnt from the date of the answer, for signatures only`() {
      let late = ["Date": HTTPDate(secondsSince1970: now + 7_200).text] as KeyValuePairs
      let skewed = xml("RequestTimeTooSkewed")
      #expect(remedy(verdict(403, skewed, late, permit: .signature(at: now))) == .clock(offset: 7_200))
      #expect(
        failure(verdict(403, skewed, late, permit: .signature(at: now + 7_190)))?.message.contains("clock") == true)
      #expect(failure(verdict(403, skewed, permit: .signature(at: now)))?.message.contains("clock") == true)
    }

    @Test func `parts of signatures are not shown, and nonsense does no harm`() {
      let more =
        "<StringToSign>hidden</StringToSign><Details>hidden</Details><CanonicalRequest>hidden</CanonicalRequest>"
      let error = failure(verdict(403, xml("SignatureDoesNotMatch", more)))
      #expect(error.map { !"\($0)".contains("hidden") } == true)
      let whole = Array(json("forbidden").utf8)
      for count in 0...whole.count { _ = GCSErrorDocument(Array(whole.prefix(count))) }
      #expect(GCSErrorDocument(Array("{\"error\": \"invalid_grant\"}".utf8)) == GCSErrorDocument([]))
      #expect(GCSErrorDocument(Array(xml("<b>").utf8)).code == nil)
    }
  }

#endif
