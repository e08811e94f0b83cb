import Testing

@testable import RangeIO

@Suite struct TraceBufferTests {
  private let source = SourceDescription(id: "a", validator: nil, byteCount: 1000)
  private let start = ReadClock.Instant(nanoseconds: 5)

  private func buffer() -> TraceBuffer {
    var buffer = TraceBuffer()
    #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .findPlace)
    #expect(buffer.append(OneOrMore(0..<1), of: source, at: 1 << 40, now: start) == .nothing)
    return buffer
  }

  @Test func `reads stand at the place of their source, and empty ones are left out`() {
    var buffer = buffer()
    #expect(buffer.append(OneOrMore(5..<9, more: [7..<7, 1..<2]), of: source, now: start) == .nothing)
    let place = 1 << 40
    #expect(buffer.reads == [place..<place + 1, place + 5..<place + 9, place + 1..<place + 2])
    #expect(buffer.recorded == 3 && buffer.dropped == 0)
  }

  @Test func `writing starts once when half of it is full, and again after that`() {
    var buffer = buffer()
    let half = TraceBuffer.capacity / 2
    for _ in 1..<half - 1 { #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .nothing) }
    #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .write)
    #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .nothing)
    var taken: [ByteRange] = []
    buffer.take(&taken)
    #expect(taken.count == half + 1 && buffer.reads.isEmpty)
    for _ in 1..<half { #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .nothing) }
    #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .write)
  }

  @Test func `a full buffer drops and counts, and goes on when there is room`() {
    var buffer = buffer()
    for _ in 0..<TraceBuffer.capacity + 9 { _ = buffer.append(OneOrMore(0..<1), of: source, now: start) }
    #expect(buffer.reads.count == TraceBuffer.capacity)
    #expect(buffer.recorded == TraceBuffer.capacity && buffer.dropped == 10)
    var taken: [ByteRange] = []
    buffer.take(&taken)
    _ = buffer.append(OneOrMore(0..<1), of: source, now: start)
    #expect(buffer.recorded == TraceBuffer.capacity + 1 && buffer.dropped == 10)
  }

  @Test func `reads do not wait for long, by any clock`() {
    for other in [TraceBuffer.maxWait, .zero - TraceBuffer.maxWait] {
      var buffer = buffer()
      #expect(buffer.append(OneOrMore(0..<1), of: source, now: start.advanced(by: other / 2)) == .nothing)
      let late = start.advanced(by: other)
      #expect(buffer.append(OneOrMore(0..<1), of: source, now: late) == .write)
      var taken: [ByteRange] = []
      buffer.take(&taken)
      #expect(buffer.append(OneOrMore(0..<1), of: source, now: late) == .nothing)
    }
  }

  @Test func `after a failure all reads count as dropped, after the end none count`() {
    var failed = buffer()
    var taken: [ByteRange] = []
    failed.take(&taken)
    _ = failed.append(OneOrMore(0..<1), of: source, now: start)
    failed.fail(lost: taken.count)
    #expect(failed.append(OneOrMore(0..<1, more: [0..<0, 0..<2]), of: source, now: start) == .nothing)
    #expect(failed.recorded == 0 && failed.dropped == 4 && failed.reads.isEmpty)
    var closed = buffer()
    closed.close()
    #expect(closed.append(OneOrMore(0..<1), of: source, now: start) == .nothing)
    #expect(closed.recorded == 1 && closed.dropped == 0)
    // The last write has failed.
    taken = []
    closed.take(&taken)
    closed.fail(lost: 1)
    #expect(closed.append(OneOrMore(0..<1), of: source, now: start) == .nothing)
    #expect(closed.recorded == 0 && closed.dropped == 1)
  }

  @Test func `many sources in turn are all recorded, the last few without a search`() {
    var buffer = buffer()
    let sources = (0..<20).map { SourceDescription(id: "\($0)", validator: nil, byteCount: 9) }
    for (number, source) in sources.enumerated() {
      #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .findPlace)
      _ = buffer.append(OneOrMore(0..<1), of: source, at: number, now: start)
      #expect(buffer.append(OneOrMore(0..<1), of: source, now: start) == .nothing)
    }
    #expect(buffer.append(OneOrMore(0..<1), of: sources[19], now: start) == .nothing)
    #expect(buffer.append(OneOrMore(0..<1), of: sources[0], now: start) == .findPlace)
  }

  @Test func `a source without a place is dropped`() {
    var buffer = buffer()
    #expect(buffer.append(OneOrMore(0..<1), of: source, at: nil, now: start) == .nothing)
    #expect(buffer.dropped == 1)
  }
}
