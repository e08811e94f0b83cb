/// A range as the caller writes it, before the size of the source is known.
enum AskedRange: Sendable {
  case bytes(ByteRange)
  /// From this offset to the end.
  case from(Int)
  case prefix(Int)
  case suffix(Int)
  /// Negative, or ends past the end of any possible source. The text is the range as written, for the error.
  case impossible(String)
  /// A custom range expression, which only its own code can resolve.
  case expression(@Sendable (ByteRange) -> ByteRange)

  /// Never traps, whatever the bounds are.
  init(_ range: some RangeExpression<Int> & Sendable) {
    switch range {
    case let range as ByteRange: self = .bytes(range)
    case let range as PartialRangeFrom<Int>: self = .from(range.lowerBound)
    case let range as PartialRangeUpTo<Int>:
      let last = range.upperBound
      self = last < 0 ? .impossible("..<\(last)") : .bytes(0..<last)
    case let range as ClosedRange<Int>: self = Self.through(range.upperBound, from: range.lowerBound, "\(range)")
    case let range as PartialRangeThrough<Int>: self = Self.through(range.upperBound, from: 0, "...\(range.upperBound)")
    default: self = .expression { range.relative(to: $0) }
    }
  }

  private static func through(_ last: Int, from first: Int, _ text: String) -> AskedRange {
    last < 0 || first < 0 || last == .max ? .impossible(text) : .bytes(first..<last + 1)
  }

  /// `true` if the size of the source decides about the result.
  var dependsOnSize: Bool {
    switch self {
    case .bytes, .impossible: false
    case .from, .prefix, .suffix, .expression: true
    }
  }

  /// The range in `source`. A `.bytes` range is returned as it is and may end past the end of the source. Throws
  /// `rangeNotSatisfiable`.
  func resolved(in source: SourceDescription) throws(ReadError) -> ByteRange {
    let size = source.byteCount
    switch self {
    case .bytes(let range): return range
    case .from(let start):
      guard start >= 0, start <= size else {
        throw .rangeNotSatisfiable("\(start)...", byteCount: size, source: source.name)
      }
      return start..<size
    case .prefix(let count):
      guard count >= 0 else {
        throw .rangeNotSatisfiable("a prefix of \(count) bytes", byteCount: size, source: source.name)
      }
      return 0..<min(count, size)
    case .suffix(let count):
      guard count >= 0 else {
        throw .rangeNotSatisfiable("a suffix of \(count) bytes", byteCount: size, source: source.name)
      }
      return size - min(count, size)..<size
    case .impossible(let text): throw .rangeNotSatisfiable(text, byteCount: size, source: source.name)
    case .expression(let resolve): return resolve(0..<size)
    }
  }
}
