/// A version of a source on a grid of blocks, in the bytes by which a spill directory knows it.
///
/// Two are the same if all their bytes are: the id, the version, the size, the grid.
struct SpillIdentity: Hashable, Sendable {
  let bytes: [UInt8]

  /// `nil` for a source whose version cannot be written down: it is not spilled.
  init?(_ source: SourceDescription, _ grid: BlockGrid) {
    guard let validator = source.validator?.persistentForm, !validator.isEmpty,
      validator.count <= SpillFormat.longestVersion
    else { return nil }
    let id = Array(source.id.utf8)
    guard !id.isEmpty, id.count <= SpillFormat.longestID else { return nil }
    var bytes = [UInt8](repeating: 0, count: 24)
    bytes.withUnsafeMutableBytes { buffer in
      buffer.put(UInt32(grid.shift), 0)
      buffer.put(UInt32(id.count), 4)
      buffer.put(UInt64(source.byteCount), 8)
      buffer.put(UInt32(validator.count), 16)
    }
    self.bytes = bytes + id + validator
  }

  /// From what a file says; `nil` if it says nonsense.
  init?(_ payload: UnsafeRawBufferPointer) {
    guard payload.count >= 24 else { return nil }
    let (shift, id) = (payload.number(0, UInt32.self), Int(payload.number(4, UInt32.self)))
    let (size, version) = (payload.number(8, UInt64.self), Int(payload.number(16, UInt32.self)))
    guard shift <= 30, (1...SpillFormat.longestID).contains(id), (1...SpillFormat.longestVersion).contains(version),
      size <= UInt64(Int64.max), payload.count == 24 + id + version
    else { return nil }
    bytes = Array(payload)
  }

  /// What records repeat.
  var check: UInt32 { bytes.withUnsafeBytes { CRC32C.of($0) } }

  private func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Number.Type) -> Number {
    bytes.withUnsafeBytes { $0.number(offset, type) }
  }
  var shift: Int { Int(number(0, UInt32.self)) }
  var byteCount: Int { Int(number(8, UInt64.self)) }
  /// The source's id.
  var id: String {
    let count = Int(number(4, UInt32.self))
    return String(decoding: bytes[24..<24 + count], as: UTF8.self)
  }

  /// The source's version, as its validator encodes it.
  var version: [UInt8] { Array(bytes[(24 + Int(number(4, UInt32.self)))...]) }

  /// The bytes that `block` has: all of it, or what the source's end leaves; zero beyond it.
  func count(ofBlock block: Int) -> Int {
    let (start, overflow) = block.multipliedReportingOverflow(by: 1 << shift)
    guard !overflow, block >= 0, start < byteCount else { return 0 }
    return min(1 << shift, byteCount - start)
  }
}
