import CRangeIOSystem
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct CRC32CTests {
  /// RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
  @Test func `the published sums come out`() {
    let read10: [UInt8] =
      [
        0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0,
        0x18,
      ]
      + [0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0]
    let published: [(message: [UInt8], sum: UInt32)] = [
      (Array(repeating: 0, count: 32), 0x8A91_36AA),
      (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
      (Array(0..<32), 0x46DD_794E),
      (Array((0..<32).reversed()), 0x113F_DB5C),
      (read10, 0xD996_3A56),
      (Array("123456789".utf8), 0xE306_9283),
      ([], 0),
    ]
    for (message, sum) in published {
      #expect(message.withUnsafeBytes { CRC32C.of($0) } == sum)
      #expect(message.withUnsafeBytes { software($0) } == sum)
    }
  }

  @Test func `the processor's instruction agrees with software at every short length and alignment`() {
    var random = TestRandom(1)
    let bytes = random.array(1100 + 16)
    bytes.withUnsafeBytes { bytes in
      for count in 0..<1100 {
        for start in 0..<16 {
          let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
          if CRC32C.of(part) != software(part) { Issue.record("\(count) bytes from \(start) on") }
        }
      }
    }
  }

  @Test(arguments: testSeeds) func `long messages, and messages in parts, have the sum that software finds`(
    seed: UInt64
  ) {
    var random = TestRandom(seed)
    let bytes = random.array(40_000)
    bytes.withUnsafeBytes { bytes in
      for _ in 0..<20 {
        let whole = UnsafeRawBufferPointer(rebasing: bytes[random.range(within: bytes.count)])
        let sum = software(whole)
        #expect(CRC32C.of(whole) == sum)
        var (start, continued) = (0, UInt32(0))
        while start < whole.count {
          let end = min(whole.count, start + 1 + random.below(10_000))
          continued = CRC32C.of(UnsafeRawBufferPointer(rebasing: whole[start..<end]), continuing: continued)
          start = end
        }
        #expect(continued == sum)
      }
    }
  }

  @Test func `every flipped bit changes the sum`() {
    var random = TestRandom(2)
    var bytes = random.array(512)
    bytes.withUnsafeMutableBytes { bytes in
      let sum = CRC32C.of(UnsafeRawBufferPointer(bytes))
      for bit in 0..<bytes.count * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8)
        if CRC32C.of(UnsafeRawBufferPointer(bytes)) == sum { Issue.record("bit \(bit)") }
        bytes[bit / 8] ^= 1 << (bit % 8)
      }
    }
  }

  private func software(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    rio_crc32c_software(0, bytes.baseAddress, bytes.count)
  }
}
