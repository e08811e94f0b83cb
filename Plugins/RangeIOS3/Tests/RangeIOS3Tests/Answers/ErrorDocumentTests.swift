#if S3
  import Testing

  @testable import RangeIOS3

  struct ErrorDocumentTests {
    private func document(_ text: String) -> ErrorDocument { ErrorDocument(Array(text.utf8)) }

    @Test func `code, message and region are found`() {
      let all = document(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Error><Code>AuthorizationHeaderMalformed</Code><Message>The region 'us-east-1' is wrong;
          expecting 'eu-west-1' &amp; nothing &lt;else&gt;</Message><Region>eu-west-1</Region>
        <StringToSign>secret</StringToSign></Error>
        """)
      #expect(all.code == "AuthorizationHeaderMalformed")
      #expect(all.message == "The region 'us-east-1' is wrong; expecting 'eu-west-1' & nothing <else>")
      #expect(all.region == "eu-west-1")
    }

    @Test func `an answer that is cut, empty or no XML has what is left of it`() {
      let whole = "<Error><Code>SlowDown</Code><Message>Please reduce</Message></Error>"
      for count in 0...whole.utf8.count {
        let cut = ErrorDocument(Array(whole.utf8.prefix(count)))
        #expect(cut.code.map { "SlowDown".hasPrefix($0) } ?? true)
        #expect(cut.message.map { "Please reduce".hasPrefix($0) } ?? true)
      }
      #expect(document("") == document("<html>no</html>"))
      #expect(document("<Error xmlns='x'><Code>A1</Code>").code == "A1")
    }

    @Test func `nothing but names goes into hosts and programs`() {
      #expect(document("<Code>No Such</Code><Region>evil.example/</Region>") == document(""))
      #expect(document("<Region></Region>").region == nil)
      #expect(document("<Code>\(String(repeating: "a", count: 65))</Code>").code == nil)
    }

    @Test func `a message is one line`() {
      let long = document("<Message>\(String(repeating: "é\n", count: 5_000))</Message>").message
      #expect(long == Array(repeating: "é", count: 5_000).joined(separator: " "))
      #expect(document("<Message>a&#10;b&unknown;c&</Message>").message == "a b&unknown;c&")
    }

    @Test func `bytes that are no UTF-8 do no harm`() {
      let body = Array("<Code>A</Code><Message>".utf8) + [0xff, 0xc3, 0x28] + Array("</Message>".utf8)
      #expect(ErrorDocument(body).code == "A")
      #expect(ErrorDocument(body).message?.isEmpty == false)
    }
  }

#endif
