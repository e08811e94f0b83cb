#if Azure
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOSupport
  import Testing

  @testable import RangeIOAzure

  /// Append blobs, which a reader follows: each appended block makes another tag and another date.
  @Suite(.timeLimit(.minutes(5))) struct AppendBlobTests {
    /// A blob of blocks in the mock.
    private final class AppendBlob: Sendable {
      private let scene: StoreScene
      private let state = Guarded((count: 0, blocks: 0))

      init(_ scene: StoreScene) {
        self.scene = scene
        append(0)
      }

      var count: Int { state.withLock { $0.count } }

      /// Appends a block of `count` bytes.
      func append(_ count: Int) {
        state.withLock { state in
          state.count += count
          state.blocks += 1
          put(state.count, tag: "0x8DC\(state.blocks)", after: state.blocks)
        }
      }

      /// Makes the blob anew, with the bytes of another version.
      func replace(_ count: Int) { put(count, version: 2, tag: "0x8DD", after: 1_000) }

      private func put(_ count: Int, version: Int = 1, tag: String, after seconds: Int) {
        let object = ServedObject(
          StoreScene.content(0..<count, version: version), tag: .strong(tag), lastModified: 1_700_000_000 + seconds)
        scene.store.put(object, at: "/maps/tiles/log")
      }
    }

    private func follow(_ scene: StoreScene) async throws -> RangeReader {
      var configuration = scene.configuration
      configuration.remote.isAppendOnly = true
      return try await RangeReader(
        scene.source("az://maps/tiles/log", configuration),
        .remoteObject(configuration.remote, cache: MemoryStore(limit: .mebibytes(8))),
        onChange: .follow.polling(every: .milliseconds(5)))
    }

    /// Sizes of blocks: of some bytes, of pages, and of more than a window.
    private static let blocks = [1, 700, 4096, 1, 65_536, 3, 262_144, 1_000_003, 17, 3_000_000, 2, 9_999]

    @Test func `a stream gets every byte of every block once`() async throws {
      try await StoreScene.with { scene in
        let blob = AppendBlob(scene)
        let reader = try await follow(scene)
        #expect(reader.byteCount == 0)
        var blocks = Self.blocks[...]
        var sum = 0
        if let first = blocks.popFirst() { blob.append(first) }
        for try await piece in reader.stream(following: 0...) {
          guard piece == Bytes(StoreScene.content(sum..<sum + piece.count)) else {
            Issue.record("other bytes within \(sum)..<\(sum + piece.count)")
            break
          }
          sum += piece.count
          guard sum == blob.count else { continue }
          guard let next = blocks.popFirst() else { break }
          blob.append(next)
        }
        #expect(sum == Self.blocks.reduce(0, +))
        await reader.close()
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test func `blocks that are appended while requests are answered are got too, and read again from the cache`()
      async throws
    {
      try await StoreScene.with { scene in
        let blob = AppendBlob(scene)
        blob.append(5_000)
        let (script, left) = (scene.store.script, Guarded(Self.blocks[...]))
        // The answer is of the blob as it was, and the next request finds another.
        scene.server.script = ServerScript { asked in
          let answer = script.answer(asked)
          if let next = left.withLock({ $0.popFirst() }) { blob.append(next) }
          return answer
        }
        let end = 5_000 + Self.blocks.reduce(0, +)
        let reader = try await follow(scene)
        var sum = 0
        for try await piece in reader.stream(following: 0...) {
          #expect(piece == Bytes(StoreScene.content(sum..<sum + piece.count)))
          sum += piece.count
          if sum == end { break }
        }
        #expect(reader.byteCount == end)
        for range in [0..<1, 4_999..<5_002, 5_000..<6_000, 300_000..<1_400_000, end - 10..<end] {
          #expect(try await reader.read(range) == Bytes(StoreScene.content(range)))
        }
        await reader.close()
        #expect(scene.store.refusals.isEmpty)
      }
    }

    @Test(arguments: [4_000, 5_000, 9_000]) func `a blob that was made anew is told`(count: Int) async throws {
      try await StoreScene.with { scene in
        let blob = AppendBlob(scene)
        blob.append(5_000)
        let reader = try await follow(scene)
        let error = await #expect(throws: ReadError.self) {
          for try await piece in reader.stream(following: 0...) where piece.count == 5_000 { blob.replace(count) }
        }
        #expect(error?.code == .sourceChanged)
        await reader.close()
      }
    }
  }
#endif
