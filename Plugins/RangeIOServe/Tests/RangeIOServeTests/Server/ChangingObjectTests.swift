#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import RangeIOTesting
  import SystemPackage
  import Testing

  /// Objects that change, fail or are slow while they are served.
  struct ChangingObjectTests {
    @Test func `a file that is replaced is served anew under another tag, and never mixed`() async throws {
      let folder = try ServedFolder()
      let old = ServedFolder.bytes(300_000)
      let new = ServedFolder.bytes(400_000, seed: 0x5a)
      try folder.write(old, to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let first = try await ask("/a.bin", port: port)
        #expect(first.body == old)
        try folder.write(new, to: "b.bin")
        #expect(rename(folder.path + "/b.bin", folder.path + "/a.bin") == 0)
        // Until it is seen, the old file is served whole.
        var answer = first
        while answer.body == old {
          answer = try await ask("/a.bin", port: port)
          #expect(answer.status == 200)
          #expect((answer.fields["etag"] == first.fields["etag"]) == (answer.body == old))
        }
        #expect(answer.body == new)
        let condition = "If-Range: \(first.fields["etag"] ?? "")"
        #expect(try await ask("/a.bin", port: port, ["Range: bytes=0-9", condition]).status == 200)
      }
    }

    @Test func `a file that is rewritten in place is served anew`() async throws {
      let folder = try ServedFolder()
      try folder.write(ServedFolder.bytes(1000), to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        #expect(try await ask("/a.bin", port: port).body == ServedFolder.bytes(1000))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/a.bin"))
        try handle.write(contentsOf: Data(ServedFolder.bytes(2000, seed: 1)))
        try handle.close()
        let answer = try await ask("/a.bin", port: port)
        #expect(answer.status == 200)
        #expect(answer.body == ServedFolder.bytes(2000, seed: 1))
      }
    }

    @Test func `a file that is removed is not found`() async throws {
      let folder = try ServedFolder()
      try folder.write([1, 2, 3], to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        #expect(try await ask("/a.bin", port: port).body == [1, 2, 3])
        #expect(unlink(folder.path + "/a.bin") == 0)
        while try await ask("/a.bin", port: port).status != 404 {}
        try folder.write([4], to: "a.bin")
        #expect(try await ask("/a.bin", port: port).body == [4])
      }
    }

    @Test func `one file is served by its path: it may go, and another may come`() async throws {
      let folder = try ServedFolder()
      let path = folder.path + "/a.bin"
      try await withServer([("a.bin", FileUpstream(path))]) { port, _ in
        #expect(try await ask("/a.bin", port: port).status == 404)
        try folder.write([1, 2, 3], to: "a.bin")
        #expect(try await ask("/a.bin", port: port).body == [1, 2, 3])
        #expect(unlink(path) == 0)
        while try await ask("/a.bin", port: port).status != 404 {}
        try folder.write([4], to: "a.bin")
        #expect(try await ask("/a.bin", port: port).body == [4])
        #expect(try await ask("/a.bin/b", port: port).status == 404)
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        while try await ask("/a.bin", port: port).status != 404 {}
      }
    }

    @Test func `a file of this second has no date, since another of this second would have the same`() async throws {
      let folder = try ServedFolder()
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        // As far from now as the test may take.
        try folder.write([1], to: "new.bin")
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: folder.path + "/new.bin")
        try folder.write([1], to: "old.bin")
        #expect(try await ask("/new.bin", port: port).fields["last-modified"] == nil)
        #expect(try await ask("/old.bin", port: port).fields["last-modified"] == "Sun, 09 Sep 2001 01:46:40 GMT")
        #expect(try await askKept("/old.bin", port: port).fields["last-modified"] == "Sun, 09 Sep 2001 01:46:40 GMT")
      }
    }

    /// A source of which reads from some offset on fail.
    private struct FailingSource: RangeSource {
      let size: Int
      let failsFrom: Int
      let error: ReadError

      func describe() async throws -> SourceDescription {
        SourceDescription(
          id: "failing", name: "failing", validator: nil, byteCount: size, preferredBlockSize: .kibibytes(64))
      }

      func read(_ range: Range<Int>, of source: SourceDescription) async throws -> Bytes {
        guard range.upperBound <= failsFrom else { throw error }
        return Bytes(range.map { UInt8(truncatingIfNeeded: $0) })
      }
    }

    @Test func `a source that fails before the head is an answer, and after it the connection is cut`() async throws {
      let text = "as the test says"
      var busy = ReadError(.inputOutput, text, isTransient: true)
      busy.retryAfter = .seconds(7)
      let cases: [(ReadError, Int)] = [
        (ReadError(.timedOut, text), 504), (ReadError(.invalidResponse, text), 502),
        (ReadError(.inputOutput, text), 502), (.errno(.ioError, "read", source: "device"), 500), (busy, 503),
        (ReadError(.permissionDenied, text), 403), (ReadError(.notFound, text), 404),
        (ReadError(.resourcesExhausted, text), 503),
      ]
      for (error, status) in cases {
        let upstream = ObjectUpstream {
          try await RangeReader(FailingSource(size: 1 << 20, failsFrom: 1 << 19, error: error), onChange: .refresh)
        }
        try await withServer([("object", upstream)]) { port, _ in
          let early = try await ask("/object", port: port, ["Range: bytes=600000-"])
          #expect(early.status == status)
          #expect(early.fields["retry-after"] == (status == 503 ? error.retryAfter == nil ? "1" : "7" : nil))
          let late = try await ask("/object", port: port)
          #expect(late.status == 200)
          #expect(late.fields["content-length"] == "\(1 << 20)")
          #expect(late.body.count == 1 << 19)
          let parts = try await ask("/object", port: port, ["Range: bytes=0-9,600000-600009"])
          #expect(parts.status == 206)
          #expect(parts.body.count < Int(parts.fields["content-length"] ?? "") ?? 0)
        }
      }
    }

    @Test func `an upstream of many objects opens those that are asked for, once`() async throws {
      let opened = Counter()
      let source = GatedSource(SyntheticSource(byteCount: 100_000))
      source.gateDescribe(true)
      let upstream = ObjectUpstream(
        freshness: .seconds(1000),
        openBelow: { names in
          opened.add()
          guard names != ["none"] else { throw ReadError(.notFound, "none") }
          return try await RangeReader(source, onChange: .refresh)
        })
      try await withServer([("", upstream)]) { port, _ in
        let answers = try await withThrowingTaskGroup(of: ReceivedAnswer.self) { group in
          for _ in 0..<20 { group.addTask { try await ask("/a/b", port: port, ["Range: bytes=5-8"]) } }
          while try await answersUnderWay(port) < 21 {}
          source.open()
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 206 && $0.body == answers[0].body })
        #expect(opened.count == 1)
        #expect(try await ask("/none", port: port).status == 404)
        #expect(try await ask("/", port: port).status == 404)
      }
    }

    @Test(arguments: [Duration.zero, .seconds(3600)])
    func `an object that changes under an answer cuts it off, and the next answer has the new one`(
      freshness: Duration
    ) async throws {
      let base = SyntheticSource(byteCount: 1 << 20)
      let source = GatedSource(base)
      // What the first answer read before the change is at hand when the next one begins.
      let upstream = ObjectUpstream(freshness: freshness) {
        try await RangeReader(
          source, [.caching(MemoryStore(limit: .mebibytes(8)), fill: .exact), .merging()], onChange: .refresh)
      }
      try await withServer([("object", upstream)]) { port, _ in
        async let answer = ask("/object", port: port)
        await source.arrivals(1)
        let old = base.expected(0..<1 << 18)
        source.releaseNext()
        await source.arrivals(2)
        base.rewrite()
        source.open()
        let received = try await answer
        #expect(received.status == 200 && received.fields["content-length"] == "\(1 << 20)")
        #expect(received.body == Array(old))
        let next = try await ask("/object", port: port)
        #expect(next.body == Array(base.expected(0..<1 << 20)))
        #expect(next.fields["etag"] == nil || next.fields["etag"] != received.fields["etag"])
      }
    }

    @Test func `an object that is replaced while a part of it is cached cuts off one answer`() async throws {
      let source = SyntheticSource(byteCount: 1 << 20)
      let upstream = ObjectUpstream(freshness: .seconds(3600)) {
        try await RangeReader(
          source, [.caching(MemoryStore(limit: .mebibytes(8))), .merging()], onChange: .refresh)
      }
      try await withServer([("object", upstream)]) { port, _ in
        for _ in 0..<2 {
          #expect(try await ask("/object", port: port, ["Range: bytes=0-299999"]).body.count == 300_000)
        }
        let old = source.expected(0..<1 << 20)
        source.rewrite()
        let cut = try await ask("/object", port: port).body
        #expect(cut == Array(old.prefix(cut.count)) || cut == Array(source.expected(0..<1 << 20)))
        #expect(try await ask("/object", port: port).body == Array(source.expected(0..<1 << 20)))
      }
    }

    @Test func `of a distant object is read what its clients ask for, once`() async throws {
      let source = SyntheticSource(byteCount: 64 << 20, latency: .milliseconds(2), bytesPerSecond: 1e9)
      let stage: ReadPipeline = .readAhead()
      let upstream = ObjectUpstream {
        try await RangeReader(
          source, [stage, .caching(MemoryStore(limit: .mebibytes(32)), fill: .exact), .merging()], onChange: .refresh)
      }
      try await withServer([("object", upstream)]) { port, _ in
        var asked = 0
        for place in [3_000_001, 40_000_000, 17, 20_000_000] {
          let range = place..<place + 1_500_000
          asked += range.count
          let field = "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"
          try await withThrowingTaskGroup(of: ReceivedAnswer.self) { group in
            for _ in 0..<8 { group.addTask { try await ask("/object", port: port, [field]) } }
            for try await answer in group {
              #expect(answer.status == 206)
              #expect(answer.body == Array(source.expected(range)))
            }
          }
        }
        #expect(source.bytesRead == asked)
        let counts = stage.stages[0].statistics()
        #expect(try #require(counts?["bytes used"]) > asked / 2)
      }
    }
  }
#endif
