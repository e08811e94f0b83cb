import CRangeIOSystem

/// CRC-32C: what tells that stored bytes are those that were written. Finds every change within 32 bits in a row, and all
/// but one of four thousand million others; it does not stop an attacker.
///
/// Source: [RFC 3720, appendix B.4](https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4).
package enum CRC32C {
  /// The sum of `bytes`, or of what had the sum `continuing`, followed by `bytes`.
  package static func of(_ bytes: UnsafeRawBufferPointer, continuing: UInt32 = 0) -> UInt32 {
    rio_crc32c(continuing, bytes.baseAddress, bytes.count)
  }
}
