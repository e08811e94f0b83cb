#if GCS
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOGCS

  @Suite(.timeLimit(.minutes(5))) struct GCSVersionTests {
    @Test(arguments: [GCSSource.API.xml, .json])
    func `an overwritten object stays readable in the generation that was opened`(_ api: GCSSource.API) async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.keepsGenerations = true }
        scene.store.put(ServedObject(count: 150_000, version: 1), at: "bucket/v", generation: 1_767_323_045_000_001)
        var configuration = scene.configuration
        configuration.api = api
        let source = scene.source("gs://bucket/v", configuration)
        let description = try await source.describe()
        scene.store.put(ServedObject(count: 60_000, version: 2), at: "bucket/v", generation: 1_767_323_045_000_002)
        let bytes = try await source.read(1_000..<150_000, of: description)
        #expect(Array(bytes) == GCSScene.content(1_000..<150_000, version: 1))
        #expect(scene.server.log.requests.last?.parameter("generation") == "1767323045000001")
        // A new description is of the new generation.
        let next = try await source.describe()
        #expect(next.byteCount == 60_000)
        #expect(try await Array(source.read(0..<60_000, of: next)) == GCSScene.content(0..<60_000, version: 2))
        #expect(try await Array(source.read(0..<10, of: description)) == GCSScene.content(0..<10, version: 1))
        await source.close()
      }
    }

    @Test(arguments: [GCSSource.API.xml, .json])
    func `an object that is added to is followed through its generations`(_ api: GCSSource.API) async throws {
      try await GCSScene.with(count: 100_000) { scene in
        var configuration = scene.configuration
        configuration.api = api
        let reader = try await RangeReader(
          gcs: "gs://bucket/key", configuration: configuration, cache: MemoryStore(limit: .mebibytes(4)),
          onChange: .follow.polling(every: .milliseconds(5)))
        var bytes: [UInt8] = []
        var generation = 100
        for try await piece in reader.stream(following: 50_000...) {
          bytes += Array(piece)
          guard bytes.count < 200_000 else { break }
          guard bytes.count == 50_000 * (generation - 99) else { continue }
          generation += 1
          scene.store.put(ServedObject(count: 50_000 * (generation - 98)), at: "bucket/key", generation: generation)
        }
        #expect(bytes == GCSScene.content(50_000..<50_000 + bytes.count))
        await reader.close()
      }
    }

    @Test(arguments: [GCSSource.API.xml, .json])
    func `an object that is removed between two reads is told as changed`(_ api: GCSSource.API) async throws {
      try await GCSScene.with(count: 200_000) { scene in
        var configuration = scene.configuration
        configuration.api = api
        let source = scene.source("gs://bucket/key", configuration)
        let description = try await source.describe()
        scene.store.set { $0.objects = [:] }
        let error = await #expect(throws: ReadError.self) {
          _ = try await source.read(100_000..<150_000, of: description)
        }
        #expect(error?.code == .sourceChanged && error?.message.contains("removed") == true, "\(error as Any)")
        await source.close()
      }
    }

    @Test func `without versions an overwritten object is told, and never mixed`() async throws {
      try await GCSScene.with(count: 200_000) { scene in
        for turn in 1..<20 {
          scene.store.put(ServedObject(count: 200_000, version: turn), at: "bucket/key", generation: turn)
          let source = scene.source()
          let description = try await source.describe()
          var bytes: [UInt8] = []
          do {
            for start in stride(from: 0, to: 200_000, by: 50_000) {
              if start == 100_000 {
                scene.store.put(ServedObject(count: 200_000, version: turn + 1), at: "bucket/key", generation: turn + 1)
              }
              bytes += try await source.read(start..<start + 50_000, of: description)
            }
            Issue.record("the object was overwritten, and a read of it succeeded")
          } catch let error as ReadError {
            #expect(error.code == .sourceChanged)
            #expect(bytes == GCSScene.content(0..<100_000, version: turn))
          }
          await source.close()
        }
      }
    }

    @Test func `a generation that is asked for is read, though it is not the newest`() async throws {
      try await GCSScene.with { scene in
        scene.store.set { $0.keepsGenerations = true }
        scene.store.put(ServedObject(count: 50_000, version: 1), at: "bucket/v", generation: 1)
        scene.store.put(ServedObject(count: 60_000, version: 2), at: "bucket/v", generation: 2)
        let source = scene.source("gs://bucket/v#1")
        let description = try await source.describe()
        #expect(description.byteCount == 50_000)
        #expect(scene.server.log.requests.allSatisfy { $0.target == "/bucket/v?generation=1" })
        await source.close()
      }
    }

    @Test func `a generation can be kept on a disk, and is known again`() async throws {
      try await GCSScene.with { scene in
        let (first, second) = (scene.source(), scene.source())
        let (a, b) = (try await first.describe(), try await second.describe())
        #expect(a.id == b.id && a.id == "gs+\(scene.server.origin)/bucket/key")
        #expect(a.validator?.persistentForm != nil && a.validator?.persistentForm == b.validator?.persistentForm)
        #expect(a.traits.isSettled)
        await first.close()
        await second.close()
      }
    }
  }

#endif
