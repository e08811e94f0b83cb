#if S3
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOS3

  @Suite(.timeLimit(.minutes(5))) struct S3VersionTests {
    @Test func `an overwritten object stays readable in the version that was opened`() async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 150_000, version: 1), at: "/bucket/v", version: "one")
        let source = scene.source("s3://bucket/v")
        let description = try await source.describe()
        scene.store.put(ServedObject(count: 60_000, version: 2), at: "/bucket/v", version: "two")
        let bytes = try await source.read(1_000..<150_000, of: description)
        #expect(Array(bytes) == StoreScene.content(1_000..<150_000, version: 1))
        #expect(scene.server.log.requests.last?.parameter("versionId") == "one")
        // A new description is of the new version.
        let next = try await source.describe()
        #expect(next.byteCount == 60_000)
        #expect(try await Array(source.read(0..<60_000, of: next)) == StoreScene.content(0..<60_000, version: 2))
        #expect(try await Array(source.read(0..<10, of: description)) == StoreScene.content(0..<10, version: 1))
        await source.close()
      }
    }

    @Test(arguments: [false, true])
    func `who may read the current version only is not stopped by the name of it`(_ isPublic: Bool) async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 150_000, version: 1), at: "/bucket/v", version: "one")
        scene.store.set { ($0.isPublic, $0.forbidsVersions) = (isPublic, true) }
        var configuration = scene.configuration
        if isPublic { configuration.credentials = .anonymous }
        let source = scene.source("s3://bucket/v", configuration)
        let description = try await source.describe()
        for range in [70_000..<150_000, 100_000..<120_000] {
          #expect(try await Array(source.read(range, of: description)) == StoreScene.content(range, version: 1))
        }
        #expect(scene.store.refusals == ["AccessDenied"])
        #expect(scene.server.log.requests.last?.parameter("versionId") == nil)
        // The version still counts.
        scene.store.put(ServedObject(count: 150_000, version: 2), at: "/bucket/v", version: "two")
        let error = await #expect(throws: ReadError.self) {
          _ = try await source.read(70_000..<150_000, of: description)
        }
        #expect(error?.code == .sourceChanged)
        await source.close()
        // One that was asked for by name may not be another.
        let named = await scene.failure(scene.source("s3://bucket/v?versionId=one", configuration))
        #expect(named?.code == .permissionDenied)
      }
    }

    @Test func `a refusal that passes does not turn the name of the version off`() async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 150_000, version: 1), at: "/bucket/v", version: "one")
        let source = scene.source("s3://bucket/v")
        let description = try await source.describe()
        let denied = scene.store.error(403, "AccessDenied")
        scene.store.set { $0.answers = [denied, denied] }
        let error = await #expect(throws: ReadError.self) {
          _ = try await source.read(70_000..<150_000, of: description)
        }
        #expect(error?.code == .permissionDenied)
        scene.store.put(ServedObject(count: 60_000, version: 2), at: "/bucket/v", version: "two")
        let bytes = try await source.read(70_000..<150_000, of: description)
        #expect(Array(bytes) == StoreScene.content(70_000..<150_000, version: 1))
        #expect(scene.server.log.requests.last?.parameter("versionId") == "one")
        await source.close()
      }
    }

    @Test func `without versions an overwritten object is another`() async throws {
      try await StoreScene.with { scene in
        let source = scene.source()
        let description = try await source.describe()
        scene.store.put(ServedObject(count: 100_000, version: 2), at: "/bucket/key")
        let error = await #expect(throws: ReadError.self) { _ = try await source.read(0..<70_000, of: description) }
        #expect(error?.code == .sourceChanged)
        #expect(scene.server.log.requests.contains { $0["If-Match"] == "\"v1\"" })
        await source.close()
      }
    }

    @Test func `a version that is asked for is read, though it is not the newest`() async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 50_000, version: 1), at: "/bucket/v", version: "one+")
        scene.store.put(ServedObject(count: 60_000, version: 2), at: "/bucket/v", version: "two")
        let source = scene.source("s3://bucket/v?versionId=one+")
        let description = try await source.describe()
        #expect(description.byteCount == 50_000 && description.name == "s3://bucket/v?versionId=one+")
        #expect(scene.server.log.requests.allSatisfy { $0.target.hasSuffix("?versionId=one%2B") })
        await source.close()
      }
    }

    @Test func `a version can be kept on a disk, and is known again`() async throws {
      try await StoreScene.with { scene in
        scene.store.put(ServedObject(count: 50_000, version: 1), at: "/bucket/v", version: "one")
        for url in ["s3://bucket/v", "s3://bucket/key"] {
          let (first, second) = (scene.source(url), scene.source(url))
          let (a, b) = (try await first.describe(), try await second.describe())
          #expect(a.id == b.id && a.id == "s3+\(scene.server.origin)/\(url.dropFirst(5))")
          #expect(a.validator?.persistentForm != nil)
          #expect(a.validator?.persistentForm == b.validator?.persistentForm)
          #expect(a.traits.isSettled)
          await first.close()
          await second.close()
        }
      }
    }

    @Test func `an object overwritten again and again is never a mix`() async throws {
      try await StoreScene.with(count: 200_000) { scene in
        let turn = Mutexed(1)
        for _ in 0..<50 {
          let source = scene.source()
          let description = try await source.describe()
          turn.value += 1
          var bytes: [UInt8] = []
          do {
            for start in stride(from: 0, to: 200_000, by: 50_000) {
              if start == 100_000 {
                scene.store.put(ServedObject(count: 200_000, version: turn.value), at: "/bucket/key")
              }
              bytes += try await source.read(start..<start + 50_000, of: description)
            }
            Issue.record("the object was overwritten, and a read of it succeeded")
          } catch let error as ReadError {
            #expect(error.code == .sourceChanged)
            #expect(bytes == StoreScene.content(0..<100_000, version: turn.value - 1))
          }
          await source.close()
        }
      }
    }
  }

#endif
