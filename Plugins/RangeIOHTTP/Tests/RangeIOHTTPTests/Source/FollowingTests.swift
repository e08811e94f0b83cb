#if HTTP
  import RangeIO
  import RangeIOHTTP
  import RangeIOHTTPTestServer
  import RangeIORemote
  import Synchronization
  import Testing

  /// Objects that grow, over HTTP.
  @Suite(.timeLimit(.minutes(20))) struct FollowingTests {
    /// An append blob: each append makes another tag and another date.
    private func put(_ count: Int, on server: LyingServer, number: Int, recording: Int = 1) {
      let object = ServedObject(
        ServedObject.content(0..<count, version: recording), tag: .strong("t\(number)"),
        lastModified: 1_700_000_000 + number)
      server.objects.put(object, at: objectPath)
    }

    private func follow(
      _ server: LyingServer, _ store: any ChunkStore = MemoryStore(limit: .mebibytes(8)),
      opening: RemoteOpening = .beginning
    ) async throws -> RangeReader {
      var configuration = RemoteConfiguration.test
      configuration.opening = opening
      return try await RangeReader(
        contentsOf: server.url(objectPath), configuration: configuration, cache: store,
        onChange: .follow.polling(every: .milliseconds(5)))
    }

    @Test func `a stream gets every byte once, waits, and is cancelled at once`() async throws {
      try await withServer { server in
        put(10_000, on: server, number: 1)
        let reader = try await follow(server)
        let (pieces, continuation) = AsyncStream.makeStream(of: Int.self)
        let stream = Task {
          var sum = 0
          for try await piece in reader.stream(following: 0...) {
            guard piece == content(sum..<sum + piece.count) else { throw ReadError(.invalidResponse, "wrong bytes") }
            sum += piece.count
            continuation.yield(sum)
          }
        }
        var sums = pieces.makeAsyncIterator()
        var size = 10_000
        for number in 2..<12 {
          while await sums.next() != size {}
          size += [1, 500, 3000, 100_000, 2_500_000][number % 5]
          put(size, on: server, number: number)
        }
        while await sums.next() != size {}
        // It waits.
        await server.log.arrivals.reaches(server.log.arrivals.now + 2)
        stream.cancel()
        await #expect(throws: CancellationError.self) { try await stream.value }
        await reader.close()
      }
    }

    @Test func `what is cached stays while the object grows`() async throws {
      try await withServer { server in
        put(300_000, on: server, number: 1)
        let store = MemoryStore(limit: .mebibytes(8))
        let reader = try await follow(server, store, opening: .head)
        #expect(try await reader.read(0..<300_000) == content(0..<300_000))
        put(310_000, on: server, number: 2)
        while reader.byteCount < 310_000 { await server.log.arrivals.reaches(server.log.arrivals.now + 1) }
        #expect(try await reader.read(0..<300_000, caching: .onlyIfCached) == content(0..<300_000))
        let before = server.log.requests.count
        #expect(try await reader.read(290_000..<310_000) == content(290_000..<310_000))
        // All but looks, which begin before the end: what is new of the last block, at most once.
        let reads = server.log.requests.dropFirst(before).compactMap { $0.range?.resolved(in: 310_000) }
          .filter { $0.count != 4096 }
        #expect(reads.count <= 1, "\(reads)")
        #expect(reads.allSatisfy { $0.lowerBound >= 262_144 }, "\(reads)")
        await reader.close()
      }
    }

    @Test func `what is appended comes with the look that finds it`() async throws {
      try await withServer { server in
        put(100_000, on: server, number: 1)
        let reader = try await follow(server)
        var size = 100_000
        var before = 0
        for try await piece in reader.stream(following: 99_000...) {
          size = max(size, 99_000 + piece.count)
          #expect(piece == content(piece.count == 1000 ? 99_000..<100_000 : size - 700..<size))
          if before == 0 { before = server.log.requestCount }
          if size == 100_000 + 5 * 700 { break }
          size += 700
          put(size, on: server, number: size)
        }
        let others = server.log.requests.dropFirst(before).compactMap { $0.range?.resolved(in: 1 << 20)?.lowerBound }
          .filter { ($0 + 4096 - 100_000) % 700 != 0 }
        #expect(others.isEmpty, "\(others)")
        await reader.close()
      }
    }

    @Test(arguments: [(300_000, 2), (400_000, 2), (200_000, 1)])
    func `an object of the same size, a longer one and a shorter one are told`(size: Int, recording: Int) async throws {
      try await withServer { server in
        put(300_000, on: server, number: 1)
        let reader = try await follow(server)
        put(size, on: server, number: 2, recording: recording)
        let error = try await readError {
          for try await piece in reader.stream(following: 100_000...) {
            #expect(piece.count <= 200_000)
          }
        }
        #expect(error.code == .sourceChanged)
        await reader.close()
        // Another recording.
        let other = try await follow(server)
        #expect(try await other.read(0..<size) == content(0..<size, version: recording))
        await other.close()
      }
    }

    @Test func `a read while the object grows costs one look, and is of no other object`() async throws {
      try await withServer { server in
        put(300_000, on: server, number: 1)
        var configuration = RemoteConfiguration.reading
        configuration.isAppendOnly = true
        try await withSource(server, configuration) { source, description in
          put(310_000, on: server, number: 2)
          let before = server.log.requestCount
          try await expectContent(1000..<2000, of: source, description)
          #expect(server.log.requestCount - before == 2)
          // That version is known by now.
          try await expectContent(3000..<4000, of: source, description)
          #expect(server.log.requestCount - before == 3)
          put(320_000, on: server, number: 3, recording: 2)
          let error = try await readError { _ = try await source.read(5000..<6000, of: description) }
          #expect(error.code == .sourceChanged)
          let received = Mutex(0)
          let other = try await readError {
            try await source.read(0..<100_000, of: description) { piece in received.withLock { $0 += piece.count } }
          }
          #expect(other.code == .sourceChanged)
          #expect(received.withLock { $0 } == 0)
        }
      }
    }

    @Test(arguments: [300_000, 310_000], [0, 3, 100])
    func `a look at a server that is behind says nothing of what another one has answered`(size: Int, looks: Int)
      async throws
    {
      try await withServer { server in
        put(300_000, on: server, number: 1)
        let old = try #require(server.objects[objectPath])
        var configuration = RemoteConfiguration.reading
        configuration.isAppendOnly = true
        try await withSource(server, configuration) { source, description in
          // As many looks find the old object; reads find the one that has taken its place.
          put(size, on: server, number: 2, recording: 2)
          server.script = ServerScript { context in
            let isRead = context.request.range?.resolved(in: size)?.count == 1000
            guard !isRead, context.memory.count("look") < looks else { return context.honest }
            return .honest(context.request, old, date: context.date)
          }
          let error = try await readError { _ = try await source.read(1000..<2000, of: description) }
          #expect(error.code == .sourceChanged || looks == 100 && error.isTransient, "\(error)")
        }
      }
    }

    @Test func `the time of a read is that of its looks too`() async throws {
      try await withServer { server in
        put(300_000, on: server, number: 1)
        var configuration = RemoteConfiguration.reading
        configuration.isAppendOnly = true
        configuration.readTimeout = .seconds(5)
        try await withSource(server, configuration) { source, description in
          put(310_000, on: server, number: 2)
          // A look never gets as far as to the end that is known.
          server.script = ServerScript { context in
            guard context.request.range?.resolved(in: 310_000)?.count != 1000 else { return context.honest }
            return context.honest.dripping(1, every: 50)
          }
          let before = server.log.requestCount
          let error = try await readError { _ = try await source.read(1000..<2000, of: description) }
          #expect(error.code == .timedOut, "\(error)")
          // The read and its look.
          #expect(server.log.requestCount - before == 2)
        }
      }
    }

    @Test func `an empty object grows, and one without tag and date`() async throws {
      try await withServer { server in
        func put(_ count: Int) {
          server.objects.put(
            ServedObject(ServedObject.content(0..<count), tag: .none, lastModified: nil), at: objectPath)
        }
        put(0)
        let reader = try await follow(server)
        #expect(reader.byteCount == 0)
        var sum = 0
        put(5000)
        for try await piece in reader.stream(following: 0...) {
          #expect(piece == content(sum..<sum + piece.count))
          sum += piece.count
          if sum == 5000 { put(2_000_000) }
          if sum == 2_000_000 { break }
        }
        await reader.close()
      }
    }

    @Test func `a source that was not made for it is refused`() async throws {
      try await withServer { server in
        let error = try await readError {
          _ = try await RangeReader(HTTPSource(server.url(objectPath), configuration: .test), [], onChange: .follow)
        }
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains("isAppendOnly"))
      }
    }
  }
#endif
