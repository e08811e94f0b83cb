#if Azure
  import RangeIO
  import RangeIORemote
  import Testing

  @testable import RangeIOAzure

  struct AzureRefusalTests {
    private static let now = 1_767_323_045
    private static let token = BlobAccess.token(AzureToken("hidden"))

    private func access(_ kind: String) throws -> BlobAccess? {
      switch kind {
      case "key": .key(try SharedKey(account: "maps", key: "a2V5"))
      case "sas": .sas(try SASQuery("sv=1&se=2026-01-02T03:04:00Z&sig=hidden"))
      case "token": Self.token
      default: nil
      }
    }

    private func verdict(
      _ status: Int, _ code: String?, as kind: String = "token", method: RequestPlan.Method = .get, skew: Int = 0,
      text: String = "told by the server", inHead: Bool = true, address: String = "az://maps/tiles/a"
    ) throws -> RefusalVerdict {
      var fields = HeaderFields(["Date": HTTPDate(secondsSince1970: Self.now + skew).text])
      if inHead { fields.set("x-ms-error-code", code) }
      let body =
        "\u{feff}<?xml version=\"1.0\"?><Error><Code>\(code ?? "")</Code><Message>\(text)\nRequestId:1\nTime:2</Message>"
      let request = AzureRefusal.Request(
        method: method, access: try access(kind), signed: Self.now, address: try AzureAddress(address), now: Self.now)
      return AzureRefusal(ResponseHead(status: status, fields: fields), body: Array(body.utf8)).verdict(on: request)
    }

    private func failure(_ verdict: RefusalVerdict) -> ReadError? {
      if case .fail(let failure) = verdict { return failure }
      return nil
    }

    private func remedy(_ verdict: RefusalVerdict) -> Remedy? {
      if case .mend(let remedy) = verdict { return remedy }
      return nil
    }

    @Test(
      arguments: [
        (404, "BlobNotFound", ReadError.Code.notFound, "the blob's name"),
        (404, "ContainerNotFound", .notFound, "the container's name"),
        (404, "SomethingNotFound", .notFound, "account, container and blob"),
        (409, "BlobArchived", .invalidResponse, "rehydrate"),
        (409, "BlobBeingRehydrated", .invalidResponse, "being rehydrated"),
        (409, "PublicAccessNotPermitted", .permissionDenied, "no anonymous reads"),
        (409, "BlobUsesCustomerSpecifiedEncryption", .invalidResponse, "x-ms-encryption-key"),
        (403, "AuthorizationPermissionMismatch", .permissionDenied, "Storage Blob Data Reader"),
        (403, "AuthorizationFailure", .permissionDenied, "firewall"),
        (403, "KeyBasedAuthenticationNotPermitted", .permissionDenied, "no keys"),
        (403, "AuthorizationProtocolMismatch", .permissionDenied, "https only"),
        (403, "AuthorizationSourceIPMismatch", .permissionDenied, "sip"),
        (403, "NewKindOfRefusal", .permissionDenied, "Storage Blob Data Reader"),
        (400, "InvalidQueryParameterValue", .invalidResponse, "version ID"),
        (400, "InvalidHeaderValue", .invalidResponse, AzureAuthority.serviceVersion),
        (400, "NewKindOfFault", .invalidResponse, "documentation"),
      ] as [(Int, String, ReadError.Code, String)])
    func `a refusal says its code and what to do`(
      _ status: Int, _ code: String, _ kind: ReadError.Code, _ advice: String
    )
      throws
    {
      for inHead in [true, false] {
        let error = try #require(failure(verdict(status, code, inHead: inHead)))
        #expect(error.code == kind && !error.isTransient)
        #expect(error.message.contains(code) && error.message.contains(advice), "\(error)")
        // What is said of signatures and tokens may repeat them.
        #expect(error.message.contains("told by the server") == (kind != .permissionDenied), "\(error)")
        #expect(!error.message.contains("RequestId"))
      }
    }

    @Test func `expired signatures and tokens are replaced, a key is not`() throws {
      for kind in ["sas", "token"] {
        #expect(try remedy(verdict(403, "AuthenticationFailed", as: kind)) == .credentials)
        #expect(try remedy(verdict(401, "InvalidAuthenticationInfo", as: kind, method: .head)) == .credentials)
        #expect(try remedy(verdict(401, nil, as: kind)) == .credentials)
      }
      let key = try #require(failure(verdict(403, "AuthenticationFailed", as: "key")))
      #expect(key.code == .permissionDenied && key.message.contains("check the key"))
      let nobody = try #require(failure(verdict(401, "NoAuthenticationInformation", as: "nobody")))
      #expect(nobody.message.contains("not public"))
    }

    @Test func `a clock that is far off is set, for keys only`() throws {
      for skew in [-7_200, 7_200] {
        #expect(try remedy(verdict(403, "AuthenticationFailed", as: "key", skew: skew)) == .clock(offset: skew))
        #expect(try remedy(verdict(403, "AuthenticationFailed", as: "token", skew: skew)) == .credentials)
      }
      #expect(try remedy(verdict(403, "AuthenticationFailed", as: "key", skew: 300)) == nil)
    }

    @Test(arguments: [
      (503, "ServerBusy"), (503, "NewKindOfBusy"), (500, "InternalError"), (500, "OperationTimedOut"), (403, nil),
      (404, nil),
    ])
    func `what passes, and what the service did not answer, is judged by its status`(_ status: Int, _ code: String?)
      throws
    {
      let verdict = try verdict(status, code)
      #expect(failure(verdict) == nil && remedy(verdict) == nil)
    }

    @Test func `the answer to a HEAD is not the last word`() throws {
      let verdict = try verdict(404, "BlobNotFound", method: .head)
      #expect(failure(verdict) == nil && remedy(verdict) == nil)
    }

    @Test func `without credentials a missing blob may be one that is not public`() throws {
      let missing = try #require(failure(verdict(404, "ResourceNotFound", as: "nobody")))
      #expect(missing.message.contains("not public looks the same"))
      let old = try #require(failure(verdict(404, "BlobNotFound", address: "az://maps/tiles/a?versionid=1")))
      #expect(old.message.contains("version or snapshot"))
    }

    @Test func `an expired signature is called so`() throws {
      let request = AzureRefusal.Request(
        method: .get, access: try access("sas"), signed: nil, address: try AzureAddress("az://m/c/a"), now: Self.now)
      let head = ResponseHead(status: 403, fields: HeaderFields(["x-ms-error-code": "AuthenticationFailed"]))
      let error = AzureRefusal(head, body: []).failure(request)
      #expect(error.message.contains("has expired") && !"\(error)".contains("hidden"))
    }

    @Test func `nothing but names goes into messages`() throws {
      let head = ResponseHead(status: 403, fields: HeaderFields(["x-ms-error-code": "a b<script>"]))
      #expect(AzureRefusal(head, body: Array("<Code>no name</Code>".utf8)).code == nil)
    }
  }

#endif
