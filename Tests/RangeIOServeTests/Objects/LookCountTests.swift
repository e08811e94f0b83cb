#if Serve && HTTP
  import RangeIO
  import RangeIOServe
  import RangeIOTesting
  import Testing

  /// How often the server asks a source which version it is.
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
          id: "counted", name: "counted", validator: nil, byteCount: 1000, preferredBlockSize: 65_536, traits: traits)
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

    @Test
    func `an object that is asked for all the time is looked at ahead, and no request waits for that`() async throws {
      let (looks, clock) = (Counter(), ManualClock())
      let base = CountedSource(looks: looks, latency: .milliseconds(20))
      let gate = GatedSource(base)
      gate.gateDescribe(true)
      gate.open()
      let upstream = ObjectUpstream(freshness: .seconds(1)) {
        try await RangeReader(GatedLooks(base: base, gate: gate, clock: clock), onChange: .refresh)
      }
      try await withServer([("", upstream)]) {
        $0.time = TimeSource(clock)
      } _: { port, _ in
        func askOnce() async throws {
          #expect(try await ask("/", port: port, ["Range: bytes=100-109"]).body == Array(100..<110))
        }
        // The next look is due in the last quarter of a second.
        try await askOnce()
        clock.advance(by: .milliseconds(720))
        try await askOnce()
        #expect(looks.count == 1)

        clock.advance(by: .milliseconds(15))
        gate.shut()
        // The look hangs at the gate from the first of these on.
        for _ in 0..<3 { try await askOnce() }
        await gate.arrivals(2)
        #expect(looks.count == 1)

        // The first look is too old by now, so that this request waits for the one that has begun.
        clock.advance(by: .milliseconds(260))
        async let late: Void = askOnce()
        gate.open()
        try await late
        #expect(looks.count == 2)
      }
    }

    @Test
    func `an origin that does not say which version it is keeps requests waiting once, and not long`() async throws {
      let (looks, clock) = (Counter(), ManualClock())
      let base = CountedSource(looks: looks, latency: .milliseconds(20))
      let gate = GatedSource(base)
      gate.gateDescribe(true)
      gate.open()
      let upstream = ObjectUpstream(freshness: .seconds(2)) {
        try await RangeReader(GatedLooks(base: base, gate: gate, clock: clock), onChange: .refresh)
      }
      try await withServer([("", upstream)]) {
        $0.time = TimeSource(clock)
      } _: { port, _ in
        func askOnce() async throws {
          #expect(try await ask("/", port: port, ["Range: bytes=100-109"]).body == Array(100..<110))
        }
        try await askOnce()
        clock.advance(by: .seconds(3))
        gate.shut()
        async let first: Void = askOnce()
        await clock.untilSleepers(1)
        clock.advance(by: .seconds(2))
        try await first
        // The version that is known holds as if it were new.
        for _ in 0..<3 { try await askOnce() }
        #expect(looks.count == 1)

        gate.open()
        clock.advance(by: .seconds(3))
        try await askOnce()
        #expect(looks.count >= 2)
      }
    }
  }
#endif
