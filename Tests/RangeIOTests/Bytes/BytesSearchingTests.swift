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

  @Test func `a pattern is found first and last where a plain search does`() {
    var generator = SeededGenerator(seed: 2)
    var found = 0
    for length in Array(0..<60) + [200, 1000, 5000] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...1, using: &generator) }
      for form in forms(of: bytes, &generator) + [Bytes(concatenating: bytes.map { Bytes([$0]) })] {
        for count in [0, 1, 2, 3, 5, 9, 14, 300] {
          let pattern = (0..<count).map { _ in UInt8.random(in: 0...1, using: &generator) }
          let starts = (0...max(0, length - count)).filter {
            count <= length && bytes[$0..<$0 + count].elementsEqual(pattern)
          }
          #expect(form.firstRange(of: pattern) == starts.first.map { $0..<$0 + count })
          #expect(form.lastRange(of: Bytes(pattern)) == starts.last.map { $0..<$0 + count })
          found += starts.isEmpty ? 0 : 1
        }
      }
    }
    #expect(found > 500)
  }

  @Test func `only the slice is searched, and text is a pattern too`() {
    let bytes = Bytes(Array("xref startxref 116".utf8))
    #expect(bytes.firstRange(of: "xref".utf8) == 0..<4 && bytes.lastRange(of: "xref".utf8) == 10..<14)
    #expect(bytes[1..<13].firstRange(of: "xref".utf8) == nil && bytes[2..<13].lastRange(of: "ref".utf8) == nil)
    #expect(bytes.lastRange(of: [0x31, 0x31]) == 15..<17)
  }

  @Test func `the search is this one, and not that of every collection`() {
    let pattern = Counted()
    #expect(Bytes([UInt8](repeating: 1, count: 5000)).firstRange(of: pattern) == nil)
    #expect(Bytes([UInt8](repeating: 1, count: 5000)).lastRange(of: pattern) == nil)
    // It is copied once. The standard library would ask for it at each of the 5,000 places.
    #expect(pattern.asked.all.count < 10)
  }

  @Test func `hexadecimal digits are two for a byte`() {
    #expect(Bytes().hex == "" && Bytes([0, 0x0F, 0xA0, 0xFF, 0x50]).hex == "000fa0ff50")
    #expect(Bytes(concatenating: [[1, 2], [3]] as [Bytes]).hex == "010203")
    #expect(Bytes([0x50, 0x4B]).description == "Bytes(2: 50 4b)")
    #expect(Bytes([UInt8](repeating: 9, count: 17)).description.hasSuffix("09 09 …)"))
  }

  /// Two bytes, 1 and 2, that count how often they are asked for.
  private struct Counted: Collection {
    let asked = Noted<Int>()
    var startIndex: Int { 0 }
    var endIndex: Int { 2 }
    func index(after index: Int) -> Int { index + 1 }
    subscript(index: Int) -> UInt8 {
      asked.add(index)
      return UInt8(index + 1)
    }
  }
}
