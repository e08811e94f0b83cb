#if Serve
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOServe

  /// A server that has as many files open as it may.
  @Suite(.timeLimit(.minutes(2))) struct ReaderPlacesTests {
    private func pool(maxReaders: Int, kept: Int) throws -> ObjectPool {
      let upstream = ObjectUpstream(freshness: .seconds(3600)) { path in
        try await RangeReader(SyntheticSource(byteCount: 1000), onChange: .refresh)
      }
      let mounts = Mounts([("objects", upstream)], maxOpenObjects: kept, maxReaders: maxReaders, time: .continuous)
      guard case .below(let pool, _) = try mounts.place(of: ["objects"]) else { throw ReadError.nothingServed }
      return pool
    }

    private func object(_ name: ServedName, _ pool: ObjectPool) async throws -> OpenObject? {
      if case .object(let object) = try await pool.find([name]) { object } else { nil }
    }

    @Test func `a place is free again when its holder is gone`() {
      let places = ReaderPlaces(2)
      var (one, other) = (places.take(), places.take())
      #expect(one != nil && other != nil && places.take() == nil && places.take() == nil)
      one = nil
      #expect(one == nil && other != nil)
      one = places.take()
      #expect(one != nil && places.take() == nil)
      (one, other) = (nil, nil)
      #expect(places.take() != nil)
    }

    @Test func `files that rest make room for those that are read`() async throws {
      let pool = try pool(maxReaders: 3, kept: 3)
      for name: ServedName in ["a", "b", "c", "d", "e"] { #expect(try await object(name, pool) != nil) }
      #expect(pool.count == 2)
      await pool.close()
    }

    @Test func `where all are being read a request is told to try again, until one has ended`() async throws {
      let pool = try pool(maxReaders: 2, kept: 8)
      let first = try await object("a", pool)
      do {
        let second = try await object("b", pool)
        for _ in 0..<3 {
          let error = await #expect(throws: ReadError.self) { _ = try await object("c", pool) }
          #expect(error?.code == .resourcesExhausted && error?.isTransient == true)
        }
        #expect(second?.version.size == 1000)
      }
      // The look that found it may hold it for a moment. `try?`: the error was looked at above.
      var third: OpenObject?
      while third == nil { third = try? await object("c", pool) }
      #expect(first != nil)
      await pool.close()
    }
  }
#endif
