/// Turns reads into the bytes of a trace in the format RRT1, which `Docs/Formats/ReadTrace.md` describes.
///
/// A pure value: it says what to write and where. The header says nothing about the reads until the trace is complete,
/// so that what was written of it is a trace at any time.
struct TraceEncoder {
  private(set) var count = 0
  /// The end of the read that ends last.
  private(set) var byteCount = 0
  private var previousEnd = 0

  /// The size of the header.
  static let headerSize = 24
  /// Where the header has the number of reads and the size of the address space.
  static let totalsOffset = 8

  /// The header of a trace that is not complete.
  static let openHeader = Array("RRT1".utf8) + [UInt8](repeating: 0, count: 20)

  /// The part of the header at ``totalsOffset``, for a trace that has exactly the reads so far.
  var totals: [UInt8] {
    [count, byteCount].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
  }

  /// Appends the form of a read to `bytes`: at most 20 bytes.
  ///
  /// - Precondition: `range` does not begin below zero.
  mutating func encode(_ range: ByteRange, into bytes: inout [UInt8]) {
    let distance = range.lowerBound - previousEnd
    Self.encode(UInt64(bitPattern: Int64(distance << 1 ^ distance >> (Int.bitWidth - 1))), into: &bytes)
    Self.encode(UInt64(range.count), into: &bytes)
    previousEnd = range.upperBound
    byteCount = max(byteCount, range.upperBound)
    count += 1
  }

  /// ULEB128: seven bits per byte, the lowest first.
  private static func encode(_ number: UInt64, into bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
