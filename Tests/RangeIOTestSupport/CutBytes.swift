@testable import RangeIO

extension Bytes {
  /// `content` in pieces of at most `size` bytes, each in memory of its own.
  static func cut(_ content: [UInt8], every size: Int) -> Bytes {
    Bytes(
      concatenating: stride(from: 0, to: content.count, by: size).map {
        Bytes(content[$0..<Swift.min($0 + size, content.count)])
      })
  }

  /// The lengths of the contiguous pieces.
  var pieceCounts: [Int] {
    var counts: [Int] = []
    forEachSpan { counts.append($0.byteCount) }
    return counts
  }

  var address: UnsafeRawPointer? { withUnsafeBytes { $0.baseAddress } }
}
