#if HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import Synchronization
  import Testing

  /// Many reads of servers without ranges at the same time: bodies that are shared, paused, passed over and ended.
  @Suite(.timeLimit(.minutes(5))) struct ForwardBodyTests {
    private static let mebibyte = 1 << 20

    /// A server that answers every GET with the whole.
    private func withServer(
      count: Int, _ body: (LyingServer) async throws -> Void
    ) async throws {
      try await RangeIOHTTPTests.withServer(count: count) { server in
        server.script = ServerScript { context in
          guard let object = context.object, context.request.method == "GET" else { return context.honest }
          return .onlyWhole(object)
        }
        try await body(server)
      }
    }

    /// Reads a range, and compares it.
    private func check(_ range: Range<Int>, _ source: HTTPSource, _ description: SourceDescription) async throws {
      let position = Atomic<Int>(range.lowerBound)
      try await source.read(range, of: description) { bytes in
        let start = position.wrappingAdd(bytes.count, ordering: .relaxed).oldValue
        #expect(bytes.areContent(start..<start + bytes.count))
      }
      #expect(position.load(ordering: .relaxed) == range.upperBound)
    }

    @Test func `a closed source reads nothing, and says so`() async throws {
      try await withServer(count: 1_000) { server in
        let source = HTTPSource(server.url(objectPath), configuration: .test)
        await source.close()
        let error = try await readError { _ = try await source.readAll { _ in } }
        #expect(error.code == .closed)
      }
    }

    @Test func `a source that is closed while all is read fails the read, also when all has come`() async throws {
      try await withServer(count: 6 * Self.mebibyte) { server in
        let source = HTTPSource(server.url(objectPath), configuration: .test)
        var count = 0
        let error = try await readError {
          _ = try await source.readAll { bytes in
            count += bytes.count
            guard count == bytes.count else { return }
            // From here on nothing more is taken.
            let closing = Task.detached { await source.close() }
            _ = closing
          }
        }
        // Either all of it was passed on, or the read fails.
        #expect(error.code == .closed && count < 6 * Self.mebibyte)
      }
    }

    @Test(arguments: [false, true])
    func `a read that waits for another one's end goes on, also when that is cancelled`(_ isCancelled: Bool)
      async throws
    {
      let count = 24 * Self.mebibyte
      try await withServer(count: count) { server in
        try await withSource(server, .test) { source, description in
          let (began, ends) = (Signal(), Signal())
          let slow = Task {
            // After what came with the opening.
            try await source.read(70_000..<300_000, of: description) { _ in
              began.fire()
              ends.waitOnThisThread()
              if isCancelled { throw CancellationError() }
            }
          }
          await began.wait()
          let passed = Atomic<Int>(0)
          let fast = Task {
            try await source.read(0..<count, of: description) { bytes in
              passed.wrappingAdd(bytes.count, ordering: .relaxed)
            }
          }
          // It is nearly as far ahead of the other as the body runs.
          while passed.load(ordering: .relaxed) < 7 * Self.mebibyte { await Task.yield() }
          ends.fire()
          _ = await slow.result
          try await fast.value
          #expect(passed.load(ordering: .relaxed) == count)
        }
      }
    }

    @Test func `streams that run apart each get all bytes`() async throws {
      let count = 40 * Self.mebibyte
      try await withServer(count: count) { server in
        for _ in 0..<3 {
          let reader = try await RangeReader(HTTPSource(server.url(objectPath), configuration: .test))
          try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
              group.addTask {
                var position = 0
                for try await bytes in reader.stream(0...) {
                  if position % (7 * Self.mebibyte) == 0 {
                    #expect(bytes.areContent(position..<position + bytes.count))
                  }
                  position += bytes.count
                }
                return position
              }
            }
            for try await position in group { #expect(position == count) }
          }
          await reader.close()
        }
      }
    }

    @Test func `one stream by the usual stages gets all bytes, in windows one after the other`() async throws {
      let count = 60 * Self.mebibyte
      try await withServer(count: count) { server in
        for _ in 0..<3 {
          server.log.clear()
          let reader = try await RangeReader(
            HTTPSource(server.url(objectPath), configuration: .test),
            .remoteObject(cache: MemoryStore(limit: .mebibytes(16))))
          var position = 0
          for try await bytes in reader.stream(0...) {
            position += bytes.count
          }
          #expect(position == count)
          // The opening, and one body.
          #expect(server.log.requests.count { $0.method == "GET" } <= 3)
          await reader.close()
        }
      }
    }

    @Test func `reads far apart that begin at once do not end each other`() async throws {
      let count = 24 * Self.mebibyte
      try await withServer(count: count) { server in
        var configuration = RemoteConfiguration.test
        configuration.skipLimit = .mebibytes(24)
        for _ in 0..<20 {
          try await withSource(server, configuration) { source, description in
            try await withThrowingTaskGroup(of: Void.self) { group in
              for index in 0..<8 {
                group.addTask {
                  let start = (1 + index) * 200_000
                  try await check(start..<start + 1000, source, description)
                }
              }
              try await group.waitForAll()
            }
          }
        }
      }
    }

    @Test func `streams of many objects go on with their bodies, though all of them hold much`() async throws {
      let count = 10 * Self.mebibyte
      try await withServer(count: count) { server in
        var configuration = RemoteConfiguration.test
        configuration.maxConnectionsPerHost = 16
        let sources = (0..<8).map { _ in HTTPSource(server.url(objectPath), configuration: configuration) }
        var descriptions: [SourceDescription] = []
        for source in sources { descriptions.append(try await source.describe()) }
        for start in stride(from: 0, to: count, by: Self.mebibyte) {
          for (source, description) in zip(sources, descriptions) {
            try await check(start..<start + Self.mebibyte, source, description)
          }
        }
        // One to open each, and one body.
        #expect(server.log.requests.count { $0.method == "GET" } <= 2 * sources.count)
        for source in sources { await source.close() }
      }
    }

    @Test func `what another reader has cached does not hide the rest`() async throws {
      let count = 24 * Self.mebibyte
      try await withServer(count: count) { server in
        let store = MemoryStore(limit: .mebibytes(64))
        for (limit, end) in [(ByteCount.mebibytes(8), 16 * Self.mebibyte), (.mebibytes(20), count)] {
          var configuration = RemoteConfiguration.test
          configuration.skipLimit = limit
          let reader = try await RangeReader(
            HTTPSource(server.url(objectPath), configuration: configuration), .remoteObject(cache: store))
          for try await bytes in reader.stream(0..<end) { _ = bytes }
          await reader.close()
        }
        // With the default the same is refused, and says how it can be had.
        let reader = try await RangeReader(HTTPSource(server.url(objectPath), configuration: .test))
        let error = try await readError { _ = try await reader.read(20 * Self.mebibyte..<21 * Self.mebibyte) }
        #expect(error.code == .unsupportedSource && error.message.contains("skipLimit"))
        await reader.close()
      }
    }

    /// Of objects of which a part was read, and of those that were read to their end.
    @Test(.timeLimit(.minutes(5)), arguments: [(5, 12, 100_000..<300_000), (20, 3, 0..<3 << 20)])
    func `no body keeps its connection from others for long`(_ objects: Int, _ mebibytes: Int, _ range: Range<Int>)
      async throws
    {
      try await withServer(count: mebibytes * Self.mebibyte) { server in
        var configuration = RemoteConfiguration.test
        configuration.maxConnectionsPerHost = 2
        var sources: [HTTPSource] = []
        for number in 0..<objects {
          server.objects.put(ServedObject(count: mebibytes * Self.mebibyte), at: "/\(number)")
          let source = HTTPSource(server.url("/\(number)"), configuration: configuration)
          sources.append(source)
          let description = try await source.describe()
          try await expectContent(range, of: source, description)
        }
        for source in sources { await source.close() }
      }
    }

    @Test func `five readers from the start, all under way, each get their bytes`() async throws {
      let count = 30 * Self.mebibyte
      try await withServer(count: count) { server in
        try await withSource(server, .test) { source, description in
          // Each is far enough when the next one begins.
          let starts = (0..<5).map { _ in Signal() }
          try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<5 {
              group.addTask {
                if number > 0 { await starts[number - 1].wait() }
                let copied = Atomic<Int>(0)
                try await source.read(0..<count, of: description) { bytes in
                  let sum = copied.wrappingAdd(bytes.count, ordering: .relaxed).newValue
                  if sum >= 14 * Self.mebibyte { starts[number].fire() }
                }
                return copied.load(ordering: .relaxed)
              }
            }
            for try await copied in group { #expect(copied == count) }
          }
        }
      }
    }

    @Test func `a cancelled read passes nothing more on`() async throws {
      try await withServer(count: 30 * Self.mebibyte) { server in
        try await withSource(server, .test) { source, description in
          for isWhole in [false, true] {
            let passed = Atomic<Int>(0)
            let task = Task {
              let receive: @Sendable (Bytes) -> Void = { bytes in
                // The body is ahead by many of these.
                guard passed.wrappingAdd(bytes.count, ordering: .relaxed).newValue >= Self.mebibyte else { return }
                withUnsafeCurrentTask { $0?.cancel() }
              }
              if isWhole {
                _ = try await source.readAll(receive)
              } else {
                // Not all, which would be a request of its own.
                try await source.read(0..<29 * Self.mebibyte, of: description, receive: receive)
              }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(passed.load(ordering: .relaxed) < 2 * Self.mebibyte)
          }
        }
      }
    }

    @Test func `a read of what is at hand lets its actor do other things`() async throws {
      try await withServer(count: 30 * Self.mebibyte) { server in
        let source = HTTPSource(server.url(objectPath), configuration: .test)
        let turns = await Turns().count(while: source)
        #expect(turns > 20)
        await source.close()
      }
    }

    /// An actor that reads, and something else on it that wants turns.
    private actor Turns {
      private var count = 0
      private var isOver = false

      func count(while source: HTTPSource) async -> Int {
        let other = Task { await self.turn() }
        // `try?`: that it reads right is tested elsewhere.
        _ = try? await source.readAll { _ in }
        isOver = true
        await other.value
        return count
      }

      private func turn() async {
        while !isOver {
          count += 1
          await Task.yield()
        }
      }
    }

    @Test func `an answer whose size only its end tells is read whole without looking for that`() async throws {
      try await withServer(count: 200_000) { server in
        server.script = ServerScript { context in
          guard let object = context.object else { return context.honest }
          var answer = ScriptedAnswer.onlyWhole(object)
          answer.fields["Content-Length"] = nil
          answer.framing = .chunked(100)
          return answer
        }
        let source = HTTPSource(server.url(objectPath), configuration: .test)
        let copied = Copied()
        let count = try await source.readAll { copied.add($0) }
        #expect(count == 200_000)
        #expect(Bytes(copied.bytes).areContent(0..<200_000))
        #expect(server.log.requests.count == 1)
        await source.close()
      }
    }
  }

  /// Something that has happened, which tasks and threads can wait for.
  private final class Signal: Sendable {
    private let state = Mutex<(isOver: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func fire() {
      let waiters = state.withLock { state in
        state.isOver = true
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }

    func wait() async {
      await withCheckedContinuation { waiter in
        let isOver = state.withLock { state in
          if !state.isOver { state.waiters.append(waiter) }
          return state.isOver
        }
        if isOver { waiter.resume() }
      }
    }

    /// Where a function without `async` has to wait: for what another thread does.
    func waitOnThisThread() { while !state.withLock({ $0.isOver }) { sched_yield() } }
  }
#endif
