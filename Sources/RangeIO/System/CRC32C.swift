import CRangeIOSystem

/// CRC-32C: checks that stored bytes are the bytes that were written. It finds every change within 32 bits in a row,
/// and all but one in four thousand million others. It does not stop an attacker.
///
/// Source: [RFC 3720, appendix B.4](https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4).
package enum CRC32C {
  /// The checksum of `bytes`, or of earlier bytes with the checksum `continuing` followed by `bytes`.
  package static func of(_ bytes: UnsafeRawBufferPointer, continuing: UInt32 = 0) -> UInt32 {
    rio_crc32c(continuing, bytes.baseAddress, bytes.count)
  }
}

extension Bytes {
  /// The CRC-32C of these bytes: it finds every change within 32 bits in a row, and all but one in four thousand million
  /// others. It does not stop an attacker.
  ///
  /// Source: [RFC 3720, appendix B.4](https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4).
  ///
  /// - Parameter checksum: of the bytes before these; zero for none.
  /// - Complexity: O(`count`); some 10 GB a second where the processor has an instruction for it.
  public func crc32c(continuing checksum: UInt32 = 0) -> UInt32 {
    var sum = checksum
    forEachRun { _, run in sum = CRC32C.of(run, continuing: sum) }
    return sum
  }
}
