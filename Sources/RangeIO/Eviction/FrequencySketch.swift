/// Estimates how often chunks were read lately, also chunks that are not stored: a count-min sketch of 4-bit counters.
///
/// A key has one counter in each of four rows; the smallest is the estimate, and only the smallest are raised. All four
/// are in one line of 32 bytes, so that a look-up touches one cache line. There is a line for four chunks: 8 bytes for
/// each.
///
/// All counters are halved once in ten times as many additions as there are chunks. A line is halved when it is touched
/// next: its top four bits tell how often that was done, so no call touches more than one line.
///
/// Sources: G. Cormode, S. Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch and its Applications",
/// 2005; G. Einziger, R. Friedman, B. Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", 2017.
struct FrequencySketch: Sendable {
  /// Fifteen counters in each row; the sixteenth of the last row tells the age.
  private typealias Line = SIMD4<UInt64>
  private static let counters = Line(repeating: 0x0FFF_FFFF_FFFF_FFFF)
  private static let lowerBits = Line(repeating: 0x0777_7777_7777_7777)
  private static let chunksPerLine = 4
  private static let additionsPerChunk = 10

  private var lines: [Line] = []
  private var additions = 0
  /// The number of halvings of all counters.
  private var age: UInt64 = 0
  /// The number of chunks that it was made for.
  private var size = 0

  var byteCount: Int { lines.count * MemoryLayout<Line>.stride }

  /// Makes the sketch suit this many chunks. Forgets everything if that is another size: over a quarter more, or under
  /// a quarter.
  mutating func fit(_ chunks: Int) {
    guard chunks > size + size / 4 || chunks < size / 4 else { return }
    size = max(chunks, 64)
    lines = Array(repeating: .zero, count: (size + Self.chunksPerLine - 1) / Self.chunksPerLine)
    additions = 0
  }

  /// From 0 to 15.
  func frequency(of fingerprint: UInt32) -> Int {
    guard !lines.isEmpty else { return 0 }
    let (line, shifts) = place(of: fingerprint)
    return Int(((current(line) &>> shifts) & 15).min())
  }

  mutating func add(_ fingerprint: UInt32) {
    guard !lines.isEmpty else { return }
    let (index, shifts) = place(of: fingerprint)
    let line = current(index)
    let counts = (line &>> shifts) & 15
    let least = counts.min()
    if least < 15 {
      let ones = Line(repeating: 1) &<< shifts
      lines[index] = line &+ Line.zero.replacing(with: ones, where: counts .== least)
    }
    additions += 1
    if additions == size * Self.additionsPerChunk {
      additions = 0
      age = (age + 1) & 15
    }
  }

  /// A line, halved as often as it should have been by now.
  private func current(_ index: Int) -> Line {
    var line = lines[index]
    let behind = (age &- line[3] >> 60) & 15
    guard behind != 0 else { return line }
    line &= Self.counters
    for _ in 0..<min(behind, 4) { line = (line &>> 1) & Self.lowerBits }
    line[3] |= age << 60
    return line
  }

  /// The line of a key, and where in each row its counter begins.
  private func place(of fingerprint: UInt32) -> (line: Int, shifts: Line) {
    let hash = UInt64(fingerprint) &* 0x9E37_79B9_7F4A_7C15
    let line = Int(((hash >> 32) &* UInt64(lines.count)) >> 32)
    // Bits that had no say about the line.
    let low = UInt64(UInt32(truncatingIfNeeded: hash))
    let rows = Line(low >> 24, low >> 16, low >> 8, low) & 255
    return (line, ((rows &* 15) &>> 8) &* 4)
  }
}
