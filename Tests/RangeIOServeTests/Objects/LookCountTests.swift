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
  }
#endif
