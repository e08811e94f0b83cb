import RangeIO

/// A file that is only in memory.
struct MemorySource: RangeSource {
  let bytes: Bytes

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "memory", validator: nil, byteCount: bytes.count)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { bytes[range] }
}
