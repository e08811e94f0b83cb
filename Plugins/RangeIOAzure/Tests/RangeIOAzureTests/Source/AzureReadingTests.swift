#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOTesting
  import Testing

  @testable import RangeIOAzure

  @Suite(.timeLimit(.minutes(5))) struct AzureReadingTests {
    @Test func `a blob is a source`() async throws {
      try await StoreScene.with { scene in
        try await SourceConformance.check(of: Bytes(StoreScene.content(0..<100_000))) { scene.source() }
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `a name of one's own identifies a blob in caches`() async throws {
      try await StoreScene.with { scene in
        let source = AzureSource(StoreScene.address, identifiedBy: "planet", configuration: scene.configuration)
        let description = try await scene.reading(source) { try await $0.describe() }
        #expect(description.id == "name:planet" && description.name == StoreScene.address)
      }
    }

    @Test(arguments: [
      "key", "a b", "a+b", "a//b/c", "é/日本語", "e\u{301}", "a%20b", "a@b:c=d", "!'()*$,;&", "what?", "#", "/lead",
      "trail/",
      "\"<>\\^`{|}[]", "~-_.", "x/\u{1}",
    ])
    func `the path on the wire is the one that was signed`(_ blob: String) async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 1_000), at: "/maps/tiles/" + blob)
        let address = try AzureAddress(account: "maps", container: "tiles", blob: blob)
        try await scene.expectContent(of: scene.source(address.description))
        #expect(scene.store.refusals.isEmpty)
        #expect(scene.server.log.requests.allSatisfy { $0.target == "/maps/tiles/" + ObjectURL.encodedPath(blob) })
      }
    }

    @Test func `ranges, several at once, and an empty blob are read`() async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 0), at: "/maps/tiles/empty")
        try await scene.reading(scene.source()) { source in
          let description = try await source.describe()
          #expect(description.byteCount == 100_000 && description.name == StoreScene.address)
          let ranges = [5..<50, 70_000..<99_999]
          #expect(
            try await source.read(ranges, of: description).map { Array($0) } == ranges.map { StoreScene.content($0) })
        }
        let empty = scene.source("az://maps/tiles/empty")
        #expect(try await scene.reading(empty) { try await $0.describe().byteCount } == 0)
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `a suffix is opened without asking for one`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.remote.opening = .suffix(1_000)
        let reader = try await RangeReader(scene.source(StoreScene.address, configuration))
        #expect(try await Array(reader.read(suffix: 1_000)) == StoreScene.content(99_000..<100_000))
        await reader.close()
        #expect(scene.server.log.requests.map(\.method) == ["HEAD", "GET"])
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `versions and snapshots are read by their times`() async throws {
      try await StoreScene.with { scene in
        scene.store.put(
          ServedObject(count: 1_000, version: 2), at: "/maps/tiles/blob", moment: "versionid=2026%3A1%2B2")
        scene.store.put(ServedObject(count: 1_000, version: 3), at: "/maps/tiles/blob", moment: "snapshot=2026-01-02")
        for (suffix, version) in [("", 1), ("?versionid=2026:1+2", 2), ("?snapshot=2026-01-02", 3)] {
          let source = scene.source(StoreScene.address + suffix)
          #expect(source.name == StoreScene.address + suffix)
          let bytes = try await scene.firstBytes(source)
          #expect(bytes == StoreScene.content(version: version), "\(suffix)")
        }
        let error = await scene.failure(scene.source(StoreScene.address + "?versionid=none"))
        #expect(error?.code == .notFound && error?.message.contains("version or snapshot") == true)
      }
    }

    @Test func `a change is told, and never mixed`() async throws {
      try await StoreScene.with(count: 200_000) { scene in
        for turn in 1..<20 {
          scene.store.put(ServedObject(count: 200_000, version: turn), at: "/maps/tiles/blob")
          let source = scene.source()
          let description = try await source.describe()
          let first = try await Array(source.read(0..<100_000, of: description))
          #expect(first == StoreScene.content(0..<100_000, version: turn))
          scene.store.put(ServedObject(count: 200_000, version: turn + 1), at: "/maps/tiles/blob")
          let error = await #expect(throws: ReadError.self) {
            _ = try await source.read(100_000..<200_000, of: description)
          }
          #expect(error?.code == .sourceChanged)
          await source.close()
        }
        #expect(scene.server.log.requests.contains { $0["If-Match"] == "\"v1\"" })
      }
    }

    @Test func `a removed blob has changed, and one that was never there is not found`() async throws {
      try await StoreScene.with { scene in
        let source = scene.source()
        let description = try await source.describe()
        scene.store.set { $0.blobs = [:] }
        let gone = await #expect(throws: ReadError.self) { _ = try await source.read(80_000..<90_000, of: description) }
        #expect(gone?.code == .sourceChanged)
        await source.close()
        let missing = await scene.failure(scene.source())
        #expect(missing?.code == .notFound && missing?.message.contains("BlobNotFound") == true)
        #expect(missing?.source == StoreScene.address)
      }
    }

    @Test func `a blob is known again, whatever its version and credentials`() async throws {
      try await StoreScene.with { scene in
        scene.store.set { _ = $0.accepted.insert("sv=1&sig=right") }
        let sources = [
          scene.source(), scene.source(StoreScene.address, scene.configuration(.sas("sv=1&sig=right"))),
        ]
        var descriptions: [SourceDescription] = []
        for source in sources {
          descriptions.append(try await source.describe())
          await source.close()
        }
        #expect(descriptions.map(\.id) == Array(repeating: "az+\(scene.server.origin)/maps/tiles/blob", count: 2))
        #expect(descriptions[0].validator?.persistentForm != nil)
        #expect(descriptions[0].validator?.persistentForm == descriptions[1].validator?.persistentForm)
      }
    }

    @Test func `an anonymous reader sends no credentials`() async throws {
      try await StoreScene.with { scene in
        let refused = await scene.failure(scene.source(StoreScene.address, scene.configuration(.anonymous)))
        #expect(refused?.code == .notFound && refused?.message.contains("not public") == true)
        scene.store.set { $0.isPublic = true }
        try await scene.expectContent(of: scene.source(StoreScene.address, scene.configuration(.anonymous)))
        #expect(scene.server.log.requests.allSatisfy { $0["Authorization"] == nil && $0["x-ms-date"] == nil })
      }
    }

    @Test func `the fields of a user are sent, and those of the service are signed`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.remote.headers = [("x-ms-encryption-key", "a2V5"), ("X-Other", "x")]
        try await scene.expectContent(of: scene.source(StoreScene.address, configuration))
        #expect(scene.server.log.requests.allSatisfy { $0["x-ms-encryption-key"] == "a2V5" && $0["X-Other"] == "x" })
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `a reader with the ready-made stages reads a URL of an emulator`() async throws {
      try await StoreScene.with { scene in
        var configuration = scene.configuration
        configuration.endpoint = nil
        let reader = try await RangeReader(azure: scene.server.url("/maps/tiles/blob"), configuration: configuration)
        #expect(try await Array(reader.read(5..<50)) == StoreScene.content(5..<50))
        await reader.close()
      }
      for address in ["ftp://x/y", "/a/path", "az://maps", ""] {
        let error = await #expect(throws: ReadError.self) { _ = try await RangeReader(azure: address) }
        #expect(error?.code == .invalidConfiguration, "\(address)")
      }
    }

    @Test func `settings that contradict each other are named`() async throws {
      try await StoreScene.with { scene in
        var (token, header, other, web) = (
          scene.configuration, scene.configuration, scene.configuration, scene.configuration
        )
        token.remote.credentials = .bearer("hidden")
        header.remote.headers = [("X-MS-Version", "1")]
        other.endpoint = "https://other.blob.core.windows.net"
        web.endpoint = nil
        for (address, configuration, part) in [
          (StoreScene.address, token, "remote.credentials"), (StoreScene.address, header, "X-MS-Version"),
          (StoreScene.address, other, "'other'"),
          ("https://maps.blob.core.windows.net/tiles/a", scene.configuration, "endpoint"),
          ("https://maps.blob.core.windows.net/tiles/a?sv=1&sig=hidden", web, "shared access signature"),
        ] {
          let error = await scene.failure(scene.source(address, configuration))
          #expect(error?.code == .invalidConfiguration && error?.message.contains(part) == true, "\(error as Any)")
          #expect(error.map { !"\($0)".contains("hidden") } == true)
        }
        #expect(scene.server.log.requestCount == 0)
      }
    }

    @Test func `a closed source throws closed, also before its first use`() async throws {
      try await StoreScene.with { scene in
        let source = scene.source()
        let description = try await source.describe()
        await source.close()
        let late = await #expect(throws: ReadError.self) { _ = try await source.read(90_000..<90_001, of: description) }
        #expect(late?.code == .closed)
        let unused = scene.source()
        await unused.close()
        let first = await #expect(throws: ReadError.self) { _ = try await unused.describe() }
        #expect(first?.code == .closed)
      }
    }
  }

#endif
