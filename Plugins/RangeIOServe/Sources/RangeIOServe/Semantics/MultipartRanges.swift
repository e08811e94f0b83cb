/// The body of an answer with several ranges: `multipart/byteranges` (RFC 9110, section 14.6).
package struct MultipartRanges: Sendable {
  package let ranges: [Range<Int>]
  package let size: Int
  package let mediaType: String
  package let boundary: String

  /// More than all text between 16 ranges: a head takes some 200 bytes besides its media type.
  static let maxText = 64 << 10

  /// - Parameter number: makes the boundary, which must stand nowhere in the bytes: 64 random bits.
  package init(_ ranges: [Range<Int>], size: Int, mediaType: String, number: UInt64) {
    self.ranges = ranges
    self.size = size
    self.mediaType = mediaType
    let digits = String(number, radix: 16)
    boundary = "rangeio-" + String(repeating: "0", count: 16 - digits.count) + digits
  }

  package var contentType: String { "multipart/byteranges; boundary=\(boundary)" }

  /// The text before the bytes of the range at `index`.
  package func head(at index: Int) -> String {
    let range = ranges[index]
    let start = index == 0 ? "" : "\r\n"
    return start + "--\(boundary)\r\nContent-Type: \(mediaType)\r\nContent-Range: bytes "
      + "\(range.lowerBound)-\(range.upperBound - 1)/\(size)\r\n\r\n"
  }

  /// The text after the last range.
  package var end: String { "\r\n--\(boundary)--\r\n" }

  /// The bytes of the whole body.
  package var byteCount: Int {
    ranges.indices.reduce(end.utf8.count) { $0 + head(at: $1).utf8.count + ranges[$1].count }
  }
}
