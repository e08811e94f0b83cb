#if GCS
  import RangeIO
  import Testing

  @testable import RangeIOGCS

  struct GCSAddressTests {
    @Test(
      arguments: [
        ("gs://bucket/key", "bucket", "key", nil), ("GS://bucket/a/b//c/../d", "bucket", "a/b//c/../d", nil),
        ("gs://b/a%20b", "b", "a%20b", nil), ("gs://b/a b#c", "b", "a b#c", nil), ("gs://b/what?", "b", "what?", nil),
        ("gs://b/k?generation=1", "b", "k?generation=1", nil), ("gs://b/k#123", "b", "k", 123),
        ("gs://b/k#1#2", "b", "k#1", 2), ("gs://b/k#", "b", "k#", nil), ("gs://b/k#-1", "b", "k#-1", nil),
        ("gs://b/k#99999999999999999999", "b", "k#99999999999999999999", nil), ("gs://b//k", "b", "/k", nil),
        ("gs://b/\u{301}k", "b", "\u{301}k", nil), ("gs://b/k#٣", "b", "k#٣", nil),
        ("https://storage.googleapis.com/b/a%20b/c+d", "b", "a b/c+d", nil),
        ("HTTPS://storage.googleapis.com/b/k?generation=5", "b", "k", 5),
        ("https://b.storage.googleapis.com/a%2Fb", "b", "a/b", nil),
        ("https://storage.cloud.google.com:443/b/%C3%A9%23", "b", "é#", nil),
      ] as [(String, String, String, Int64?)])
    func `an address is parsed as Google's tools parse it`(
      _ url: String, _ bucket: String, _ object: String, _ generation: Int64?
    ) throws {
      let address = try GCSAddress(url)
      #expect(address == (try GCSAddress(bucket: bucket, object: object, generation: generation)))
      #expect(address.object.utf8.elementsEqual(object.utf8))
      #expect(try GCSAddress(address.description).bucket == bucket)
    }

    @Test(arguments: [
      "", "gs:", "gs://", "gs://b", "gs://b/", "gs:///key", "s3://b/k", "gs:/b/k", "gs://a b/k", "gs://b@c/k",
      "gs://../k",
      "gs://B/k", "gs://b%2f/k", "gs://b/..", "gs://b/.", "gs://b/k#0", "gs://b/a\nb", "gs://bücket/k",
      "https://example.com/b/k", "https://storage.googleapis.com/b",
      "https://storage.googleapis.com/b/k?X-Goog-Signature=hidden",
      "https://u:hidden@storage.googleapis.com/b/k", "https://storage.googleapis.com/b/k?generation=x",
      "http://storage.googleapis.com/b/k",
    ])
    func `what names no object is refused, and shows no secret`(_ url: String) {
      let error = #expect(throws: ReadError.self) { _ = try GCSAddress(url) }
      #expect(error?.code == .invalidConfiguration)
      #expect(error.map { !"\($0)".contains("hidden") } == true)
    }

    @Test func `names of different bytes are different`() throws {
      #expect(try GCSAddress("gs://b/\u{e9}") != GCSAddress("gs://b/e\u{301}"))
      #expect(throws: ReadError.self) { try GCSAddress(bucket: "b", object: String(repeating: "é", count: 513)) }
    }

    @Test func `addresses of Google are read with credentials, signed ones as they are`() {
      #expect(GCSWebAddress.names("https://storage.googleapis.com/b/k"))
      #expect(GCSWebAddress.names("https://storage.googleapis.com/b/k?generation=1"))
      for url in [
        "https://storage.googleapis.com/b/k?X-Goog-Signature=1", "https://example.com/b/k",
        "http://storage.googleapis.com/b/k",
        "https://u@storage.googleapis.com/b/k", "https://storage.googleapis.com.example/b/k", "gs://b/k", "",
      ] { #expect(!GCSWebAddress.names(url)) }
    }
  }

  struct GCSEndpointTests {
    private func url(_ endpoint: String?, _ api: GCSSource.API) throws -> String {
      let server = try endpoint.map { try GCSEndpoint($0) } ?? .google
      return try server.url(of: GCSAddress(bucket: "b", object: "a/b c"), api).text
    }

    @Test func `both APIs have their paths, also below a prefix`() throws {
      #expect(try url(nil, .xml) == "https://storage.googleapis.com/b/a/b%20c")
      #expect(try url(nil, .json) == "https://storage.googleapis.com/storage/v1/b/b/o/a%2Fb%20c?alt=media")
      #expect(try url("http://127.0.0.1:4443/", .xml) == "http://127.0.0.1:4443/b/a/b%20c")
      #expect(try url("https://h/gcs//", .json) == "https://h/gcs/storage/v1/b/b/o/a%2Fb%20c?alt=media")
    }

    @Test func `an object has one identity by both APIs, and another on another server`() throws {
      let address = try GCSAddress("gs://b/k#5")
      #expect(GCSEndpoint.google.identity(of: address) == "gs://b/k")
      #expect(try GCSEndpoint("https://h").identity(of: address) == "gs+https://h/b/k")
      #expect(try GCSEndpoint("https://h:444/p/").identity(of: address) == "gs+https://h:444/p?/b/k")
    }

    @Test func `Google's own servers, and those that others can listen to, are told apart`() throws {
      #expect(GCSEndpoint.google.isGoogle && !GCSEndpoint.google.isOpenToOthers)
      #expect(try GCSEndpoint("https://storage.europe-west3.rep.googleapis.com").isGoogle)
      #expect(try !GCSEndpoint("https://googleapis.com.example").isGoogle)
      #expect(try GCSEndpoint("http://gcs:4443").isOpenToOthers && !GCSEndpoint("https://gcs:4443").isOpenToOthers)
      for host in ["127.0.0.1", "localhost", "[::1]"] { #expect(try !GCSEndpoint("http://\(host):1").isOpenToOthers) }
      #expect(try GCSEndpoint.emulator("localhost:9023") == GCSEndpoint("http://localhost:9023"))
    }

    @Test(arguments: ["", "gcs", "ftp://h", "https://u:hidden@h", "https://h?q=hidden", "https://h/#f"])
    func `what is no server is refused, and not shown`(_ text: String) {
      let error = #expect(throws: ReadError.self) { _ = try GCSEndpoint(text) }
      #expect(error?.code == .invalidConfiguration && error.map { !"\($0)".contains("hidden") } == true)
    }
  }

#endif
