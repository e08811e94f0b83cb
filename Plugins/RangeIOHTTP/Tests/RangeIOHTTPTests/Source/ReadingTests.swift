#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Synchronization
  import Testing

  @Suite(.timeLimit(.minutes(5))) struct ReadingTests {
    @Test func `bytes have memory of their own size`() async throws {
      try await withServer(count: 4 << 20) { server in
        try await withSource(server) { source, description in
          let small = try await source.read(100..<4196, of: description)
          #expect(small == content(100..<4196) && small.backingByteCount <= 8192)
          let grid = try #require(BlockGrid(blockSize: 1 << 18))
          let pieces = try await source.read(grid.pieces(of: (1 << 18)..<(1 << 20)).map(\.range), of: description)
          #expect(pieces.count == 3)
          for (index, piece) in pieces.enumerated() {
            #expect(piece == content((index + 1) << 18..<(index + 2) << 18))
            #expect(piece.backingByteCount == 1 << 18)
          }
        }
      }
    }

    @Test func `a scattered read is one request`() async throws {
      try await withServer(count: 1 << 20) { server in
        try await withSource(server) { source, description in
          server.log.clear()
          let grid = try #require(BlockGrid(blockSize: 4096))
          let pieces = try await source.read(grid.pieces(of: 5000..<900_000).map(\.range), of: description)
          #expect(Bytes(concatenating: pieces) == content(5000..<900_000))
          #expect(server.log.requestCount == 1)
        }
      }
    }

    @Test func `a receiver gets all bytes in order as they arrive`() async throws {
      try await withServer(count: 3 << 20) { server in
        try await withSource(server) { source, description in
          let received = Mutex<[Bytes]>([])
          try await source.read(1000..<3_000_000, of: description) { bytes in received.withLock { $0.append(bytes) } }
          let all = received.withLock { $0 }
          #expect(all.count > 1 && Bytes(concatenating: all) == content(1000..<3_000_000))
        }
      }
    }

    @Test func `a receiver gets no byte twice when an answer breaks`() async throws {
      try await withServer(count: 3 << 20) { server in
        try await withSource(server) { source, description in
          let cuts = Mutex(0)
          server.script = ServerScript { context in
            let number = cuts.withLock { cuts -> Int in
              cuts += 1
              return cuts
            }
            return number > 3 ? context.honest : context.honest.interrupted(.reset, at: .body(500_000))
          }
          let received = Mutex<[Bytes]>([])
          try await source.read(0..<3_000_000, of: description) { bytes in received.withLock { $0.append(bytes) } }
          #expect(Bytes(concatenating: received.withLock { $0 }) == content(0..<3_000_000))
        }
      }
    }

    @Test func `what a receiver throws ends the read`() async throws {
      struct DiskFull: Error {}
      try await withServer(count: 3 << 20) { server in
        try await withSource(server) { source, description in
          await #expect(throws: DiskFull.self) {
            try await source.read(0..<3_000_000, of: description) { _ in throw DiskFull() }
          }
          let bytes = try await source.read(0..<10, of: description)
          #expect(bytes == content(0..<10))
        }
      }
    }

    @Test func `path and query are on the wire as they were given`() async throws {
      let target = "/a+b@c//d/../e%2Ff%20g~(1)*!$&',;=:/x?q=a+b%26&empty=&x=1/2?3"
      try await withServer { server in
        server.objects.put(ServedObject(count: 100), at: "/a+b@c//d/../e%2Ff%20g~(1)*!$&',;=:/x")
        let source = HTTPSource(server.url(target), configuration: .test)
        // `try?`: only what was sent matters here, not what came of it.
        _ = try? await source.describe()
        #expect(server.log.requests.first?.target == target)
        await source.close()
      }
    }

    @Test func `several ranges are read at the same time`() async throws {
      try await withServer(count: 1 << 20) { server in
        try await withSource(server) { source, description in
          let gate = ServerGate()
          server.script = ServerScript { $0.honest.interrupted(.wait(gate), at: .head(0)) }
          let ranges = (0..<20).map { $0 * 1000..<$0 * 1000 + 100 } + [5..<5]
          async let all = source.read(ranges, of: description)
          await gate.arrival(8)
          gate.open()
          for (range, bytes) in zip(ranges, try await all) { #expect(bytes == content(range)) }
        }
      }
    }

    @Test func `a redirect that leads nowhere is not kept after the read has failed`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          server.script = ServerScript { context in
            context.request.query == nil
              ? ScriptedAnswer(
                302, [ServedField("Location", "\(objectPath)?elsewhere"), ServedField("Content-Length", "0")])
              : ScriptedAnswer(404, text: "nothing here\n")
          }
          let error = try await readError { _ = try await source.read(0..<10, of: description) }
          #expect(!error.isTransient)
          server.script = .honest
          server.log.clear()
          try await expectContent(0..<10, of: source, description)
          #expect(server.log.requests.map(\.target) == [objectPath])
        }
      }
    }

    @Test func `32 ranges of 1 MiB take their bytes and little more`() async throws {
      try await withServer(count: 32 << 20) { server in
        var configuration = RemoteConfiguration.test
        configuration.maxConnectionsPerHost = 32
        try await withSource(server, configuration) { source, description in
          let ranges = (0..<32).map { $0 << 20..<($0 + 1) << 20 }
          for (range, bytes) in zip(ranges, try await source.read(ranges, of: description)) {
            #expect(bytes == content(range))
            // At most a page more.
            #expect(bytes.backingByteCount <= (1 << 20) + 4096)
          }
        }
      }
    }

    @Test func `counts say what was read`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          _ = try await source.read(0..<1000, of: description)
          let counts = try #require(source.statistics().first)
          #expect(counts["reads"] == 1 && counts["bytes"] == 1000 && counts["requests"] == 2)
          #expect(counts["bytes received"] == 1000 && counts.wastedBytes == 0)
        }
      }
    }

    @Test func `a read of the whole without its size counts like any other`() async throws {
      try await withServer { server in
        let source = HTTPSource(server.url(objectPath), configuration: .test)
        let count = try await source.readAll { _ in }
        await source.close()
        let counts = try #require(source.statistics().first)
        #expect(count > 0 && counts["reads"] == 1 && counts["bytes"] == count)
        #expect(counts["bytes received"] == count && counts.wastedBytes == 0)
      }
    }

    @Test(.timeLimit(.minutes(1))) func `bytes are counted as they come`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          let gate = ServerGate()
          server.script = ServerScript { context in context.honest.interrupted(.wait(gate), at: .body(600)) }
          async let bytes = source.read(0..<1000, of: description)
          // Nothing tells when they have come.
          while source.statistics().first?["bytes received"] != 600 {
            try Task.checkCancellation()
            await Task.yield()
          }
          #expect(source.statistics().first?.wastedBytes == 0, "they may still be used")
          gate.open()
          let all = try await bytes
          #expect(all == content(0..<1000))
          #expect(source.statistics().first?["bytes received"] == 1000)
        }
      }
    }

    @Test(.timeLimit(.minutes(1))) func `bytes that came for a read that was left are wasted`() async throws {
      try await withServer { server in
        try await withSource(server) { source, description in
          let gate = ServerGate()
          server.script = ServerScript { context in context.honest.interrupted(.wait(gate), at: .body(600)) }
          let read = Task { try await source.read(0..<1000, of: description) }
          while source.statistics().first?["bytes received"] != 600 {
            try Task.checkCancellation()
            await Task.yield()
          }
          read.cancel()
          await #expect(throws: CancellationError.self) { _ = try await read.value }
          gate.open()
          // Nothing tells when the request has ended.
          while source.statistics().first?.wastedBytes ?? 0 < 600 {
            try Task.checkCancellation()
            await Task.yield()
          }
        }
      }
    }

    @Test(arguments: [false, true]) func `a target is sent as it is, whatever Foundation makes of it`(
      _ isHTTP2: Bool
    ) async throws {
      try await withServer(isHTTP2 ? .tls(http2: true) : .init()) { server in
        server.script = ServerScript { context in
          var answer = ScriptedAnswer.whole(ServedObject(count: 5))
          answer.isBodyless = context.request.method == "HEAD"
          return answer
        }
        var configuration = RemoteConfiguration.test
        configuration.httpVersion = isHTTP2 ? .http2 : .http1
        for (given, sent) in [
          // No UTF-8.
          ("/d%E9j%C3%A0//x/../%2e%2E/y%2F;z?q=+&&%ff", "/d%E9j%C3%A0//x/../%2e%2E/y%2F;z?q=+&&%ff"),
          ("/a%5bb%5D?X-Amz-Signature=a%2Fb&X-Amz-Expires=9", "/a%5bb%5D?X-Amz-Signature=a%2Fb&X-Amz-Expires=9"),
          ("/a[b]?X-Amz-Signature=[", "/a%5Bb%5D?X-Amz-Signature=%5B"), ("?", "/?"), ("", "/"), ("/?a#b", "/?a"),
        ] {
          let source = HTTPSource(server.url(given), configuration: configuration)
          let size = try await source.describe().byteCount
          let request = server.log.requests.last
          #expect(size == 5 && request?.target == sent, "\(given)")
          #expect(request?["x-rangeio-target"] == nil)
          await source.close()
        }
      }
    }
  }
#endif
