import RangeIO

/// A version of a source on a grid of blocks, in the bytes by which a spill directory identifies it.
///
/// Two are equal if id, version, size and grid are equal. The user's name for the source is stored too, for listings,
/// but is not part of the identity.
package struct SpillIdentity: Hashable, Sendable {
  /// The bytes as written: a header, the id, the version, the name.
  let bytes: [UInt8]

  private static let headerCount = 24
  static let maxByteCount =
    headerCount + SpillFormat.maxIDLength + SpillFormat.maxVersionLength + SpillFormat.maxNameLength
  /// The size of the grid's block size, with which the header begins.
  private static let shiftCount = 4
  /// Where the header stores the length of the name.
  private static let namePlace = 20

  /// `nil` for a source whose version cannot be written down. Such a source is not spilled.
  init?(_ source: SourceDescription, _ grid: BlockGrid) {
    guard let validator = source.validator?.persistentForm, !validator.isEmpty,
      validator.count <= SpillFormat.maxVersionLength
    else { return nil }
    let id = Array(source.id.utf8)
    guard !id.isEmpty, id.count <= SpillFormat.maxIDLength else { return nil }
    // The name is left out if it equals the id, as for most sources but files, or if it is very long.
    let isNamed = source.name != source.id && source.name.utf8.count <= SpillFormat.maxNameLength
    let name = isNamed ? Array(source.name.utf8) : []
    var bytes = [UInt8](repeating: 0, count: Self.headerCount)
    bytes.withUnsafeMutableBytes { buffer in
      buffer.put(UInt32(grid.shift), 0)
      buffer.put(UInt32(id.count), 4)
      buffer.put(UInt64(source.byteCount), 8)
      buffer.put(UInt32(validator.count), 16)
      buffer.put(UInt32(name.count), Self.namePlace)
    }
    self.bytes = bytes + id + validator + name
  }

  /// Reads an identity from a file; `nil` if its values are impossible.
  package init?(_ payload: UnsafeRawBufferPointer) {
    guard payload.count >= Self.headerCount else { return nil }
    let (shift, id) = (payload.number(0, UInt32.self), Int(payload.number(4, UInt32.self)))
    let (size, version) = (payload.number(8, UInt64.self), Int(payload.number(16, UInt32.self)))
    let name = Int(payload.number(Self.namePlace, UInt32.self))
    guard shift <= 30, (1...SpillFormat.maxIDLength).contains(id), (1...SpillFormat.maxVersionLength).contains(version),
      size <= UInt64(Int64.max), name <= SpillFormat.maxNameLength,
      payload.count == Self.headerCount + id + version + name
    else { return nil }
    bytes = Array(payload)
  }

  /// The checksum of everything but the name. Records repeat it.
  package var check: UInt32 { unnamed.withUnsafeBytes { CRC32C.of($0) } }

  /// The bytes without the name. An encrypted record's tag protects them.
  var unnamed: [UInt8] {
    var bytes = Array(bytes.dropLast(nameCount))
    bytes.replaceSubrange(Self.namePlace..<Self.headerCount, with: repeatElement(0, count: 4))
    return bytes
  }

  private var nameCount: Int { Int(number(Self.namePlace, UInt32.self)) }

  package static func == (a: SpillIdentity, b: SpillIdentity) -> Bool {
    a.header == b.header && a.idAndVersion == b.idAndVersion
  }

  package func hash(into hasher: inout Hasher) {
    header.withUnsafeBytes { hasher.combine(bytes: $0) }
    idAndVersion.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// `true` if both are of the same version, on any grid.
  func isVersion(of other: SpillIdentity) -> Bool {
    header.dropFirst(Self.shiftCount).elementsEqual(other.header.dropFirst(Self.shiftCount))
      && idAndVersion == other.idAndVersion
  }

  private var header: ArraySlice<UInt8> { bytes[..<Self.namePlace] }
  private var idAndVersion: ArraySlice<UInt8> { bytes[Self.headerCount..<bytes.count - nameCount] }

  private func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: Number.Type) -> Number {
    bytes.withUnsafeBytes { $0.number(offset, type) }
  }
  package var shift: Int { Int(number(0, UInt32.self)) }
  package var byteCount: Int { Int(number(8, UInt64.self)) }
  /// The source's id, in UTF-8.
  var idBytes: ArraySlice<UInt8> { bytes[Self.headerCount..<Self.headerCount + Int(number(4, UInt32.self))] }
  /// The source's id.
  package var id: String { String(decoding: idBytes, as: UTF8.self) }

  /// The user's name for the source.
  package var name: String { nameCount == 0 ? id : String(decoding: bytes.suffix(nameCount), as: UTF8.self) }

  /// The source's version, as its validator encodes it.
  package var version: [UInt8] { Array(idAndVersion.dropFirst(Int(number(4, UInt32.self)))) }

  /// The size of `block`: a full block, or the rest at the source's end; zero beyond it.
  package func count(ofBlock block: Int) -> Int {
    let (start, overflow) = block.multipliedReportingOverflow(by: 1 << shift)
    guard !overflow, block >= 0, start < byteCount else { return 0 }
    return min(1 << shift, byteCount - start)
  }
}
