#if HTTP
  import Testing

  @testable import RangeIORemote

  struct QuotingTests {
    private func request(_ fields: KeyValuePairs<String, String> = [:], query: String = "") throws -> PreparedRequest {
      PreparedRequest(url: try ObjectURL("https://example.org/object" + query), fields: HeaderFields(fields))
    }

    @Test func `a text that repeats what may be a secret is not quoted`() throws {
      let signed = try request([
        "Authorization": "AWS4-HMAC-SHA256 Credential=KEYID/20260102/eu-west-1/s3/aws4_request, Signature=0123abcdef",
        "X-Amz-Security-Token": "to/ken+long==", "Range": "bytes=100-199",
      ])
      for text in [
        "no to/ken+long==", "sent: Signature=0123abcdef", "0123abcdef is wrong",
        "bad KEYID/20260102/eu-west-1/s3/aws4_request",
      ] { #expect(signed.quotable(text) == nil, "\(text)") }
      for text in ["the region 'eu-west-1' is wrong", "no object", "bytes=100-199 is too far", ""] {
        #expect(signed.quotable(text) == text)
      }
      #expect(signed.quotable(nil) == nil)
      #expect(try request(["Authorization": "Bearer hunter2"]).quotable("hunter2 is not known") == nil)
    }

    @Test func `as it is sent, and as it is meant`() throws {
      let request = try request(query: "?sv=2021&sig=a%2Bb%3D%3Dcd&part=1")
      #expect(request.quotable("sig=a%2Bb%3D%3Dcd") == nil)
      #expect(request.quotable("'a+b==cd' is wrong") == nil)
      #expect(request.quotable("2021 and 1 are fine") == "2021 and 1 are fine")
    }

    @Test func `a dump of a request shows no field that may be a secret`() throws {
      let sent = try request(
        ["Authorization": "Bearer hunter2", "X-Own-Key": "hunter2", "Range": "bytes=0-9"], query: "?sig=hunter2")
      let answer = ResponseHead(
        status: 302, fields: HeaderFields(["Set-Cookie": "id=hunter2", "ETag": "\"1\""]))
      var plan = RequestPlan(.get, sent.url, range: 0..<10)
      plan.additionalFields = sent.fields
      plan.cookie = "id=hunter2"
      for value in [sent, sent.fields, sent.fields.all, answer, plan] as [Any] {
        var text = "\(value)" + String(reflecting: value)
        dump(value, to: &text)
        #expect(!text.contains("hunter2"), "\(text)")
      }
      #expect("\(sent.fields)" == "[Authorization: …, X-Own-Key: …, Range: bytes=0-9]")
    }
  }
#endif
