import CRangeIOSystem
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct GatheredBuffersTests {
  /// A file to which a call writes as much as `most` lets it.
  private struct Target {
    var bytes: [UInt8] = []
    var calls = 0
    var largestGroup = 0

    mutating func write(_ group: UnsafeBufferPointer<iovec>, at offset: Int, most: Int) -> Int {
      calls += 1
      largestGroup = max(largestGroup, group.count)
      let all = group.flatMap { Array(UnsafeRawBufferPointer(start: $0.iov_base, count: Int($0.iov_len))) }
      guard offset == bytes.count else { return -Int(Errno.invalidArgument.rawValue) }
      bytes += all.prefix(most)
      return min(most, all.count)
    }
  }

  @Test(arguments: testSeeds) func `short and interrupted writes are continued where they ended`(seed: UInt64) throws {
    var random = TestRandom(seed)
    let parts = (0..<random.below(700)).map { _ in random.array(random.below(5)) }
    var target = Target()
    try write(parts) { group, offset in
      if random.below(4) == 0 { return -Int(Errno.interrupted.rawValue) }
      return target.write(group, at: offset, most: 1 + random.below(300))
    }
    #expect(target.bytes == parts.flatMap(\.self))
  }

  @Test func `one call takes 256 parts`() throws {
    let parts = (0..<600).map { [UInt8(truncatingIfNeeded: $0)] }
    var target = Target()
    try write(parts) { target.write($0, at: $1, most: .max) }
    #expect(target.bytes == parts.flatMap(\.self))
    #expect(target.calls == 3)
    #expect(target.largestGroup == 256)
  }

  @Test func `nothing to write is no call`() throws {
    var calls = 0
    try write([[], []]) { _, _ in
      calls += 1
      return 0
    }
    #expect(calls == 0)
  }

  @Test func `a write of nothing means that there is no room`() {
    #expect(throws: Errno.noSpace) { try write([[1]]) { _, _ in 0 } }
  }

  @Test func `an error ends it`() {
    var calls = 0
    #expect(throws: Errno.ioError) {
      try write([[1, 2], [3]]) { _, _ in
        calls += 1
        return calls == 1 ? 1 : -Int(Errno.ioError.rawValue)
      }
    }
    #expect(calls == 2)
  }

  private func write(
    _ parts: [[UInt8]], _ call: (UnsafeBufferPointer<iovec>, _ offset: Int) -> Int
  ) throws {
    let whole = parts.flatMap(\.self)
    try whole.withUnsafeBytes { bytes in
      var start = 0
      let buffers = parts.map { part in
        defer { start += part.count }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + part.count])
      }
      try GatheredBuffers(buffers).write(at: 0, call)
    }
  }
}
