import Foundation
import RangeIOTraces
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct RangeTraceTests {
  // MARK: RRT1

  @Test func `a trace is read as its format says`() throws {
    // Two requests in units of 512 bytes: 1024..<2048, then back to 0..<512.
    let bytes = header(shift: 9, count: 2, byteCount: 2048) + [0x04, 0x02, 0x07, 0x01]
    let trace = try RangeTrace(Bytes(bytes))
    #expect(trace.requests == [1024..<2048, 0..<512])
    #expect(trace.byteCount == 2048)
    #expect(try RangeTrace(Bytes(bytes), format: .rrt) == trace)
  }

  @Test(arguments: testSeeds)
  func `what is written is read again`(seed: UInt64) throws {
    var random = TestRandom(seed)
    let shift = random.below(13)
    let largest = 1 << random.below(63 - shift)
    let requests = (0..<random.below(200)).map { _ in
      let range = random.range(within: largest)
      return range.lowerBound << shift..<range.upperBound << shift
    }
    let byteCount = requests.map(\.upperBound).max() ?? 0
    let trace = try RangeTrace(Bytes(encode(requests, shift: shift, byteCount: byteCount)))
    #expect(trace == RangeTrace(requests: requests, byteCount: byteCount), "seed \(seed)")
  }

  @Test func `the largest offset there is can be read`() throws {
    let requests = [Int.max - 1..<Int.max, 0..<1, 0..<Int.max]
    let trace = try RangeTrace(Bytes(encode(requests, shift: 0, byteCount: .max)))
    #expect(trace.requests == requests)
  }

  @Test(arguments: [
    ("RRT2", "does not begin with 'RRT1'"), ("", "does not begin with 'RRT1'"), ("RRT1abc", "ends within its header"),
  ])
  func `what begins otherwise is no trace`(text: String, message: String) {
    expect(Array(text.utf8), message)
  }

  @Test func `a header that makes no sense is refused`() {
    expect(header(shift: 63, count: 0, byteCount: 0), "unit of 2^63")
    expect(header(shift: 255, count: 0, byteCount: 0), "unit of 2^255")
    var reserved = header(shift: 0, count: 0, byteCount: 0)
    reserved[6] = 1
    expect(reserved, "must be zero")
    expect(header(shift: 0, count: 0, byteCount: 1 << 63), "exceeds 2^63")
  }

  @Test func `a count without its requests takes no memory and is refused`() {
    for count in [1, 1 << 40, UInt64.max] as [UInt64] {
      expect(header(shift: 0, count: count, byteCount: 9), "cut short")
    }
    let bytes = encode([5..<9, 1..<300, 0..<1], shift: 0, byteCount: 300)
    for end in 24..<bytes.count { #expect(throws: TraceError.self) { try RangeTrace(Bytes(bytes[..<end])) } }
    expect(bytes + [0], "1 bytes after its last request")
  }

  @Test func `offsets below zero, beyond the end and beyond all numbers are refused`() {
    expect(header(shift: 0, count: 1, byteCount: 9) + [0x01, 0x01], "request 0 has a negative offset")
    let second = header(shift: 0, count: 2, byteCount: 9) + [0x00, 0x04, 0x09, 0x01]
    expect(second, "request 1 has a negative offset")
    expect(header(shift: 0, count: 1, byteCount: 9) + [0x00, 0x0A], "request 0 goes beyond the address space of 9")
    let most = [UInt8](repeating: 0xFF, count: 9) + [0x01]
    expect(header(shift: 0, count: 1, byteCount: 9) + [0x00] + most, "goes beyond")
    // The distance −2^63, and 2^63 − 1 twice.
    expect(header(shift: 0, count: 1, byteCount: 9) + most + [0x01], "negative offset")
    let far: [UInt8] = [0xFE] + [UInt8](repeating: 0xFF, count: 8) + [0x01]
    let twice = header(shift: 0, count: 2, byteCount: UInt64(Int.max)) + far + [0x00] + far + [0x00]
    expect(twice, "request 1 has a negative offset")
    // In units all is well, in bytes not.
    expect(header(shift: 62, count: 1, byteCount: UInt64(Int.max)) + [0x04, 0x01], "goes beyond")
    let long = [UInt8](repeating: 0x80, count: 10) + [0x00]
    expect(header(shift: 0, count: 1, byteCount: 9) + long + [0x01], "more than 64 bits")
    expect(header(shift: 0, count: 1, byteCount: 9) + most.dropLast() + [0x02, 0x01], "more than 64 bits")
  }

  @Test(arguments: testSeeds)
  func `no damage makes reading a trace trap`(seed: UInt64) {
    var random = TestRandom(seed)
    let requests = (0..<50).map { _ in random.range(within: 1 << 40) }
    let whole = encode(requests, shift: 0, byteCount: 1 << 40)
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<1 + random.below(4) { bytes[random.below(bytes.count)] = UInt8.random(in: 0...255, using: &random) }
      let trace = try? RangeTrace(Bytes(bytes), format: .rrt)
      if let trace { #expect(trace.requests.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= trace.byteCount }) }
    }
  }

  // MARK: CSV

  @Test func `a CSV has a line for each request`() throws {
    let wanted = RangeTrace(requests: [0..<4096, 100..<100, 8192..<8193], byteCount: 8193)
    for text in [
      "offset,length\n0,4096\n100,0\n8192,1\n", "offset,length\n0,4096\n100,0\n8192,1",
      "offset,length\r\n0,4096\r\n100,0\r\n8192,1\r\n", "offset,length\n0,4096\n100,0\n8192,1\n\n",
    ] {
      #expect(try RangeTrace(Bytes(text.utf8)) == wanted)
      #expect(try RangeTrace(Bytes(text.utf8), format: .csv) == wanted)
    }
    #expect(try RangeTrace(Bytes("offset,length".utf8)).requests.isEmpty)
    let largest = try RangeTrace(Bytes("offset,length\n0,\(Int.max)\n".utf8))
    #expect(largest.requests == [0..<Int.max])
  }

  @Test(arguments: [
    ("", "line 1: the header 'offset,length' is missing"), ("0,1\n", "line 1: the header"),
    ("offset,length,\n", "line 1: the header"), ("offset,length\n1,2\n5\n", "line 3: write 'offset,length'"),
    ("offset,length\n\n1,2\n", "line 2: write 'offset,length'"),
    ("offset,length\n-1,2\n", "line 2: the offset is negative"),
    ("offset,length\n1,-2\n", "line 2: the length is negative"),
    ("offset,length\n1,2,3\n", "line 2: the length is not a number"),
    ("offset,length\n1, 2\n", "line 2: the length is not a number"),
    ("offset,length\n1,4K\n", "line 2: the length is not a number"),
    ("offset,length\n,2\n", "line 2: the offset is missing"), ("offset,length\n1,\n", "line 2: the length is missing"),
    ("offset,length\n9223372036854775808,0\n", "line 2: the offset exceeds"),
    ("offset,length\n99999999999999999999,0\n", "line 2: the offset exceeds"),
    ("offset,length\n9223372036854775807,1\n", "line 2: offset and length together exceed"),
  ])
  func `a line that is no request is named`(text: String, message: String) {
    let error = #expect(throws: TraceError.self) { try RangeTrace(Bytes(text.utf8), format: .csv) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func `without a format the first bytes decide`() {
    for text in ["", "hello", "RRT", "length,offset\n"] {
      let error = #expect(throws: TraceError.self) { try RangeTrace(Bytes(text.utf8)) }
      #expect(error?.message.contains("neither") == true)
    }
  }

  @Test func `a trace of our own, and published ones that are here, are read to the byte`() throws {
    for folder in [TraceFiles.own, TraceFiles.published].compactMap({ $0 }) {
      for row in try folder.table("manifest.csv") {
        let name = try #require(row["name"])
        let trace = try folder.trace(name)
        #expect(trace.requests.count == Int(row["requests"] ?? ""), "\(name)")
        #expect(trace.requests.reduce(0) { $0 + $1.count } == Int(row["bytes_requested"] ?? ""), "\(name)")
        #expect(trace.requests.map(\.upperBound).max() == trace.byteCount, "\(name)")
      }
    }
  }

  @Test func `a trace of more requests than are wanted is refused`() throws {
    let body: [UInt8] = [0x04, 0x02, 0x07, 0x01, 0x00, 0x01]
    for contents in [
      header(shift: 9, count: 3, byteCount: 2048) + body, header(shift: 9, count: 0, byteCount: 0) + body,
      Array("offset,length\n0,1\n0,1\n0,0\n".utf8),
    ] {
      #expect(try RangeTrace(Bytes(contents), maxRequests: 3).requests.count == 3)
      let error = #expect(throws: TraceError.self) { try RangeTrace(Bytes(contents), maxRequests: 2) }
      #expect(error?.message == "the trace has more than 2 requests: cut it")
    }
  }

  // MARK: helpers

  private func expect(_ bytes: [UInt8], _ message: String) {
    let error = #expect(throws: TraceError.self) { try RangeTrace(Bytes(bytes), format: .rrt) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error"), not \(message)")
  }

  private func header(shift: UInt8, count: UInt64, byteCount: UInt64) -> [UInt8] {
    Array("RRT1".utf8) + [shift, 0, 0, 0] + littleEndian(count) + littleEndian(byteCount)
  }

  private func littleEndian(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private func encode(_ requests: [ByteRange], shift: Int, byteCount: Int) -> [UInt8] {
    var bytes = header(shift: UInt8(shift), count: UInt64(requests.count), byteCount: UInt64(byteCount))
    var end = 0
    for request in requests {
      let distance = request.lowerBound >> shift - end
      bytes += uleb(UInt64(bitPattern: Int64(distance << 1 ^ distance >> 63)))
      bytes += uleb(UInt64(request.count >> shift))
      end = request.upperBound >> shift
    }
    return bytes
  }

  private func uleb(_ number: UInt64) -> [UInt8] {
    var (rest, bytes) = (number, [UInt8]())
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
