internal import RangeIO
internal import RangeIOSupport

/// The answer to a request for an object.
package enum RangeAnswer: Equatable, Sendable {
  /// 200: all bytes.
  case whole
  /// 206: one range.
  case part(Range<Int>)
  /// 206: several ranges, as `multipart/byteranges`.
  case parts([Range<Int>])
  /// 304.
  case notModified
  /// 412.
  case preconditionFailed
  /// 416.
  case notSatisfiable

  /// The most ranges in one request. More are refused: they cost the server far more than the client.
  package static let maxRanges = 16

  /// Judges a `GET` or `HEAD` of `version`.
  ///
  /// - Parameter range: the value of the `Range` field; `nil` for `HEAD`, which has no ranges (RFC 9110, section 14.2).
  package init(range: String?, _ conditions: Preconditions, for version: ServedVersion) {
    switch conditions.outcome(for: version) {
    case .failed: self = .preconditionFailed
    case .notModified: self = .notModified
    case .proceed:
      guard let field = range.flatMap({ RangeField($0) }), conditions.allowRange(of: version) else {
        self = .whole
        return
      }
      self = Self.answer(field, size: version.size)
    }
  }

  private static func answer(_ field: RangeField, size: Int) -> RangeAnswer {
    guard field.elements.count <= maxRanges else { return .notSatisfiable }
    let ranges = field.elements.compactMap { $0.resolved(in: size) }
    switch ranges.count {
    case 0:
      // A suffix of nothing is nothing: satisfiable, and no `Content-Range` can say so.
      let asksForEnd = field.elements.contains { if case .suffix(let count) = $0 { count > 0 } else { false } }
      return size == 0 && asksForEnd ? .whole : .notSatisfiable
    case 1: return .part(ranges[0])
    default:
      // Ranges that overlap so much that they are more than the whole are an attack, or a mistake. The length of the answer,
      // with the text between the ranges, must be a number.
      let sum = ranges.reduce(0) { ByteRanges.sum($0, $1.count) }
      return sum > min(size, .max - MultipartRanges.maxText) ? .whole : .parts(ranges)
    }
  }
}
