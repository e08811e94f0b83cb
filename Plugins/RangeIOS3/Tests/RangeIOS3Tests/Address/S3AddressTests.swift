#if S3
  import RangeIO
  import Testing

  @testable import RangeIOS3

  struct S3AddressTests {
    @Test(
      arguments: [
        ("s3://bucket/key", "bucket", "key", nil),
        ("S3://bucket/a/b//c/../d", "bucket", "a/b//c/../d", nil),
        ("s3://b/a%20b", "b", "a%20b", nil),
        ("s3://b/a b#c", "b", "a b#c", nil),
        ("s3://b/what?", "b", "what?", nil),
        ("s3://b/what?x=1", "b", "what?x=1", nil),
        ("s3://b/k?versionId=abc=", "b", "k", "abc="),
        ("s3://b/k?versionID=abc", "b", "k", "abc"),
        ("s3://b/k?a?versionId=null", "b", "k?a", "null"),
        ("s3://b.c-d_e/k", "b.c-d_e", "k", nil),
        ("s3://b//k", "b", "/k", nil),
        ("s3://b/\u{301}k", "b", "\u{301}k", nil),
        ("s3://b/..", "b", "..", nil),
      ] as [(String, String, String, String?)])
    func `an address is parsed as the AWS tools parse it`(
      _ url: String, _ bucket: String, _ key: String, _ version: String?
    )
      throws
    {
      let address = try S3Address(url)
      #expect(address == (try S3Address(bucket: bucket, key: key, versionID: version)))
      #expect(address.key.utf8.elementsEqual(key.utf8))
      #expect(address.versionID == version)
      #expect(try S3Address(address.description) == address)
    }

    @Test(arguments: [
      "", "s3:", "s3://", "s3://b", "s3://b/", "s3:///key", "http://b/k", "s3:/b/k", "s3://a b/k", "s3://b@c/k",
      "s3://../k",
      "s3://b%2f/k", "s3://arn:aws:s3:us-west-2:1:accesspoint/x", "s3://arn:aws:s3:::b/k", "s3://b/k?versionId=",
      "s3://bücket/k",
    ])
    func `what names no object is refused`(_ url: String) {
      let error = #expect(throws: ReadError.self) { _ = try S3Address(url) }
      #expect(error?.code == .invalidConfiguration)
    }

    @Test func `keys of different bytes are different`() throws {
      #expect(try S3Address("s3://b/\u{e9}") != S3Address("s3://b/e\u{301}"))
      #expect(throws: ReadError.self) { try S3Address(bucket: "b", key: String(repeating: "é", count: 513)) }
    }
  }

  struct S3EndpointTests {
    private func url(
      _ endpoint: S3Endpoint, _ address: String, region: String = "eu-central-1",
      _ addressing: S3Source.Addressing = .automatic
    ) throws -> String {
      endpoint.location(of: try S3Address(address), region: region, addressing: addressing).url
    }

    @Test func `AWS has the bucket in the host, and in the path where a host cannot have it`() throws {
      #expect(try url(.aws, "s3://bucket/a b") == "https://bucket.s3.eu-central-1.amazonaws.com/a%20b")
      #expect(try url(.aws, "s3://my.bucket/k") == "https://s3.eu-central-1.amazonaws.com/my.bucket/k")
      #expect(try url(.aws, "s3://Bucket/k") == "https://s3.eu-central-1.amazonaws.com/Bucket/k")
      #expect(try url(.aws, "s3://bu/k") == "https://s3.eu-central-1.amazonaws.com/bu/k")
      #expect(try url(.aws, "s3://bucket-/k") == "https://s3.eu-central-1.amazonaws.com/bucket-/k")
      #expect(
        try url(.aws, "s3://bucket/k", region: "cn-north-1") == "https://bucket.s3.cn-north-1.amazonaws.com.cn/k")
      #expect(try url(.aws, "s3://bucket/k", .path) == "https://s3.eu-central-1.amazonaws.com/bucket/k")
    }

    @Test func `other stores have it in the path, and in the host when asked`() throws {
      #expect(try url(S3Endpoint("http://127.0.0.1:9000/"), "s3://bucket/k") == "http://127.0.0.1:9000/bucket/k")
      #expect(
        try url(S3Endpoint("https://storage.googleapis.com"), "s3://b.c/k") == "https://storage.googleapis.com/b.c/k")
      #expect(
        try url(S3Endpoint("https://Id.R2.cloudflarestorage.com:443"), "s3://b/k", .virtualHost)
          == "https://b.id.r2.cloudflarestorage.com/k")
      #expect(try url(S3Endpoint("https://proxy/ceph/"), "s3://b/k") == "https://proxy/ceph/b/k")
      #expect(try url(S3Endpoint("http://[::1]:80"), "s3://b/k") == "http://[::1]/b/k")
    }

    @Test func `a bucket with capitals is no bucket without them`() throws {
      for endpoint in [S3Endpoint.aws, try S3Endpoint("https://h.example")] {
        let url = try url(endpoint, "s3://Bucket/k", .virtualHost)
        #expect(url.hasSuffix("/Bucket/k") && !url.contains("//bucket."))
        #expect(try self.url(endpoint, "s3://bucket/k", .virtualHost).hasPrefix("https://bucket."))
      }
    }

    @Test func `the path is encoded once, and nothing in it is tidied up`() throws {
      let endpoint = try S3Endpoint("https://h")
      #expect(try url(endpoint, "s3://b/a//b/../c/./d") == "https://h/b/a//b/../c/./d")
      #expect(try url(endpoint, "s3://b/a%2Fb+c@d=é?x#y") == "https://h/b/a%252Fb%2Bc%40d%3D%C3%A9%3Fx%23y")
    }

    @Test func `objects of two stores behind one server are told apart`() throws {
      let endpoints = ["https://h", "https://h/a", "https://h/b", "https://h/a/b", "https://h:1/a", "http://h/a"]
      let addresses = ["s3://b/c", "s3://a/b/c", "s3://b/b/c", "s3://a/b/b/c"]
      let ids = try endpoints.flatMap { endpoint in
        try addresses.map { try S3Endpoint(endpoint).identity(of: S3Address($0)) }
      }
      #expect(Set(ids).count == ids.count)
      #expect(try S3Endpoint("https://h/").identity(of: S3Address("s3://b/c")) == "s3+https://h/b/c")
      #expect(try S3Endpoint.aws.identity(of: S3Address("s3://b/c")) == "s3://b/c")
    }

    @Test(arguments: [
      "", "host", "ftp://host", "https://", "https://user:secret@host", "https://host?x", "https://host:0",
      "https://host:99999",
      "https://host:x", "https://[::1", "https://ho st", "https://h%20t",
    ])
    func `an endpoint that is none is refused, without its password`(_ url: String) {
      let error = #expect(throws: ReadError.self) { _ = try S3Endpoint(url) }
      #expect(error?.code == .invalidConfiguration)
      #expect(error.map { !"\($0)".contains("secret") } == true)
    }
  }

#endif
