#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOS3

  /// Listings of a bucket over the wire, whose signatures are checked.
  @Suite(.timeLimit(.minutes(2))) struct S3ListingTests {
    private func with(_ names: [String], _ body: (StoreScene) async throws -> Void) async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.names = NamePages(names) }
        try await body(scene)
      }
    }

    @Test func `objects and folders below a prefix, page by page`() async throws {
      try await with(["a/1", "a/2", "a/b/1", "a/b/2", "a/c/d/e", "b"]) { scene in
        let entries = try await scene.listing("s3://bucket/a/", pageSize: 2).reduce(into: []) { $0.append($1) }
        #expect(entries.map(\.name) == ["1", "2", "b/", "c/"])
        #expect(entries.map(\.isFolder) == [false, false, true, true])
        #expect(entries[0].byteCount == 3 && entries[0].version == "e3")
        #expect(entries[0].modified == HTTPDate("Fri, 02 Jan 2026 03:04:05 GMT"))
        #expect(scene.server.log.requestCount == 2)
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test(arguments: ["s3://bucket", "s3://bucket/"]) func `a whole bucket`(url: String) async throws {
      try await with(["a/1", "b"]) { scene in
        try await scene.expect(scene.listing(url), lists: ["b", "a/"])
        try await scene.expect(scene.listing(url, isRecursive: true), lists: ["a/1", "b"])
      }
    }

    @Test(arguments: [
      ("accesspoint/name", ""), ("accesspoint/name/", ""), ("accesspoint/name/a/b", "a/b"), ("accesspoint:name", ""),
      ("accesspoint:name//a:b", "/a:b"),
    ]) func `what is listed may be an access point`(_ end: String, _ prefix: String) throws {
      let (address, found) = try S3Address.bucket(of: "s3://arn:aws:s3:us-west-2:123456789012:\(end)")
      #expect(address.isBucket && found == prefix)
      let location = S3Endpoint.aws.location(of: address, region: "us-west-2", addressing: .automatic)
      #expect(location.url == "https://name-123456789012.s3-accesspoint.us-west-2.amazonaws.com/")
    }

    @Test func `a prefix within a name tells names below its folder`() async throws {
      try await with(["logs/2025", "logs/2026-01", "logs/2026-02/x"]) { scene in
        try await scene.expect(scene.listing("s3://bucket/logs/2026"), lists: ["2026-01", "2026-02/"])
      }
    }

    @Test(arguments: [1, 2, 3, 7, 1_000]) func `no name is lost or doubled at the end of a page`(size: Int) async throws
    {
      let names = (0..<20).map { "n/\($0 < 10 ? "0" : "")\($0)" }
      try await with(names) { scene in
        let listed = try await scene.names(of: scene.listing("s3://bucket/", isRecursive: true, pageSize: size))
        #expect(listed == names)
      }
    }

    @Test func `odd names come byte for byte`() async throws {
      let names = [
        "a b", "a+b", "a%20b", "a&b<c>\"'", "a\u{0}b", "a\u{1}\r\n\t", "..", "../../etc/passwd", "//", "/x", "é",
        "e\u{301}",
        "x/", "日本/\u{1F600}", "]]>", "?versionId=1#f", "&amp;", "%", "a\u{FFFE}",
      ]
      try await with(names) { scene in
        let listed = try await scene.listing("s3://bucket", isRecursive: true, pageSize: 4)
          .reduce(into: []) { $0.append($1.nameBytes) }
        let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(listed == sorted)
        // And in the prefix.
        for name in names {
          let found = try await scene.listing("s3://bucket/\(name)", isRecursive: true).reduce(into: []) {
            $0.append($1)
          }
          #expect(
            found.contains { Array(name.utf8).suffix($0.nameBytes.count) == $0.nameBytes[...] },
            "\(name.debugDescription)")
        }
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `an object of the folder's own name has an empty one`() async throws {
      try await with(["a/", "a/1"]) { scene in
        try await scene.expect(scene.listing("s3://bucket/a/"), lists: ["", "1"])
      }
    }

    @Test func `nothing below a prefix is an empty list`() async throws {
      try await with(["a"]) { scene in
        try await scene.expect(scene.listing("s3://bucket/z"), lists: [])
      }
    }

    @Test func `a page is fetched when it is wanted, and not before`() async throws {
      try await with((0..<9).map { "\($0)" }) { scene in
        var iterator = scene.listing("s3://bucket", pageSize: 3).makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        #expect(scene.server.log.requestCount == 1)
        let fourth = try await iterator.next()
        #expect(fourth?.name == "3")
        #expect(scene.server.log.requestCount == 2)
      }
    }

    @Test func `credentials that end between two pages are replaced`() async throws {
      try await with((0..<6).map { "\($0)" }) { scene in
        let count = Mutexed(0)
        var configuration = scene.configuration
        configuration.credentials = .provider {
          count.value += 1
          return count.value == 1 ? StoreScene.keys : StoreScene.others
        }
        var iterator = scene.listing("s3://bucket", pageSize: 3, configuration).makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        scene.store.set { _ = $0.expired.insert(StoreScene.keys.accessKeyID) }
        let fourth = try await iterator.next()
        #expect(fourth?.name == "3")
        #expect(scene.store.refusals == ["ExpiredToken"])
      }
    }

    @Test func `a bucket in another region is listed there`() async throws {
      try await with(["a"]) { scene in
        scene.store.set { $0.region = "eu-west-1" }
        try await scene.expect(scene.listing("s3://bucket"), lists: ["a"])
      }
    }

    @Test func `a failure that passes is tried again, by the stage that does so for reads`() async throws {
      try await with(["a"]) { scene in
        scene.store.set { $0.answers = [scene.store.error(503, "SlowDown"), scene.store.error(500, "InternalError")] }
        let again = ReadPipeline.retrying(initialBackoff: .zero)
        try await scene.expect(scene.listing("s3://bucket", pipeline: again), lists: ["a"])
      }
    }
  }

#endif
