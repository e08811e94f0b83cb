#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOGCS

  /// Listings of a bucket over the wire, by both APIs.
  @Suite(.timeLimit(.minutes(2))) struct GCSListingTests {
    private func with(
      _ names: [String], _ api: GCSSource.API, _ body: (GCSScene, GCSSource.Configuration) async throws -> Void
    ) async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.names = NamePages(names) }
        var configuration = scene.configuration
        configuration.api = api
        try await body(scene, configuration)
      }
    }

    @Test(arguments: [GCSSource.API.xml, .json]) func `objects and folders, page by page`(api: GCSSource.API)
      async throws
    {
      try await with(["a/1", "a/2", "a/b/1", "a/c/d", "b"], api) { scene, configuration in
        let entries = try await scene.listing("gs://bucket/a/", pageSize: 3, configuration).reduce(into: []) {
          $0.append($1)
        }
        #expect(entries.map(\.name) == ["1", "2", "b/", "c/"])
        #expect(entries.map(\.isFolder) == [false, false, true, true])
        #expect(entries[0].byteCount == 3 && entries[0].version == "100")
        #expect(entries[0].modified == HTTPDate("Fri, 02 Jan 2026 03:04:05 GMT"))
        #expect(scene.server.log.requestCount == 2)
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test(arguments: [GCSSource.API.xml, .json]) func `odd names come byte for byte`(api: GCSSource.API) async throws {
      let names = [
        "a b", "a+b", "a%20b", "a&b<c>\"'", "a\u{1}b", "//", "..", "é", "e\u{301}", "日本/\u{1F600}", "#1", "%",
      ]
      try await with(names, api) { scene, configuration in
        let listed = try await scene.listing("gs://bucket", isRecursive: true, pageSize: 5, configuration)
          .reduce(into: []) { $0.append($1.nameBytes) }
        #expect(listed == names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
      }
    }

    @Test func `an HMAC key signs a page, whose token has signs of its own`() async throws {
      try await with(["1", "2"], .xml) { scene, configuration in
        let key = HMACKey(accessID: "GOOG1", secret: "secret")
        scene.store.set { $0.keys = ["GOOG1": key] }
        var configuration = configuration
        configuration.credentials = .hmac(accessID: "GOOG1", secret: "secret")
        try await scene.expect(scene.listing("gs://bucket", pageSize: 1, configuration), lists: ["1", "2"])
      }
    }

    @Test(arguments: [GCSSource.API.xml, .json])
    func `a token that ends between two pages is replaced`(api: GCSSource.API) async throws {
      try await with(["1", "2"], api) { scene, configuration in
        let number = Guarded(0)
        var configuration = configuration
        configuration.credentials = .provider {
          GCSToken(
            number.withLock {
              $0 += 1
              return "token-\($0)"
            })
        }
        var iterator = scene.listing("gs://bucket", pageSize: 1, configuration).makeAsyncIterator()
        let first = try await iterator.next()
        scene.store.set { $0.tokens = ["token-2"] }
        let second = try await iterator.next()
        #expect(first?.name == "1" && second?.name == "2")
        #expect(scene.store.refusals == [401])
      }
    }

    @Test func `a bucket that may not be listed says which permission is missing`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.tokens = [] }
        var configuration = scene.configuration
        configuration.credentials = .anonymous
        let error = await #expect(throws: ReadError.self) {
          try await scene.expect(scene.listing("gs://bucket/a", configuration), lists: [])
        }
        #expect(error?.code == .permissionDenied && error?.message.contains("list") == true)
        #expect(error?.source == "gs://bucket/a")
      }
    }

    @Test(arguments: ["gs://", "gs:bucket", "gs:///a", "gs://Bucket"]) func `no bucket is no address`(url: String) {
      #expect(throws: ReadError.self) { try GCSAddress.bucket(of: url) }
    }

    @Test(arguments: ["{\"kind\": \"storage#buckets\"}", "[]", "{", "{\"items\": [{}]}", ""])
    func `something else is no listing`(text: String) throws {
      let form = GCSListForm(place: ListedPrefix("", isRecursive: true))
      #expect(throws: ReadError.self) { try form.page(in: Array(text.utf8), from: ObjectURL("https://x/")) }
    }
  }

#endif
