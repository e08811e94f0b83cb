import CZlib
import RangeIO

/// The check sum that ZIP, gzip and Parquet use (ISO 3309), over bytes that come in pieces.
package struct CRC32 {
  package private(set) var value: UInt32 = 0

  package init() {}

  package init(_ bytes: Bytes) { add(bytes) }

  package mutating func add(_ bytes: Bytes) {
    bytes.forEachSpan { span in
      // The pointer is used within the call only.
      span.withUnsafeBytes { memory in
        value = UInt32(
          truncatingIfNeeded: crc32_z(
            uLong(value), memory.baseAddress?.assumingMemoryBound(to: Bytef.self), memory.count))
      }
    }
  }
}
