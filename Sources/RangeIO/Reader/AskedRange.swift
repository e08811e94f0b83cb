/// A range as a user writes it, before the size of the source is known.
enum AskedRange: Sendable {
  case bytes(ByteRange)
  /// To the end.
  case from(Int)
  case suffix(Int)
  /// Ends beyond every source: the text says what was asked.
  case beyond(String)
  /// Written as an expression that only itself can resolve.
  case expression(@Sendable (ByteRange) -> ByteRange)

  /// Never traps, whatever the bounds are.
  init(_ range: some RangeExpression<Int> & Sendable) {
    switch range {
    case let range as ByteRange: self = .bytes(range)
    case let range as PartialRangeFrom<Int>: self = .from(range.lowerBound)
    // A negative end is refused when the range is looked at.
    case let range as PartialRangeUpTo<Int>: self = .bytes(min(0, range.upperBound)..<range.upperBound)
    case let range as ClosedRange<Int>: self = Self.through(range.upperBound, from: range.lowerBound, "\(range)")
    case let range as PartialRangeThrough<Int>:
      self = Self.through(range.upperBound, from: min(0, range.upperBound), "...\(range.upperBound)")
    default: self = .expression { range.relative(to: $0) }
    }
  }

  private static func through(_ last: Int, from first: Int, _ text: String) -> AskedRange {
    last == .max ? .beyond(text) : .bytes(first..<last + 1)
  }

  /// Whether the size of the source decides what it is.
  var dependsOnSize: Bool {
    switch self {
    case .bytes, .beyond: false
    case .from, .suffix, .expression: true
    }
  }

  /// The bytes of `source` that it means. Those of `.bytes` may lie beyond its end.
  ///
  /// - Throws: `rangeNotSatisfiable`.
  func resolved(in source: SourceDescription) throws(ReadError) -> ByteRange {
    let size = source.byteCount
    switch self {
    case .bytes(let range): return range
    case .from(let start):
      guard start >= 0, start <= size else {
        throw .rangeNotSatisfiable("\(start)...", byteCount: size, source: source.name)
      }
      return start..<size
    case .suffix(let count):
      guard count >= 0 else {
        throw .rangeNotSatisfiable("a suffix of \(count) bytes", byteCount: size, source: source.name)
      }
      return size - min(count, size)..<size
    case .beyond(let text): throw .rangeNotSatisfiable(text, byteCount: size, source: source.name)
    case .expression(let resolve): return resolve(0..<size)
    }
  }
}
