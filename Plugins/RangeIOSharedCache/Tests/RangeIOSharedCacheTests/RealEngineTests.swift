#if SharedCache
  import Foundation
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOSharedCache

  @Suite(.timeLimit(.minutes(5))) struct RealEngineTests {
    private static let kinds = EngineProcess.Kind.allCases.filter(\.isInstalled)

    private func key(_ number: UInt64) -> SharedBlockKey {
      var numbers = SeededNumbers(number)
      return SharedBlockKey(digest: numbers.bytes(32))
    }

    private func value(_ answer: SharedBlockAnswer) -> Bytes? {
      if case .value(let value) = answer { value } else { nil }
    }

    private func isLeased(_ answer: SharedBlockAnswer) -> Bool { if case .leased = answer { true } else { false } }
    private func isAwaited(_ answer: SharedBlockAnswer) -> Bool { if case .awaited = answer { true } else { false } }
    private func isMissing(_ answer: SharedBlockAnswer) -> Bool { if case .missing = answer { true } else { false } }

    private let patient = Duration.seconds(60)

    @Test(arguments: kinds) func `values come back, and the first who misses one has its lease`(
      _ kind: EngineProcess.Kind
    )
      async throws
    {
      let engine = try await EngineProcess.start(kind)
      let store = try engine.store()
      var numbers = SeededNumbers(7)
      let values = [1, 2, 1000, 65_536, 1_000_000].map { Bytes(numbers.bytes($0)) }
      let keys = values.indices.map { key(UInt64($0)) }
      #expect(await store.get(keys, lease: nil, within: patient).allSatisfy(isMissing))
      #expect(await store.get(keys, lease: .seconds(30), within: patient).allSatisfy(isLeased))
      #expect(await store.get(keys, lease: .seconds(30), within: patient).allSatisfy(isAwaited))
      #expect(
        await store.set(zip(keys, values).map { (key: $0, value: $1) }, lifetime: .seconds(100)) == values.count)
      #expect(await store.get(keys, lease: .seconds(30), within: patient).map(value) == values)
      let counts = try #require(store.statistics().first)
      #expect(counts["hits"] == values.count && counts["stored"] == values.count && counts["late"] == 0)
      await store.close()
      #expect(await store.get(keys, lease: nil, within: patient).allSatisfy(isMissing))
      try engine.end()
    }

    @Test(arguments: kinds) func `a value that is too large for the engine is not stored, and the rest is`(
      _ kind: EngineProcess.Kind
    ) async throws {
      guard kind == .memcached else { return }
      let engine = try await EngineProcess.start(kind)
      let store = try engine.store { $0.valueLimit = .mebibytes(4) }
      let all = [1000, 2_000_000, 500].enumerated().map {
        (key: key(UInt64($0.offset)), value: Bytes([UInt8](repeating: 1, count: $0.element)))
      }
      #expect(await store.set(all, lifetime: .seconds(100)) == 2)
      #expect(
        await store.get(all.map(\.key), lease: nil, within: patient).map { value($0)?.count } == [1000, nil, 500])
      await store.close()
      try engine.end()
    }

    @Test(arguments: kinds) func `a node that was killed is a miss at once, and is found again when it is back`(
      _ kind: EngineProcess.Kind
    ) async throws {
      var engine = try await EngineProcess.start(kind)
      let store = try engine.store()
      let one = (key: key(1), value: Bytes([1, 2, 3]))
      #expect(await store.set([one], lifetime: .seconds(100)) == 1)
      try engine.end()
      for _ in 0..<100 { #expect(isMissing(await store.get([one.key], lease: .seconds(1), within: patient)[0])) }
      engine = try await engine.restarted()
      // It is looked for in its own time, up to some seconds.
      while await store.set([one], lifetime: .seconds(100)) == 0 { await Task.yield() }
      #expect(value(await store.get([one.key], lease: nil, within: patient)[0]) == one.value)
      await store.close()
      try engine.end()
    }

    @Test(arguments: kinds) func `a node that is stopped costs a few short waits, and is used again when it goes on`(
      _ kind: EngineProcess.Kind
    ) async throws {
      let engine = try await EngineProcess.start(kind)
      let store = try engine.store()
      let one = (key: key(1), value: Bytes([1, 2, 3]))
      #expect(await store.set([one], lifetime: .seconds(100)) == 1)
      // Until it answers in time: a busy machine may be late.
      while value(await store.get([one.key], lease: nil, within: patient)[0]) == nil { await Task.yield() }
      try await engine.stop()
      for _ in 0..<1000 { #expect(isMissing(await store.get([one.key], lease: nil, within: .milliseconds(2))[0])) }
      // Most were not even sent.
      #expect(try #require(store.statistics().first?["not asked"]) > 500)
      try engine.send(SIGCONT)
      while value(await store.get([one.key], lease: nil, within: patient)[0]) != one.value { await Task.yield() }
      await store.close()
      try engine.end()
    }

    /// The nodes of a client that cannot be used, and why.
    private func faults(of store: SharedCacheNodes) async -> [String] {
      let faults = await store.faults(within: patient)
      await store.close()
      return faults.map(\.reason)
    }

    @Test(arguments: kinds) func `nodes that cannot be used are told, with the reason`(
      _ kind: EngineProcess.Kind
    ) async throws {
      var engine = try await EngineProcess.start(kind, password: "secret")
      for (password, isRight) in [("secret", true), ("wrong", false)] {
        let store = try engine.store {
          $0.user = kind == .memcached ? "user" : ""
          $0.password = password
        }
        let faults = await faults(of: store)
        #expect(faults.isEmpty == isRight && !faults.contains("it does not answer"), "\(faults)")
      }
      try engine.end()
      let closed = try SharedCacheNodes(.memcached, [.host("127.0.0.1", port: 1)])
      #expect(await faults(of: closed) == ["it refuses connections: is it running, and is the port right?"])
      let nowhere = try SharedCacheNodes(.redis, [.socket("/none/at/all")])
      #expect(await faults(of: nowhere) == ["there is no such socket"])
      // Another engine than expected.
      engine = try await EngineProcess.start(kind)
      let other = try SharedCacheNodes(kind == .memcached ? .redis : .memcached, [engine.node])
      #expect(await faults(of: other).count == 1)
      try engine.end()
    }

    @Test(arguments: kinds) func `a password is asked for`(_ kind: EngineProcess.Kind) async throws {
      let engine = try await EngineProcess.start(kind, password: "secret")
      let one = (key: key(1), value: Bytes([1, 2, 3]))
      for (password, isRight) in [("secret", true), ("wrong", false)] {
        let store = try engine.store {
          $0.user = kind == .memcached ? "user" : ""
          $0.password = password
        }
        #expect(await store.set([one], lifetime: .seconds(100)) == (isRight ? 1 : 0))
        #expect((value(await store.get([one.key], lease: nil, within: patient)[0]) != nil) == isRight)
        await store.close()
      }
      try engine.end()
    }

    @Test(arguments: kinds) func `a node that wants a password and gets none says so, and is left alone`(
      _ kind: EngineProcess.Kind
    ) async throws {
      let engine = try await EngineProcess.start(kind, password: "secret")
      let told = await faults(of: try engine.store())
      #expect(told.count == 1 && told[0].hasPrefix("it wants a password: set 'password'"), "\(told)")
      let store = try engine.store()
      // Long enough for several questions whether it is back. It answers them, and is not.
      let end = ContinuousClock.now + .milliseconds(700)
      while ContinuousClock.now < end {
        #expect(isMissing(await store.get([key(1)], lease: nil, within: patient)[0]))
        await Task.yield()
      }
      let counts = try #require(store.statistics().first)
      #expect(counts["outages"] == 1 && counts["refused"].map { $0 <= 3 } == true, "\(counts)")
      await store.close()
      try engine.end()
    }

    @Test func `a port that cannot be is refused`() {
      for port in [-1, 0, 65_536] {
        let error = #expect(throws: ReadError.self) {
          try SharedCacheNodes(.memcached, [.host("127.0.0.1", port: port)])
        }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("1 to 65535") == true)
      }
    }

    @Test(arguments: kinds) func `readers over one engine read the source once, whatever is put under their keys`(
      _ kind: EngineProcess.Kind
    ) async throws {
      let engine = try await EngineProcess.start(kind)
      let store = try engine.store()
      let source = ReplacedObject(byteCount: 1_000_000, latency: .milliseconds(20), time: .continuous)
      var configuration = SharedCacheConfiguration()
      // Longer than a busy machine takes.
      configuration.lookUpTimeout = .seconds(10)
      let settings = configuration
      func reader() async throws -> RangeReader {
        try await RangeReader(
          source,
          [
            .caching(MemoryStore(limit: .mebibytes(4))), .sharedCaching(store, configuration: settings),
            .merging(),
          ])
      }
      let first = try await reader()
      #expect(try await first.read(0..<1_000_000) == ReplacedObject.bytes(0..<1_000_000, version: 1))
      await first.close()
      let reads = source.reads.count
      let second = try await reader()
      #expect(try await second.read(0..<1_000_000) == ReplacedObject.bytes(0..<1_000_000, version: 1))
      await second.close()
      #expect(source.reads.count == reads, "\(source.reads) \(store.statistics())")

      let family = try #require(BlockFamily(try await source.describe(), blockSize: 4096))
      var numbers = SeededNumbers(3)
      var foreign: [(key: SharedBlockKey, value: Bytes)] = []
      for block in 0..<240 {
        var bytes = Array(value(await store.get([family.key(block)], lease: nil, within: patient)[0]) ?? Bytes())
        switch block % 4 {
        case 0: bytes[numbers.below(bytes.count)] ^= 1 << numbers.below(8)
        case 1: bytes.removeLast(1 + numbers.below(bytes.count - 1))
        case 2: bytes = numbers.bytes(5000)
        default:
          bytes = Array(try BlockFrame(keys: nil).value(of: Bytes(numbers.bytes(4096)), block: block + 1, in: family))
        }
        foreign.append((family.key(block), Bytes(bytes)))
      }
      #expect(await store.set(foreign, lifetime: .seconds(100)) == 240)
      let third = try await reader()
      #expect(try await third.read(0..<1_000_000) == ReplacedObject.bytes(0..<1_000_000, version: 1))
      await third.close()
      await store.close()
      try engine.end()
    }
  }
#endif
