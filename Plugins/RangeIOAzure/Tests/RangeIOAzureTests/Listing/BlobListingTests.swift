#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOAzure

  /// Listings of a container over the wire, whose signatures are checked.
  @Suite(.timeLimit(.minutes(2))) struct BlobListingTests {
    private func with(_ names: [String], _ body: (StoreScene) async throws -> Void) async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.names = NamePages(names) }
        try await body(scene)
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `blobs and folders below a prefix, page by page`() async throws {
      try await with(["a/1", "a/2", "a/b/1", "a/c/d", "b"]) { scene in
        let entries = try await scene.listing("az://maps/tiles/a/", pageSize: 2).reduce(into: []) { $0.append($1) }
        #expect(entries.map(\.name) == ["1", "2", "b/", "c/"])
        #expect(entries.map(\.isFolder) == [false, false, true, true])
        #expect(entries[0].byteCount == 3 && entries[0].version == "0x8D3")
        #expect(entries[0].modified == HTTPDate("Fri, 02 Jan 2026 03:04:05 GMT"))
        #expect(scene.server.log.requestCount == 2)
      }
    }

    @Test(arguments: ["az://maps/tiles", "az://maps/tiles/"]) func `a whole container`(url: String) async throws {
      try await with(["a/1", "b"]) { scene in
        try await scene.expect(scene.listing(url), lists: ["a/", "b"])
        try await scene.expect(scene.listing(url, isRecursive: true), lists: ["a/1", "b"])
      }
    }

    @Test(arguments: [1, 2, 3, 7]) func `no name is lost or doubled at the end of a page`(size: Int) async throws {
      let names = (0..<20).map { "n/\($0 < 10 ? "0" : "")\($0)" }
      try await with(names) { scene in
        try await scene.expect(scene.listing("az://maps/tiles", isRecursive: true, pageSize: size), lists: names)
      }
    }

    @Test func `odd names come byte for byte`() async throws {
      let names = [
        "a b", "a+b", "a%20b", "a&b<c>\"'", "a\u{1}b", "a\r\nb", "//", "é", "e\u{301}", "日本/\u{1F600}", "]]>", "&amp;",
        "%",
        "a\u{FFFE}",
      ]
      try await with(names) { scene in
        let listed = try await scene.listing("az://maps/tiles", isRecursive: true, pageSize: 4)
          .reduce(into: []) { $0.append($1.nameBytes) }
        #expect(listed == names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
      }
    }

    @Test func `a shared access signature goes with each page, and is replaced when it ends`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { $0.names = NamePages(["1", "2"]) }
        scene.store.set { $0.accepted = ["sig=one"] }
        let count = Shared(0)
        let configuration = scene.configuration(
          .sas { "sv=1&se=2099-01-01T00:00:00Z&sig=\(count.increment() == 1 ? "one" : "two")" })
        var iterator = scene.listing("az://maps/tiles", pageSize: 1, configuration).makeAsyncIterator()
        let first = try await iterator.next()
        scene.store.set { $0.accepted = ["sig=two"] }
        let second = try await iterator.next()
        #expect(first?.name == "1" && second?.name == "2")
        #expect(scene.store.refusals == ["AuthenticationFailed"])
      }
    }

    @Test func `directories of a Data Lake are folders`() throws {
      let form = BlobListForm(place: ListedPrefix("a/", isRecursive: true))
      let page = try form.page(
        in: Array(
          """
          <EnumerationResults><Blobs><Blob><Name>a/b</Name><Properties><ResourceType>directory</ResourceType>\
          <Content-Length>0</Content-Length></Properties></Blob></Blobs><NextMarker/></EnumerationResults>
          """.utf8), from: ObjectURL("https://x/"))
      #expect(page.entries == [ListedEntry(nameBytes: Array("b/".utf8), isFolder: true)])
      #expect(page.next == nil)
    }

    @Test(arguments: [
      ("AuthorizationPermissionMismatch", 403, ReadError.Code.permissionDenied),
      ("ContainerNotFound", 404, .notFound),
    ])
    func `a refusal is told in words`(code: String, status: Int, kind: ReadError.Code) async throws {
      try await StoreScene.with { scene in
        scene.store.set { [store = scene.store] in $0.answers = [store.error(status, code)] }
        let error = await #expect(throws: ReadError.self) {
          try await scene.expect(scene.listing("az://maps/tiles/a"), lists: [])
        }
        #expect(error?.code == kind && error?.message.contains(code) == true)
        #expect(error?.source == "az://maps/tiles/a")
      }
    }

    @Test(arguments: [
      ("az://maps/tiles", ""), ("az://maps/tiles/a/b", "a/b"), ("abfss://tiles@maps.dfs.core.windows.net/a/", "a/"),
      ("https://maps.blob.core.windows.net/tiles/a%20b?sv=1&sig=s", "a b"),
      ("https://maps.blob.core.windows.net/tiles", ""),
    ])
    func `addresses of containers`(text: String, prefix: String) throws {
      let (container, found) = try AzureAddress.container(of: text)
      #expect(container.account == "maps" && container.container == "tiles" && found == prefix)
    }

    @Test(arguments: ["az://maps", "az://maps/", "az:maps", "https://maps.blob.core.windows.net/tiles/a?snapshot=1"])
    func `what is no container's address is refused`(text: String) {
      #expect(throws: ReadError.self) { try AzureAddress.container(of: text) }
    }
  }

#endif
