#if Tool
import RangeIO

/// Follows the bytes of one request as they arrive, in order and in any portions, and computes the checksum of each
/// piece. A value.
///
/// If a request is cut, the next one goes on from ``missing``: nothing that has arrived is read again.
struct PieceSums {
  private let layout: CopyLayout
  /// The pieces that are not finished.
  private(set) var rest: Range<Int>
  /// Where the next byte goes.
  private(set) var position: Int
  private var sum: UInt32 = 0

  /// Expects the bytes of `pieces`.
  init(_ pieces: Range<Int>, _ layout: CopyLayout) {
    self.layout = layout
    rest = pieces
    position = layout.range(of: pieces).lowerBound
  }

  /// The bytes that are still expected.
  var missing: ByteRange { position..<(rest.isEmpty ? position : layout.range(of: rest).upperBound) }

  /// Takes the bytes of `portion`.
  ///
  /// - Returns: the pieces that are complete with it.
  /// - Precondition: the portion has no more bytes than are ``missing``.
  mutating func take(_ portion: Bytes) -> [CopyJournal.Record] {
    precondition(portion.count <= missing.count, "more bytes than were asked for")
    var complete: [CopyJournal.Record] = []
    portion.forEachSpan { span in
      span.withUnsafeBytes { buffer in
        var buffer = buffer[...]
        while !buffer.isEmpty {
          let end = layout.range(of: rest.lowerBound..<rest.lowerBound + 1).upperBound
          let part = buffer.prefix(end - position)
          sum = CRC32C.of(UnsafeRawBufferPointer(rebasing: part), continuing: sum)
          position += part.count
          buffer = buffer.dropFirst(part.count)
          guard position == end else { break }
          complete.append(CopyJournal.Record(piece: rest.lowerBound, sum: sum))
          rest = rest.lowerBound + 1..<rest.upperBound
          sum = 0
        }
      }
    }
    return complete
  }
}
#endif
