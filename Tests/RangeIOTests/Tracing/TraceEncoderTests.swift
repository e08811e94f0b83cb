import RangeIOTraces
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct TraceEncoderTests {
  private func encoded(_ reads: [ByteRange]) -> (encoder: TraceEncoder, body: [UInt8]) {
    var (encoder, body) = (TraceEncoder(), [] as [UInt8])
    for read in reads { encoder.encode(read, into: &body) }
    return (encoder, body)
  }

  @Test func `the bytes are those of the format's page`() {
    let (encoder, body) = encoded([1000..<1300, 1300..<1400, 0..<10])
    // Distances 1000, 0 and −1400, as 2000, 0 and 2799; lengths 300, 100 and 10.
    #expect(body == [0xD0, 0x0F, 0xAC, 0x02, 0x00, 0x64, 0xEF, 0x15, 0x0A])
    #expect(TraceEncoder.openHeader == Array("RRT1".utf8) + Array(repeating: 0, count: 20))
    #expect(encoder.totals == [3] + Array(repeating: 0, count: 7) + [0x78, 0x05] + Array(repeating: 0, count: 6))
    #expect(TraceEncoder.openHeader.count == TraceEncoder.headerSize)
  }

  @Test(arguments: testSeeds)
  func `each beginning of what is written is read as the reads that are whole in it`(seed: UInt64) throws {
    var random = TestRandom(seed)
    let reads = (0..<60).map { _ in random.range(within: 1 << random.below(63)) }
    let (encoder, body) = encoded(reads)
    var ends = [0]
    var (again, bytes) = (TraceEncoder(), [] as [UInt8])
    for read in reads {
      again.encode(read, into: &bytes)
      ends.append(bytes.count)
    }
    for cut in 0...body.count {
      let trace = try RangeTrace(Bytes(TraceEncoder.openHeader + body[..<cut]))
      let whole = ends.lastIndex { $0 <= cut } ?? 0
      try #require(trace.requests == Array(reads.prefix(whole)), "seed \(seed), \(cut) bytes")
      #expect(trace.byteCount == trace.requests.map(\.upperBound).max() ?? 0)
    }
    let closed = TraceEncoder.openHeader.prefix(TraceEncoder.totalsOffset) + encoder.totals + body
    #expect(try RangeTrace(Bytes(Array(closed))) == RangeTrace(requests: reads, byteCount: encoder.byteCount))
    // With its totals, a trace must be whole.
    #expect(throws: TraceError.self) { try RangeTrace(Bytes(Array(closed.dropLast()))) }
  }
}
