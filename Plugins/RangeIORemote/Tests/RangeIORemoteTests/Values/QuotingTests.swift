#if HTTP
  import RangeIORemote
  import Testing

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
  }
#endif
