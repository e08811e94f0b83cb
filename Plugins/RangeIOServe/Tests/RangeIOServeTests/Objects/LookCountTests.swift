#if Serve && HTTP
  import RangeIO
  import RangeIOServe
  import RangeIOTesting
  import Testing

  /// The number of times that the server asks a source which version it is.
  struct LookCountTests {
    /// A source that counts how often it is asked.
    private struct CountedSource: RangeSource {
      let looks: Counter
      let latency: Duration

      func describe() async throws -> SourceDescription {
        looks.add()
        var traits = SourceDescription.Traits()
        traits.cost.latency = latency
        return SourceDescription(
          id: "counted", name: "counted", validator: nil, byteCount: 1000, preferredBlockSize: .kibibytes(64),
          traits: traits)
      }

      func read(_ range: Range<Int>, of source: SourceDescription) async throws -> Bytes {
        Bytes(range.map { UInt8(truncatingIfNeeded: $0) })
      }
    }

    /// The reader that the server has opened.
    private final class OpenedReader: Sendable {
      private let held = Locked<RangeReader?>(nil)
      var reader: RangeReader? { held.withLock { $0 } }
      func hold(_ reader: RangeReader) { held.withLock { $0 = reader } }
    }

    @Test(arguments: [Duration.microseconds(10), .milliseconds(20)])
    func `a request asks once when the last answer has become old, and nothing asks between requests`(
      latency: Duration
    ) async throws {
      let (looks, opened) = (Counter(), OpenedReader())
      // Each request finds that the last look is too old.
      let upstream = ObjectUpstream(freshness: .zero) {
        let reader = try await RangeReader(CountedSource(looks: looks, latency: latency), onChange: .refresh)
        opened.hold(reader)
        return reader
      }
      try await withServer([("", upstream)]) { port, _ in
        for count in 1...5 {
          let answer = try await ask("/", port: port, ["Range: bytes=100-109"])
          #expect(answer.body == Array(100..<110))
          #expect(looks.count == count)
        }
        #expect(opened.reader?.isWatching == false)
      }
    }

    @Test func `a name that leads to nothing is not asked for again while a look holds`() async throws {
      let (looks, clock) = (Counter(), ManualClock())
      let isThere = Locked(false)
      let upstream = ObjectUpstream(freshness: .seconds(1)) { path in
        looks.add()
        guard isThere.withLock({ $0 }) || path.last?.description == "other" else {
          throw ReadError(.notFound, "there is no such object")
        }
        return try await RangeReader(CountedSource(looks: Counter(), latency: .milliseconds(20)), onChange: .refresh)
      }
      try await withServer([("", upstream)]) {
        $0.time = ReadClock(clock)
      } _: { port, _ in
        for _ in 0..<20 {
          let answer = try await ask("/missing", port: port)
          #expect(answer.status == 404)
        }
        #expect(looks.count == 1)
        // Others are, and it is once the time is over.
        for (name, isLate, status) in [("other", false, 200), ("missing", false, 404), ("missing", true, 200)] {
          isThere.withLock { $0 = true }
          if isLate { clock.advance(by: .seconds(1)) }
          let answer = try await ask("/\(name)", port: port)
          #expect(answer.status == status, "\(name)")
        }
        // A path that would take up much memory is asked for each time.
        isThere.withLock { $0 = false }
        let before = looks.count
        for _ in 0..<2 {
          let answer = try await ask(String(repeating: "/a", count: 100), port: port)
          #expect(answer.status == 404)
        }
        #expect(looks.count == before + 2)
      }
    }

    /// A source that can be asked which version it is through a gate only, which takes 20 ms of a clock.
    private struct GatedLooks: RangeSource {
      let base: CountedSource
      let gate: GatedSource<CountedSource>
      let clock: ManualClock

      func describe() async throws -> SourceDescription {
        let description = try await gate.describe()
        clock.advance(by: .milliseconds(20))
        return description
      }

      func read(_ range: Range<Int>, of source: SourceDescription) async throws -> Bytes {
        try await base.read(range, of: source)
      }
    }

    /// An object that is served with a clock of its own, and how often its source was asked.
    private struct GatedObject {
      let looks = Counter()
      let clock = ManualClock()
      let gate: GatedSource<CountedSource>
      private let base: CountedSource

      init() {
        base = CountedSource(looks: looks, latency: .milliseconds(20))
        gate = GatedSource(base)
        gate.gateDescribe(true)
        gate.open()
      }

      var source: GatedLooks { GatedLooks(base: base, gate: gate, clock: clock) }

      /// Serves it. `body` gets a closure that reads some bytes and compares them.
      func serve(
        freshness: Duration, _ body: (_ askOnce: @escaping @Sendable () async throws -> Void) async throws -> Void
      ) async throws {
        let upstream = ObjectUpstream(freshness: freshness) { try await RangeReader(source, onChange: .refresh) }
        try await withServer([("", upstream)]) {
          $0.time = ReadClock(clock)
        } _: { port, _ in
          try await body {
            let answer = try await ask("/", port: port, ["Range: bytes=100-109"])
            #expect(answer.body == Array(100..<110))
          }
        }
      }
    }

    @Test
    func `an object that is asked for all the time is looked at ahead, and no request waits for that`() async throws {
      let object = GatedObject()
      try await object.serve(freshness: .seconds(1)) { askOnce in
        // The next look is due in the last quarter of a second.
        try await askOnce()
        object.clock.advance(by: .milliseconds(720))
        try await askOnce()
        #expect(object.looks.count == 1)

        object.clock.advance(by: .milliseconds(15))
        object.gate.shut()
        // The look hangs at the gate from the first of these on.
        for _ in 0..<3 { try await askOnce() }
        await object.gate.arrivals(2)
        #expect(object.looks.count == 1)

        // The first look is too old by now, so that this request waits for the one that has begun.
        object.clock.advance(by: .milliseconds(260))
        async let late: Void = askOnce()
        object.gate.open()
        try await late
        #expect(object.looks.count == 2)
      }
    }

    @Test
    func `an origin that does not say which version it is keeps requests waiting once, and not long`() async throws {
      let object = GatedObject()
      try await object.serve(freshness: .seconds(2)) { askOnce in
        try await askOnce()
        object.clock.advance(by: .seconds(3))
        object.gate.shut()
        async let first: Void = askOnce()
        await object.clock.untilSleepers(1)
        object.clock.advance(by: .seconds(2))
        try await first
        // The version that is known holds as if it were new.
        for _ in 0..<3 { try await askOnce() }
        #expect(object.looks.count == 1)

        object.gate.open()
        object.clock.advance(by: .seconds(3))
        try await askOnce()
        #expect(object.looks.count >= 2)
      }
    }

    @Test func `an object that others push out while it is looked at stays open, and comes back`() async throws {
      let (object, opened) = (GatedObject(), Counter())
      let upstream = ObjectUpstream(
        freshness: .seconds(1),
        openBelow: { path in
          opened.add()
          guard path.last?.description == "gated" else {
            return try await RangeReader(CountedSource(looks: Counter(), latency: .zero), onChange: .refresh)
          }
          return try await RangeReader(object.source, onChange: .refresh)
        })
      try await withServer([("", upstream)]) {
        $0.time = ReadClock(object.clock)
        $0.maxOpenObjects = 1
      } _: { port, _ in
        let askGated = { @Sendable in
          let answer = try await ask("/gated", port: port, ["Range: bytes=100-109"])
          #expect(answer.body == Array(100..<110))
        }
        try await askGated()
        object.clock.advance(by: .seconds(2))
        object.gate.shut()
        async let late: Void = askGated()
        await object.gate.arrivals(2)
        // There is room for one.
        #expect(try await ask("/other", port: port).status == 200)
        object.gate.open()
        try await late
        #expect(opened.count == 2)
        // It is in the pool again, and needs no look now.
        try await askGated()
        #expect(opened.count == 2 && object.looks.count == 2)
      }
    }
  }
#endif
