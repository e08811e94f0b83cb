import Testing

@testable import RangeIO
@testable import RangeIORemote

@Suite struct BodySinkTests {
  @Test func `parts arrive in memory that a store keeps without a copy`() throws {
    let counts = [65_536, 4096, 100, 262_144]
    let sink = BodySink(parts: counts)
    let all = (0..<counts.reduce(0, +)).map { UInt8(truncatingIfNeeded: $0 / 7) }
    // In pieces that end within parts.
    for start in stride(from: 0, to: all.count, by: 30_000) {
      try all[start..<min(start + 30_000, all.count)].withUnsafeBytes { try sink.write($0) }
    }
    var place = 0
    for (part, count) in zip(sink.parts(), counts) {
      #expect(Array(part) == Array(all[place..<place + count]))
      #expect(BlockBacking.claim(part) && !BlockBacking.claim(part))
      place += count
    }
  }
}
