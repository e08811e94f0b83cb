#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Versions of one size, told apart by what answers show: over real connections, by all ways to read.
  @Suite(.timeLimit(.minutes(5))) struct VersionMixTests {
    /// The fields by which a server shows a version.
    enum Shown: CaseIterable {
      case none, weak, strong, date, sameDate, sameDateStrong, otherCase, gzipSuffix

      func fields(_ version: Int) -> [ServedField] {
        let same = ServedField("Last-Modified", HTTPTime.text(1_700_000_000))
        return switch self {
        case .none: []
        case .weak: [ServedField("ETag", "W/\"t\(version)\"")]
        case .strong: [ServedField("ETag", "\"t\(version)\"")]
        case .date: [ServedField("Last-Modified", HTTPTime.text(1_700_000_000 + version))]
        case .sameDate: [same]
        case .sameDateStrong: [same, ServedField("ETag", "\"t\(version)\"")]
        case .otherCase: [ServedField("ETag", version == 1 ? "\"tag\"" : "\"TAG\"")]
        case .gzipSuffix: [ServedField("ETag", version == 1 ? "\"tag\"" : "\"tag-gzip\"")]
        }
      }

      /// `true` if nothing shows that the object was replaced. Opened by GET, what HEAD shows is not asked for.
      static func isUnseen(_ head: Shown, _ get: Shown, _ opening: RemoteOpening) -> Bool {
        if opening != .head { return [.none, .sameDate].contains(get) }
        return get == .none && head == .none || get == .sameDate && [.none, .sameDate].contains(head)
      }
    }

    private static let size = 300_000
    private static let path = "/object"

    /// A server that replaces its object after `first` answers to GET, and honours no condition.
    ///
    /// - Parameter cuts: whether the last answer of the first version breaks in the middle.
    private func script(_ head: Shown, _ get: Shown, first: Int, cuts: Bool = false) -> ServerScript {
      let objects = [1, 2].map { ServedObject(count: Self.size, version: $0) }
      return ServerScript { context in
        var request = context.request
        request.fields["If-Match"] = nil
        let number = request.method == "GET" ? context.memory.count("GET") : -1
        let version = number < first ? 1 : 2
        var answer = ScriptedAnswer.honest(request, objects[version - 1], date: context.date)
        answer.fields["ETag"] = nil
        answer.fields["Last-Modified"] = nil
        answer.fields += (request.method == "GET" ? get : head).fields(version)
        guard cuts, number == first - 1 else { return answer }
        return answer.interrupted(.close, at: .body(answer.body.count / 2))
      }
    }

    /// Opens the object and reads; checks that all bytes are of one version, or that the read says why not.
    private func expectOneVersion(
      _ script: ServerScript, _ opening: RemoteOpening, mayMix: Bool, _ comment: String,
      _ read: (HTTPSource, SourceDescription) async throws -> [Bytes], _ ranges: [Range<Int>]
    ) async throws {
      try await LyingServer.with { server in
        server.script = script
        var configuration = RemoteConfiguration.test
        configuration.opening = opening
        let source = HTTPSource(server.url(Self.path), configuration: configuration)
        do {
          let parts = try await read(source, source.describe())
          let isOne = [1, 2].contains { version in
            zip(parts, ranges).allSatisfy { $0.areContent($1, version: version) }
          }
          #expect(isOne || mayMix, "\(comment): versions are mixed")
        } catch let error as ReadError {
          #expect([.sourceChanged, .invalidResponse].contains(error.code), "\(comment): \(error)")
        }
        await source.close()
      }
    }

    @Test(arguments: Shown.allCases, [RemoteOpening.head, .beginning])
    func `a read that goes on after a cut, two reads and a copy have one version each`(
      _ head: Shown, _ opening: RemoteOpening
    ) async throws {
      for get in Shown.allCases {
        let (isUnseen, comment) = (Shown.isUnseen(head, get, opening), "\(opening), HEAD \(head), GET \(get)")
        let whole = 0..<Self.size
        try await expectOneVersion(
          script(head, get, first: 1, cuts: true), opening, mayMix: isUnseen, "\(comment), continued",
          { [try await $0.read(whole, of: $1)] }, [whole])
        try await expectOneVersion(
          script(head, get, first: 1), opening, mayMix: isUnseen, "\(comment), two reads",
          { [try await $0.read(0..<1000, of: $1), try await $0.read(70_000..<71_000, of: $1)] },
          [0..<1000, 70_000..<71_000])
        try await expectOneVersion(
          script(head, get, first: 1, cuts: true), opening, mayMix: isUnseen, "\(comment), copy",
          { source, description in
            let copied = Copied()
            try await source.read(whole, of: description) { copied.add($0) }
            return [Bytes(copied.bytes)]
          }, [whole])
        try await expectOneVersion(
          script(head, get, first: 3), opening, mayMix: isUnseen, "\(comment), many at once",
          { try await $0.read((0..<8).map { $0 * 20_000..<$0 * 20_000 + 1000 }, of: $1) },
          (0..<8).map { $0 * 20_000..<$0 * 20_000 + 1000 })
      }
    }

    @Test(arguments: [Shown.none, .sameDate])
    func `readers that share a cache meet no bytes of two versions, though HEAD shows one`(_ head: Shown) async throws {
      try await LyingServer.with { server in
        server.script = script(head, .sameDateStrong, first: 1)
        let store = MemoryStore(limit: .mebibytes(8))
        func reader() async throws -> RangeReader {
          var configuration = RemoteConfiguration.test
          configuration.blockSize = .kibibytes(4)
          let source = HTTPSource(server.url(Self.path), configuration: configuration)
          return try await RangeReader(source, [.caching(store)], onChange: .refresh)
        }
        let first = try await reader()
        #expect(try await first.read(0..<4096).areContent(0..<4096, version: 1))
        // The other one meets the block that is kept, if it shares it, and then the second version.
        let second = try await reader()
        _ = try await second.read(0..<4096)
        #expect(try await second.read(4096..<8192).areContent(4096..<8192, version: 2))
        for reader in [first, second] {
          let both = try await reader.read(0..<8192)
          #expect([1, 2].contains { both.areContent(0..<8192, version: $0) })
        }
        #expect(try await second.read(0..<8192).areContent(0..<8192, version: 2))
        await first.close()
        await second.close()
      }
    }

    @Test func `who opens an object after it was seen to be replaced reads it, though its date is the same`()
      async throws
    {
      try await LyingServer.with { server in
        server.script = script(.sameDate, .sameDateStrong, first: 1)
        let sources = (0..<2).map { _ in HTTPSource(server.url(Self.path), configuration: .reading) }
        let old = try await sources[0].describe()
        #expect(try await sources[0].read(0..<1000, of: old).areContent(0..<1000, version: 1))
        let error = await #expect(throws: ReadError.self) { try await sources[0].read(1000..<2000, of: old) }
        #expect(error?.code == .sourceChanged)
        // What is known of the old version still lives.
        let new = try await sources[1].describe()
        #expect(try await sources[1].read(0..<1000, of: new).areContent(0..<1000, version: 2))
        withExtendedLifetime(old) {}
        for source in sources { await source.close() }
      }
    }

    @Test func `readers of an object with a date share what is kept`() async throws {
      try await LyingServer.with { server in
        server.script = script(.date, .date, first: .max)
        let store = MemoryStore(limit: .mebibytes(8))
        for _ in 0..<2 {
          let source = HTTPSource(server.url(Self.path), configuration: .reading)
          let reader = try await RangeReader(source, [.caching(store)])
          #expect(try await reader.read(0..<4096).areContent(0..<4096))
          await reader.close()
        }
        #expect(server.log.requests.count { $0.method == "GET" } == 1)
      }
    }
  }

#endif
