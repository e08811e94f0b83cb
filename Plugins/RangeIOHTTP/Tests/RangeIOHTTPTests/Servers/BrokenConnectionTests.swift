#if HTTP

  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  /// Servers that cut bodies and close connections, right in all else.
  struct BrokenConnectionTests {
    @Test(.timeLimit(.minutes(20)), arguments: ["end", "reset"])
    func `ranges of 8 MiB that are cut with p = 0.3 move at most 1.02 times the bytes`(_ how: String) async throws {
      var configuration = LyingServer.Configuration()
      // What the kernel holds when a connection is reset was sent in vain.
      configuration.sendBuffer = 1 << 16
      configuration.script = .cutting(RunScale.seed, probability: 0.3, by: how == "end" ? .close : .reset)
      try await LyingServer.with(configuration) { server in
        let object = ServedObject(count: 12 << 20)
        server.objects.put(object, at: "/object")
        let source = HTTPSource(server.url("/object"), configuration: Liar().source)
        let description = try await source.describe()
        server.log.clear()
        var random = SeededGenerator(seed: RunScale.seed)
        let (count, length) = (max(20, RunScale.reads / 50), 8 << 20)
        for _ in 0..<count {
          let start = Int.random(in: 0...object.bytes.count - length, using: &random)
          let bytes = try await source.read(start..<start + length, of: description)
          #expect(bytes.areContent(start..<start + length), "seed \(RunScale.seed), from \(start)")
        }
        let share = Double(server.log.bodyBytes) / Double(count * length)
        print(
          "figures: cut by \(how): \(server.log.requestCount) requests for \(count) ranges, \(share) times the bytes")
        #expect(server.log.requestCount > count && share <= 1.02, "seed \(RunScale.seed)")
        await source.close()
      }
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["end", "reset", "GOAWAY", "refusal"])
    func `over HTTP 2 a connection that ends under all its reads costs none of them`(_ how: String) async throws {
      let liar = Liar.tls(http2: true)
      var configuration = liar.server
      configuration.script = ServerScript { context in
        guard context.request.number % 20 == 19 else { return context.honest }
        return switch how {
        case "end": context.honest.interrupted(.closeWithoutNotify, at: .body(500))
        case "reset": context.honest.interrupted(.reset, at: .head(0))
        case "GOAWAY": context.honest.interrupted(.goAway, at: .head(0))
        default: context.honest.interrupted(.refuseStream, at: .head(0))
        }
      }
      try await LyingServer.with(configuration) { server in
        server.objects.put(ServedObject(count: 100_000), at: "/object")
        let source = HTTPSource(server.url("/object"), configuration: liar.source)
        let description = try await source.describe()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<8 {
            group.addTask {
              for number in 0..<RunScale.reads / 40 {
                let start = (number * 8 + task) * 1_000 % 99_000
                let bytes = try await source.read(start..<start + 1_000, of: description)
                #expect(bytes.areContent(start..<start + 1_000))
              }
            }
          }
          try await group.waitForAll()
        }
        #expect(server.log.connections > 5)
        await source.close()
      }
    }

    @Test(.timeLimit(.minutes(20)), arguments: ConnectionLimit.Manner.allCases)
    func `a server that closes after each 100 requests costs no read`(_ manner: ConnectionLimit.Manner) async throws {
      var configuration = LyingServer.Configuration()
      configuration.limit = ConnectionLimit(100, manner)
      try await LyingServer.with(configuration) { server in
        let object = ServedObject(count: 100_000)
        server.objects.put(object, at: "/object")
        let source = HTTPSource(server.url("/object"), configuration: Liar().source)
        let description = try await source.describe()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<4 {
            group.addTask {
              var random = SeededGenerator(seed: RunScale.seed &+ UInt64(task))
              for _ in 0..<RunScale.reads / 4 {
                let start = Int.random(in: 0..<99_000, using: &random)
                let bytes = try await source.read(start..<start + 1000, of: description)
                #expect(bytes.areContent(start..<start + 1000))
              }
            }
          }
          try await group.waitForAll()
        }
        #expect(server.log.connections >= RunScale.reads / 100)
        await source.close()
      }
    }
  }

#endif
