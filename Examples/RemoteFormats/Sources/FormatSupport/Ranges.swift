import RangeIO

/// The `count` bytes at `offset` of `section`. Both numbers come from the file, so they may be anything.
///
/// - Parameter what: what lies there, for the error.
/// - Throws: `FormatError` if they do not lie within the section.
package func part(
  _ what: String, offset: some BinaryInteger, count: some BinaryInteger, of section: ByteRange
) throws -> ByteRange {
  guard let offset = Int(exactly: offset), let count = Int(exactly: count), offset >= 0, count >= 0,
    offset <= section.count, count <= section.count - offset
  else {
    throw FormatError.damaged(
      "\(what) (\(count) bytes at \(offset)) does not lie within the \(section.count) bytes it "
        + "belongs to: the file is cut off or damaged")
  }
  let start = section.lowerBound + offset
  return start..<start + count
}
