#if Serve && HTTP
  import RangeIO
  import RangeIOServe
  import Testing

  /// Objects as long as numbers go, and what a server logs.
  struct LongObjectTests {
    /// Has as many bytes as a source can have.
    private struct Endless: RangeSource {
      func describe() async throws -> SourceDescription {
        var traits = SourceDescription.Traits()
        traits.cost = SourceDescription.Cost(latency: .milliseconds(50))
        return SourceDescription(id: "endless", validator: nil, byteCount: .max, traits: traits)
      }

      func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
        Bytes(range.map { UInt8(truncatingIfNeeded: $0) })
      }
    }

    @Test func `the last bytes of the longest object are served`() async throws {
      let upstream = ObjectUpstream { try await RangeReader(Endless(), [], onChange: .refresh) }
      try await withServer([("a.bin", upstream)]) { port, _ in
        func get(_ range: String) async throws -> ReceivedAnswer {
          try await ask("/a.bin", port: port, ["Range: bytes=\(range)"])
        }
        let last = try await get("9223372036854775797-")
        #expect(last.status == 206 && last.body == (0..<10).map { 245 + $0 })
        #expect(last.fields["content-range"] == "bytes 9223372036854775797-9223372036854775806/9223372036854775807")
        let parts = try await get("0-1,-2")
        #expect(parts.status == 206 && parts.fields["content-length"] == "\(parts.body.count)")
        let head = try await ask("/a.bin", port: port, method: "HEAD")
        #expect(head.fields["content-length"] == "9223372036854775807")
      }
    }
  }
#endif
