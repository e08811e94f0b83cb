#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Testing

  /// Servers without ranges, and answers without length: one GET of the whole, read forward.
  @Suite(.timeLimit(.minutes(5))) struct WholeBodyTests {
    /// A server's way to treat ranges.
    enum Habit: CaseIterable {
      case ignores, refuses400, refuses416, refuses501

      func answer(_ context: AnswerContext) -> ScriptedAnswer {
        guard let object = context.object else { return context.honest }
        if context.request.method == "HEAD" { return context.honest }
        if context.request["Range"] != nil {
          switch self {
          case .ignores: break
          case .refuses400: return ScriptedAnswer(400, text: "no ranges")
          case .refuses416: return ScriptedAnswer(416, text: "no ranges")
          case .refuses501: return ScriptedAnswer(501, text: "no ranges")
          }
        }
        return .onlyWhole(object)
      }
    }

    private func withSource(
      _ habit: Habit, count: Int, _ configuration: RemoteConfiguration = .test,
      _ body: (LyingServer, HTTPSource, SourceDescription) async throws -> Void
    ) async throws {
      try await withServer(count: count) { server in
        server.script = ServerScript { habit.answer($0) }
        try await RangeIOHTTPTests.withSource(server, configuration) { source, description in
          #expect(description.byteCount == count)
          try await body(server, source, description)
        }
      }
    }

    private func wholes(_ server: LyingServer) -> Int { server.log.requests.count { $0.method == "GET" } }

    @Test(arguments: Habit.allCases) func `an object within the limit is one GET, and has ranges`(_ habit: Habit)
      async throws
    {
      try await withSource(habit, count: 300_000) { server, source, description in
        let opening = wholes(server)
        #expect(opening == (habit == .ignores ? 1 : 2))
        for _ in 0..<20 { try await expectContent(200_000..<300_000, of: source, description) }
        try await expectContent(0..<300_000, of: source, description)
        try await expectContent(1000..<1010, of: source, description)
        #expect(wholes(server) == opening)
        // To see whether it has changed, no body comes.
        server.log.clear()
        _ = try await source.describe()
        #expect(server.log.requests.map(\.method) == ["HEAD"] && server.log.bodyBytes == 0)
      }
    }

    @Test func `many within the limit hold little together: those that had to go are read again`() async throws {
      try await withServer(count: 1_000_000) { server in
        server.script = ServerScript { Habit.ignores.answer($0) }
        var sources: [(HTTPSource, SourceDescription)] = []
        for _ in 0..<20 {
          let source = HTTPSource(server.url(objectPath), configuration: .test)
          sources.append((source, try await source.describe()))
        }
        func reads(of index: Int) async throws -> Int {
          server.log.clear()
          let (source, description) = sources[index]
          for part in 0..<10 { try await expectContent(part * 100_000..<(part + 1) * 100_000, of: source, description) }
          return wholes(server)
        }
        // Which ones are gone depends on whose bytes came last: of 20 MB, 16 MiB stay.
        var again = 0
        for index in sources.indices { again += try await reads(of: index) }
        #expect((3...2 * sources.count).contains(again))
        for (source, _) in sources { await source.close() }
      }
    }

    @Test(arguments: [false, true])
    func `many without length hold little together too: those that had to go come again`(_ hasDate: Bool) async throws {
      try await withServer(count: 1_000_000) { server in
        server.script = ServerScript { context in
          guard let object = context.object else { return context.honest }
          var answer = ScriptedAnswer.onlyWhole(object)
          for name in ["Content-Length", "ETag"] { answer.fields[name] = nil }
          if !hasDate { answer.fields["Last-Modified"] = nil }
          answer.framing = .chunked(100_000)
          answer.isBodyless = context.request.method == "HEAD"
          return answer
        }
        var sources: [(HTTPSource, SourceDescription)] = []
        for _ in 0..<25 {
          let source = HTTPSource(server.url(objectPath), configuration: .test)
          sources.append((source, try await source.describe()))
        }
        let (source, description) = sources[0]
        server.log.clear()
        for range in [900_000..<1_000_000, 0..<100] { try await expectContent(range, of: source, description) }
        let again = wholes(server)
        #expect(again == 1 || again == 2)
        for (source, _) in sources { await source.close() }
      }
    }

    @Test func `one without length that is more than all sources may hold comes whole for each read`() async throws {
      try await withServer(count: 17_000_000) { server in
        server.script = ServerScript { context in
          guard let object = context.object else { return context.honest }
          var answer = ScriptedAnswer.onlyWhole(object)
          for name in ["Content-Length", "ETag"] { answer.fields[name] = nil }
          answer.framing = .chunked(1_000_000)
          answer.isBodyless = context.request.method == "HEAD"
          return answer
        }
        var configuration = RemoteConfiguration.test
        configuration.prefixLimit = .mebibytes(32)
        try await RangeIOHTTPTests.withSource(server, configuration) { source, description in
          for range in [16_900_000..<17_000_000, 0..<100] { try await expectContent(range, of: source, description) }
        }
      }
    }

    @Test(arguments: Habit.allCases) func `a stream of a longer one is one GET more`(_ habit: Habit) async throws {
      let count = 20_000_000
      try await withServer(count: count) { server in
        server.script = ServerScript { habit.answer($0) }
        let reader = try await RangeReader(
          HTTPSource(server.url(objectPath), configuration: .test), [.limiting(maxConcurrentReads: 8)])
        server.log.clear()
        for turn in 0..<2 {
          var position = 0
          for try await bytes in reader.stream(0...) {
            #expect(bytes.areContent(position..<position + bytes.count), "at \(position)")
            position += bytes.count
          }
          #expect(position == count)
          // One that is refused, and one of the whole, which the second turn begins anew.
          #expect(wholes(server) <= (turn + 1) * (habit == .ignores ? 1 : 2))
        }
        await reader.close()
      }
    }

    @Test func `parts that come out of order, and at the same time, are of one GET`() async throws {
      try await withSource(.ignores, count: 16 << 20) { server, source, description in
        server.log.clear()
        try await withThrowingTaskGroup(of: Void.self) { group in
          // Within eight mebibytes in reverse, and those one after the other.
          for eight in 0..<2 {
            for part in (eight * 32..<eight * 32 + 32).reversed() {
              let range = part << 18..<(part + 1) << 18
              group.addTask { try await expectContent(range, of: source, description) }
            }
          }
          try await group.waitForAll()
        }
        #expect(wholes(server) <= 2)
      }
    }

    @Test func `a copy gets the bytes as they arrive`() async throws {
      try await withSource(.ignores, count: 12 << 20) { server, source, description in
        server.log.clear()
        let copies = (0..<3).map { _ in Copied() }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (part, copy) in copies.enumerated() {
            let range = part << 22..<(part + 1) << 22
            group.addTask { try await source.read(range, of: description) { copy.add($0) } }
          }
          try await group.waitForAll()
        }
        for (part, copy) in copies.enumerated() {
          #expect(Bytes(copy.bytes).areContent(part << 22..<(part + 1) << 22))
        }
        #expect(wholes(server) <= 2)
      }
    }

    @Test func `a read that does not follow says so, and costs no transfer`() async throws {
      try await withSource(.ignores, count: 40 << 20) { server, source, description in
        let error = try await readError { _ = try await source.read(30 << 20..<31 << 20, of: description) }
        #expect(error.code == .unsupportedSource && error.message.contains("ignores ranges") && !error.isTransient)
        // What is on its way when the connection is closed.
        #expect(server.log.bodyBytes < 20 << 20)
        // From the start on it is read.
        for part in 0..<5 { try await expectContent(part << 20..<(part + 1) << 20, of: source, description) }
        let back = try await source.read(2 << 20..<3 << 20, of: description)
        #expect(back.areContent(2 << 20..<3 << 20))
      }
    }

    @Test func `a body that breaks is asked for again, and what was there is passed over`() async throws {
      try await withServer(count: 8 << 20) { server in
        server.script = ServerScript { context in
          guard let object = context.object, context.request.method == "GET" else { return context.honest }
          let answer = ScriptedAnswer.onlyWhole(object)
          return context.memory.count("GET") == 1 ? answer.interrupted(.reset, at: .body(5 << 20)) : answer
        }
        try await RangeIOHTTPTests.withSource(server, .test) { source, description in
          for part in 0..<8 { try await expectContent(part << 20..<(part + 1) << 20, of: source, description) }
          #expect(wholes(server) == 3)
        }
      }
    }

    @Test func `what a body lacks that has failed is asked for anew`() async throws {
      try await withServer(count: 8 << 20) { server in
        server.script = ServerScript { context in
          guard let object = context.object, context.request.method == "GET" else { return context.honest }
          let answer = ScriptedAnswer.onlyWhole(object)
          return switch context.memory.count("GET") {
          case 1: answer.interrupted(.close, at: .body(5_500_000))
          case 2: ScriptedAnswer(503, text: "later")
          default: answer
          }
        }
        try await RangeIOHTTPTests.withSource(server, .test) { source, description in
          for part in 0..<5 { try await expectContent(part << 20..<(part + 1) << 20, of: source, description) }
          let error = try await readError { _ = try await source.read(5 << 20..<6 << 20, of: description) }
          #expect(error.isTransient)
          server.log.clear()
          try await expectContent(5 << 20..<6 << 20, of: source, description)
          #expect(wholes(server) == 1)
        }
      }
    }

    @Test func `an object that is replaced on the way is not mixed`() async throws {
      try await withServer(count: 8 << 20) { server in
        server.script = ServerScript { context in
          guard context.request.method == "GET" else { return context.honest }
          let number = context.memory.count("GET")
          let answer = ScriptedAnswer.onlyWhole(ServedObject(count: 8 << 20, version: number < 2 ? 1 : 2))
          return number == 1 ? answer.interrupted(.reset, at: .body(5 << 20)) : answer
        }
        try await RangeIOHTTPTests.withSource(server, .test) { source, description in
          var failure: ReadError?
          for part in 0..<8 where failure == nil {
            do { try await expectContent(part << 20..<(part + 1) << 20, of: source, description) } catch {
              failure = error as? ReadError
            }
          }
          #expect(failure?.code == .sourceChanged)
        }
      }
    }

    @Test func `the length of an answer that tells none is that of its body, within the limit`() async throws {
      for (count, isRead) in [(300_000, true), (1 << 20, true), (2 << 20, false)] {
        try await withServer(count: count) { server in
          server.script = ServerScript { context in
            var answer = context.object.map { ScriptedAnswer.onlyWhole($0) } ?? context.honest
            answer.fields["Content-Length"] = nil
            answer.framing = .chunked(10_000)
            answer.isBodyless = context.request.method == "HEAD"
            return answer
          }
          let source = HTTPSource(server.url(objectPath), configuration: .test)
          if isRead {
            let description = try await source.describe()
            #expect(description.byteCount == count && wholes(server) == 1)
            for range in [0..<100, 200_000..<300_000, 0..<count, 100..<200] {
              try await expectContent(range, of: source, description)
            }
            _ = try await source.describe()
            #expect(wholes(server) == 1)
          } else {
            let error = try await readError { _ = try await source.describe() }
            #expect(error.code == .unsupportedSource && error.message.contains("how long"))
          }
          await source.close()
        }
      }
    }

    @Test func `an object without length that is too large to be kept is read forward`() async throws {
      let count = 24 << 20
      try await withServer(count: count) { server in
        server.script = ServerScript { context in
          var answer = context.object.map { ScriptedAnswer.onlyWhole($0) } ?? context.honest
          answer.fields["Content-Length"] = nil
          answer.framing = .chunked(10_000)
          answer.isBodyless = context.request.method == "HEAD"
          return answer
        }
        var configuration = RemoteConfiguration.test
        configuration.prefixLimit = .mebibytes(64)
        let reader = try await RangeReader(
          HTTPSource(server.url(objectPath), configuration: configuration), [.limiting(maxConcurrentReads: 8)])
        var position = 0
        for try await bytes in reader.stream(0...) {
          #expect(bytes.areContent(position..<position + bytes.count), "at \(position)")
          position += bytes.count
        }
        // The opening, and one body.
        #expect(position == count && wholes(server) <= 3)
        await reader.close()
      }
    }

    @Test(arguments: [1, 100_000, 299_999])
    func `what came of an answer without length before it broke is no part of the object`(_ broken: Int) async throws {
      try await withServer(count: 300_000) { server in
        server.script = ServerScript { context in
          guard let object = context.object else { return context.honest }
          var answer = ScriptedAnswer.onlyWhole(object)
          answer.fields["Content-Length"] = nil
          answer.framing = .chunked(10_000)
          let isFirst = context.memory.count("GET") == 0
          return isFirst ? answer.interrupted(.reset, at: .body(broken)) : answer
        }
        try await RangeIOHTTPTests.withSource(server, .test) { source, description in
          #expect(description.byteCount == 300_000 && wholes(server) == 2)
          try await expectContent(0..<300_000, of: source, description)
          try await expectContent(1000..<1010, of: source, description)
          #expect(wholes(server) == 2)
        }
      }
    }

    @Test(arguments: [204, 400, 416, 500]) func `an object of no bytes is there, however its ranges are refused`(
      _ status: Int
    ) async throws {
      try await withServer(count: 0) { server in
        server.script = ServerScript { context in
          guard context.request["Range"] != nil else { return context.honest }
          var answer = ScriptedAnswer(status, text: "no")
          answer.isBodyless = status == 204
          return answer
        }
        for opening in [RemoteOpening.beginning, .head, .suffix(10)] {
          var configuration = RemoteConfiguration.test
          configuration.opening = opening
          try await RangeIOHTTPTests.withSource(server, configuration) { #expect($1.byteCount == 0) }
        }
      }
    }
  }
#endif
