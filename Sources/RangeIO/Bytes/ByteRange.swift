/// A half-open range of bytes, counted from the start of the source: `0..<4096` is the first 4 KiB.
///
/// Use ``RangeReader/read(offset:count:caching:)-(Int,_,_)`` for numbers that come from data: it throws where `Range` would
/// trap. Use the standard library's `RangeSet<Int>` for the union of ranges, and for what is missing of them.
public typealias ByteRange = Range<Int>

/// Arithmetic on byte ranges that never traps on overflow.
///
/// These are functions in a namespace, not extensions of `Range<Int>`, so that importing RangeIO adds no members to
/// such a common type. All are pure, take constant time unless they say otherwise, and allocate only what they return.
package enum ByteRanges {
  /// `ranges`, cut where the next one does not begin where the one before ends.
  static func runs(_ ranges: [ByteRange]) -> [ArraySlice<ByteRange>] {
    guard ranges.count > 1 else { return ranges.isEmpty ? [] : [ranges[...]] }
    var runs: [ArraySlice<ByteRange>] = []
    var start = 0
    for index in ranges.indices.dropFirst() where ranges[index].lowerBound != ranges[index - 1].upperBound {
      runs.append(ranges[start..<index])
      start = index
    }
    return runs + [ranges[start...]]
  }

  /// From the beginning of the first range to the end of the last one. There must be a range.
  static func hull(of run: ArraySlice<ByteRange>) -> ByteRange {
    run[run.startIndex].lowerBound..<run[run.endIndex - 1].upperBound
  }

  /// The `count` bytes from `offset`, or `nil` if either is negative or their sum overflows.
  package static func range(offset: Int, count: Int) -> ByteRange? {
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard offset >= 0, count >= 0, !overflow else { return nil }
    return offset..<end
  }

  /// The bytes that are in both ranges, or `nil` if they share none.
  package static func intersection(_ a: ByteRange, _ b: ByteRange) -> ByteRange? {
    let lower = max(a.lowerBound, b.lowerBound)
    let upper = min(a.upperBound, b.upperBound)
    return lower < upper ? lower..<upper : nil
  }

  /// One range with exactly the bytes of both, or `nil` if there is a gap between them. Ranges that touch are merged.
  package static func union(_ a: ByteRange, _ b: ByteRange) -> ByteRange? {
    if a.isEmpty { return b }
    if b.isEmpty { return a }
    guard a.lowerBound <= b.upperBound, b.lowerBound <= a.upperBound else { return nil }
    return min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
  }

  /// The bytes of `range` that are not in `hole`: zero, one or two ranges, in order.
  package static func subtract(_ hole: ByteRange, from range: ByteRange) -> [ByteRange] {
    guard let cut = intersection(range, hole) else { return range.isEmpty ? [] : [range] }
    let before = range.lowerBound..<cut.lowerBound
    let after = cut.upperBound..<range.upperBound
    return [before, after].filter { !$0.isEmpty }
  }

  /// `a` + `b`, clamped to `Int`.
  package static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b < 0 ? .min : .max) : sum
  }

  /// The number of bytes in `range`, at most `Int.max`.
  static func count(_ range: ByteRange) -> Int {
    let (count, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    return overflow ? .max : count
  }

  /// The same bytes as the fewest ranges, in order. Empty ranges are removed; overlapping and touching ones are merged.
  ///
  /// - Complexity: O(n log n).
  package static func normalize(_ ranges: some Sequence<ByteRange>) -> [ByteRange] {
    var merged: [ByteRange] = []
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, let both = union(last, range) {
        merged[merged.count - 1] = both
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  /// The parts of `range` that no range in `covered` contains, in order.
  ///
  /// - Parameter covered: in any order; ranges may overlap.
  /// - Complexity: O(n log n).
  package static func gaps(in range: ByteRange, covered: some Sequence<ByteRange>) -> [ByteRange] {
    var gaps: [ByteRange] = []
    var cursor = range.lowerBound
    for piece in normalize(covered) {
      guard let inside = intersection(piece, range) else { continue }
      if cursor < inside.lowerBound { gaps.append(cursor..<inside.lowerBound) }
      cursor = inside.upperBound
    }
    if cursor < range.upperBound { gaps.append(cursor..<range.upperBound) }
    return gaps
  }
}

/// Bytes, and their range in a source.
public struct RangedBytes: Sendable {
  /// The range, from the start of the source.
  public let range: ByteRange
  /// Has as many bytes as `range`.
  public let bytes: Bytes

  /// Creates a value for the bytes of `range`.
  public init(_ range: ByteRange, _ bytes: Bytes) {
    self.range = range
    self.bytes = bytes
  }

  /// The bytes of `part`, which must lie within ``range``.
  func bytes(of part: ByteRange) -> Bytes {
    guard part != range else { return bytes }
    return bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
  }
}
