#if Serve && HTTP
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import RangeIOTesting
  import SystemPackage
  import Testing

  /// Names that Swift holds for equal, and that are not.
  struct NamesTests {
    /// "é" in one scalar, and as a letter with an accent after it.
    private let spellings = ["caf\u{e9}.bin", "cafe\u{301}.bin"]

    @Test func `two spellings of a name are two files`() async throws {
      let folder = try ServedFolder()
      for (index, name) in spellings.enumerated() { try folder.write([UInt8(index)], to: name) }
      // Some file systems hold them for one.
      guard try folder.names().count == 2 else { return }
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        for _ in 0..<2 {
          for index in spellings.indices {
            let path = "/" + ServedName(spellings[index]).encoded
            let answer = try await ask(path, port: port)
            #expect(answer.body == [UInt8(index)])
            #expect(try await askKept(path, port: port).body == [UInt8(index)])
          }
        }
      }
    }

    @Test func `two spellings of a name are two upstreams, and two objects below one`() async throws {
      #expect(spellings[0] == spellings[1])
      let sizes = [100, 200]
      @Sendable func reader(_ name: ServedName) async throws -> RangeReader {
        let index = name == ServedName(spellings[0]) ? 0 : 1
        return try await RangeReader(SyntheticSource(byteCount: sizes[index]), onChange: .refresh)
      }
      let upstreams = spellings.map { name in (name, ObjectUpstream { try await reader(ServedName(name)) }) }
      try await withServer(upstreams) { port, _ in
        for index in spellings.indices {
          let path = "/" + ServedName(spellings[index]).encoded
          let answer = try await ask(path, port: port)
          #expect(answer.body.count == sizes[index])
        }
      }
      try await withServer([("", ObjectUpstream(openBelow: { try await reader($0[0]) }))]) { port, _ in
        for index in spellings.indices {
          let path = "/" + ServedName(spellings[index]).encoded
          let answer = try await ask(path, port: port)
          #expect(answer.body.count == sizes[index])
        }
      }
    }

    @Test func `what is called as the server's own pages is not listed`() async throws {
      let folder = try ServedFolder()
      try folder.write([1], to: "-/stats")
      try folder.write([2], to: "sub/-")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let top = String(decoding: try await ask("/?format=json", port: port).body, as: UTF8.self)
        #expect(!top.contains("\"-\"") && top.contains("\"sub\""))
        let below = String(decoding: try await ask("/sub/?format=json", port: port).body, as: UTF8.self)
        #expect(below.contains("\"-\""))
        #expect(try await ask("/sub/-", port: port).body == [2])
      }
    }
  }
#endif
