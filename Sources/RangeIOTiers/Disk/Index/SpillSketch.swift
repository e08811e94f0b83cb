import RangeIO

/// Estimates how often blocks came lately, of blocks that are here and of blocks that are not: 8 bytes for each block
/// of the store.
///
/// A line is halved with each 96th addition, one after the other, so that estimates follow what changes. A key that comes for the first time sets
/// three bits only (a *doorkeeper*); keys that come again are counted in four places each, of which the smallest is the
/// estimate. All that belongs to one key lies in one line of the processor's cache. Keys may collide: an estimate is
/// too high then, never too low.
///
/// Source: G. Einziger, R. Friedman, B. Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", ACM Transactions
/// on Storage 13, 2017.
struct SpillSketch: Sendable {
  /// Four rows of sixteen counters of four bits; then 256 bits for keys that came once.
  private struct Line {
    var counters = SIMD4<UInt64>()
    var comers = SIMD4<UInt64>()
  }

  /// The blocks of the store for each line.
  private static let blocksPerLine = 8
  /// After this many additions for each block of the store, everything was halved once.
  private static let additionsPerBlock = 12
  static let maxCount = 15

  private var lines: [Line] = []
  private var additions = 0
  /// The line that is halved next.
  private var hand = 0

  /// The memory that it takes.
  var byteCount: Int { lines.capacity * MemoryLayout<Line>.stride }

  /// The largest estimate is one more than ``maxCount``.
  func estimate(_ key: UInt64) -> Int {
    guard !lines.isEmpty else { return 0 }
    let place = Place(key, of: lines.count)
    let line = lines[place.line]
    return place.count(line) + (place.hasCome(line) ? 1 : 0)
  }

  /// Counts a key.
  ///
  /// - Parameter blocks: how many blocks the store has. Decides how large the sketch is, and how fast it forgets.
  mutating func add(_ key: UInt64, among blocks: Int) {
    grow(to: blocks)
    let place = Place(key, of: lines.count)
    place.add(to: &lines[place.line])
    additions += 1
    if additions == Self.additionsPerBlock * Self.blocksPerLine { age() }
  }

  /// Spreads the lines over a larger table: a key finds its old line, beside others, in the new one.
  private mutating func grow(to blocks: Int) {
    let wanted = max(8, (blocks + Self.blocksPerLine - 1) / Self.blocksPerLine)
    guard wanted > lines.count else { return }
    let before = lines
    let count = max(wanted, before.count + before.count / 4)
    lines = (0..<count).map { before.isEmpty ? Line() : before[$0 * before.count / count] }
  }

  /// Halves one line. Never all at once: the store's lock is held.
  private mutating func age() {
    additions = 0
    if hand >= lines.count { hand = 0 }
    // Each counter of four bits loses its lowest bit.
    lines[hand].counters = (lines[hand].counters &>> 1) & SIMD4(repeating: 0x7777_7777_7777_7777)
    lines[hand].comers = SIMD4()
    hand += 1
  }

  /// Where a key is counted.
  private struct Place {
    let line: Int
    private let hash: UInt64

    init(_ key: UInt64, of lines: Int) {
      hash = SpilledBlock.hash(key)
      // Keeps the order of hashes, so that the lines can be spread over a larger table.
      line = Int(truncatingIfNeeded: ((hash >> 32) * UInt64(lines)) >> 32)
    }

    /// The shift of the counter in a row.
    private func shift(_ row: Int) -> UInt64 { (hash >> (8 + UInt64(row) * 4) & 15) * 4 }

    func count(_ line: Line) -> Int {
      var least = SpillSketch.maxCount
      for row in 0..<4 { least = min(least, Int(line.counters[row] >> shift(row) & 15)) }
      return least
    }

    /// Three of the 256 bits, from the key's bits that choose neither line nor counters.
    private var bits: (UInt64, UInt64, UInt64) {
      let other = hash &* 0x9E37_79B9_7F4A_7C15
      return (other >> 56, other >> 48 & 255, other >> 40 & 255)
    }

    func hasCome(_ line: Line) -> Bool {
      func isSet(_ bit: UInt64) -> Bool { line.comers[Int(bit >> 6)] >> (bit & 63) & 1 != 0 }
      return isSet(bits.0) && isSet(bits.1) && isSet(bits.2)
    }

    func add(to line: inout Line) {
      guard hasCome(line) else {
        func set(_ bit: UInt64) { line.comers[Int(bit >> 6)] |= 1 << (bit & 63) }
        set(bits.0)
        set(bits.1)
        set(bits.2)
        return
      }
      // Only the counters that decide: the others count another key.
      let least = count(line)
      guard least < SpillSketch.maxCount else { return }
      for row in 0..<4 where Int(line.counters[row] >> shift(row) & 15) == least {
        line.counters[row] += 1 << shift(row)
      }
    }
  }
}
