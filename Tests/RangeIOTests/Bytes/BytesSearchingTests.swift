import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct BytesSearchingTests {
  /// The same bytes as one piece, and cut into pieces of all kinds of sizes.
  private func forms(of bytes: [UInt8], _ generator: inout SeededGenerator) -> [Bytes] {
    var pieces: [Bytes] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 1...200, using: &generator))
      pieces.append(Bytes(bytes[start..<end]))
      start = end
    }
    // At an odd address, too.
    let shifted = Bytes([0] + bytes).slice(1..<bytes.count + 1)
    return [Bytes(bytes), shifted, Bytes(concatenating: pieces)]
  }

  @Test func `a byte is found, and counted, where a plain search does`() {
    var generator = SeededGenerator(seed: 1)
    for length in Array(0..<200) + [255 * 64, 255 * 64 + 1, 300 * 64 + 17, 100_000] {
      // Few values, so that there are many of each.
      let bytes = (0..<length).map { _ in UInt8.random(in: 250...255, using: &generator) }
      for form in forms(of: bytes, &generator) {
        for byte: UInt8 in [0, 250, 253, 255] {
          #expect(form.firstIndex(of: byte) == bytes.firstIndex(of: byte))
          #expect(form.count(of: byte) == bytes.count { $0 == byte })
        }
      }
    }
  }

  @Test func `a lane that is always hit is not counted beyond what it holds`() {
    let all = Bytes([UInt8](repeating: 7, count: 1 << 20))
    #expect(all.count(of: 7) == 1 << 20 && all.count(of: 8) == 0)
    #expect(all.firstIndex(of: 7) == 0 && all.firstIndex(of: 8) == nil)
  }

  @Test func `only the slice is looked at`() {
    let bytes: Bytes = [1, 2, 3, 2, 1]
    #expect(bytes.slice(1..<4).firstIndex(of: 1) == nil && bytes.slice(1..<4).count(of: 2) == 2)
    #expect(bytes.slice(2..<5).firstIndex(of: 1) == 2)
  }
}
