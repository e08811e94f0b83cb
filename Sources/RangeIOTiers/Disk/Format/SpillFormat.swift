import CRangeIOSystem
import RangeIO

/// The numbers of `Docs/Formats/SpillFile.md`, which explains them.
package enum SpillFormat {
  static let version: UInt16 = 1
  static let magic: UInt64 = 0x4C4C_4950_534F_4952  // "RIOSPILL"
  /// The first bytes of a file, which are the same in all versions.
  static let prefixCount = 16
  /// The size of `store`, and of a segment's header.
  package static let headerCount = 64
  /// The size of an encrypted segment's header.
  package static let encryptedHeaderCount = 128
  package static let recordHeaderCount = 64
  package static let trailerCount = 32
  static let tombstoneCount = 16
  /// The most that `lock`, `store` and its successor take on a disk.
  static let fixedBytes = 3 * 4096

  static let maxIDLength = 65_536
  static let maxVersionLength = 4_096
  static let maxNameLength = 4_096
  /// The most bytes of a chunk: those of the largest block.
  package static let maxChunkCount = 1 << 30
  /// Offsets are stored in 32 bits, in units of 8 bytes.
  package static let maxSegmentSize = 1 << 34

  enum FileKind: UInt8 {
    case store = 1
    case segment = 2
    case encryptedSegment = 3
  }

  /// Rounds up to a multiple of 8.
  static func padded(_ count: Int) -> Int { (count + 7) & ~7 }

  /// The size of a record with a payload of this size.
  static func recordCount(payload: Int) -> Int { recordHeaderCount + padded(payload) }

  package static func segmentName(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Numbers, sequences and epochs in a file must be below this, so that counting on from them never overflows.
  static let maxCounted: UInt64 = 1 << 62

  /// The number of the segment with this name; `nil` if it is not a segment name.
  package static func segmentNumber(_ name: String) -> UInt64? {
    guard name.utf8.count == 16, isLowerHex(name), let number = UInt64(name, radix: 16), number < maxCounted else {
      return nil
    }
    return number
  }

  /// `true` for names of a process's private directory.
  package static func isPrivateName(_ name: String) -> Bool { name.utf8.count == 32 && isLowerHex(name) }

  /// `true` for names that a file system, a volume or a desktop leaves in directories of others.
  static func isOfSystem(_ name: String) -> Bool {
    isOfVolume(name) || [".DS_Store", ".snapshot", ".snapshots"].contains(name)
      || [".nfs", ".fuse_hidden"].contains { name.hasPrefix($0) }
  }

  /// `true` for names that only the root of a volume has.
  static func isOfVolume(_ name: String) -> Bool {
    ["lost+found", ".fseventsd", ".Spotlight-V100", ".TemporaryItems"].contains(name) || name.hasPrefix(".Trash")
  }

  private static func isLowerHex(_ name: String) -> Bool {
    name.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }
}

/// The kind and version of a file, by its first 16 bytes.
enum SpillPrefix: Equatable {
  /// Not one of our files, or damaged.
  case unknown
  case otherVersion(UInt16)
  case known(SpillFormat.FileKind)

  init(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= SpillFormat.prefixCount, bytes.number(0, UInt64.self) == SpillFormat.magic,
      bytes.number(12, UInt32.self) == CRC32C.of(bytes.part(0, 12))
    else {
      self = .unknown
      return
    }
    let version = bytes.number(8, UInt16.self)
    guard version == SpillFormat.version else {
      self = .otherVersion(version)
      return
    }
    self = SpillFormat.FileKind(rawValue: bytes[10]).map { .known($0) } ?? .unknown
  }

  static func write(_ kind: SpillFormat.FileKind, to bytes: UnsafeMutableRawBufferPointer) {
    bytes.put(SpillFormat.magic, 0)
    bytes.put(SpillFormat.version, 8)
    bytes.put(kind.rawValue, 10)
    bytes.put(UInt8(0), 11)
    bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes).part(0, 12)), 12)
  }

  /// The check at the end of the 64 bytes of a file's header; `nil` if they are not valid, or of another kind.
  static func check(_ kind: SpillFormat.FileKind, _ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count >= SpillFormat.headerCount, SpillPrefix(bytes) == .known(kind),
      case let check = bytes.number(60, UInt32.self), check == CRC32C.of(bytes.part(0, 60))
    else { return nil }
    return check
  }

  /// Writes that check, and returns it.
  @discardableResult static func close(_ bytes: UnsafeMutableRawBufferPointer) -> UInt32 {
    let check = CRC32C.of(UnsafeRawBufferPointer(bytes).part(0, 60))
    bytes.put(check, 60)
    return check
  }
}

/// The contents of `store`.
package struct SpillRoot: Equatable, Sendable {
  package var directoryID: UInt64
  package var epoch: UInt64
  /// Nanoseconds since 1970.
  package var created: Int64
  package var refusesWhenFull: Bool
  /// Its segments are encrypted, all of them, or none is.
  package var isEncrypted = false

  /// The result of reading `store`.
  package enum Reading: Equatable, Sendable {
    case good(SpillRoot)
    case missing
    case damaged
  }
}

extension SpillRoot {
  /// `nil` if the bytes are not valid.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard SpillPrefix.check(.store, bytes) != nil else { return nil }
    self.init(
      directoryID: bytes.number(16, UInt64.self), epoch: bytes.number(24, UInt64.self),
      created: bytes.number(32, Int64.self), refusesWhenFull: bytes[40] == 1, isEncrypted: bytes[41] == 1)
    guard epoch < SpillFormat.maxCounted else { return nil }
  }

  /// Writes to 64 zeroed bytes.
  func write(to bytes: UnsafeMutableRawBufferPointer) {
    SpillPrefix.write(.store, to: bytes)
    bytes.put(directoryID, 16)
    bytes.put(epoch, 24)
    bytes.put(created, 32)
    bytes.put(UInt8(refusesWhenFull ? 1 : 0), 40)
    bytes.put(UInt8(isEncrypted ? 1 : 0), 41)
    SpillPrefix.close(bytes)
  }
}

package struct SpillSegmentHeader: Equatable {
  var directoryID: UInt64
  var epoch: UInt64
  package var number: UInt64
  var created: Int64
  /// Which codec of the user's its chunks are encoded with, see ``ChunkCodec/spilledIdentity``.
  var codec: UInt64 = 0
  /// What the rest of an encrypted segment's header says. See `Docs/Formats/EncryptedSpill.md`.
  package var encryption: Encryption?

  package struct Encryption: Equatable, Sendable {
    /// The number of the key.
    package var key: UInt32
    var salt: [UInt8]
    var proof: [UInt8]

    static let proofCount = 16
  }

  /// The size of the header, which is where the first record begins.
  package var byteCount: Int { Self.byteCount(isEncrypted: encryption != nil) }

  static func byteCount(isEncrypted: Bool) -> Int {
    isEncrypted ? SpillFormat.encryptedHeaderCount : SpillFormat.headerCount
  }

  /// `true` if this is the header of the segment of `root` with this number.
  package func isSegment(_ number: UInt64, of root: SpillRoot) -> Bool {
    self.number == number && directoryID == root.directoryID && epoch == root.epoch
  }

  /// Where the fields stand, for reading and for writing.
  private mutating func lay(_ bytes: SpillFields) {
    bytes.field(&directoryID, 16)
    bytes.field(&epoch, 24)
    bytes.field(&number, 32)
    bytes.field(&created, 40)
    bytes.field(&codec, 48)
  }

  /// Reads a header and its segment check; `nil` if the bytes are not valid.
  static func read(_ bytes: UnsafeRawBufferPointer) -> (header: SpillSegmentHeader, check: UInt32)? {
    let isEncrypted = SpillPrefix(bytes) == .known(.encryptedSegment)
    guard let check = SpillPrefix.check(isEncrypted ? .encryptedSegment : .segment, bytes) else { return nil }
    var header = SpillSegmentHeader(directoryID: 0, epoch: 0, number: 0, created: 0)
    header.lay(SpillFields(from: bytes))
    guard isEncrypted else { return (header, check) }
    guard bytes.count >= SpillFormat.encryptedHeaderCount,
      bytes.number(124, UInt32.self) == CRC32C.of(bytes.part(64, 60))
    else { return nil }
    header.encryption = Encryption(
      key: bytes.number(56, UInt32.self), salt: Array(bytes.part(64, SpillCipher.saltCount)),
      proof: Array(bytes.part(96, Encryption.proofCount)))
    return (header, check)
  }

  /// Writes to ``byteCount`` zeroed bytes. Returns the segment check.
  @discardableResult func write(to bytes: UnsafeMutableRawBufferPointer) -> UInt32 {
    SpillPrefix.write(encryption == nil ? .segment : .encryptedSegment, to: bytes)
    var header = self
    header.lay(SpillFields(to: bytes))
    guard let encryption else { return SpillPrefix.close(bytes) }
    bytes.put(encryption.key, 56)
    bytes.part(64, encryption.salt.count).copyBytes(from: encryption.salt)
    bytes.part(96, encryption.proof.count).copyBytes(from: encryption.proof)
    bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes).part(64, 60)), 124)
    return SpillPrefix.close(bytes)
  }

  /// The bytes on which the keys of an encrypted segment depend.
  var cipherContext: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    bytes.withUnsafeMutableBytes { _ = write(to: $0) }
    return Array(bytes[..<60])
  }
}

extension ChunkCodec {
  /// The codec of a segment's chunks with ids from 128 on, in its header: a digest of the codec's identity (FNV-1a,
  /// 64 bits). 0 if the identity is the codec's number alone, which each record has.
  var spilledIdentity: UInt64 {
    let identity = identity
    guard !(self is any LibraryCodec), identity != [id] else { return 0 }
    let digest = ([id] + identity).reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return max(1, digest)
  }
}

/// Bytes that a function with a layout fills fields from, or writes them to.
struct SpillFields {
  private let bytes: UnsafeMutableRawBufferPointer
  private let writes: Bool

  init(from bytes: UnsafeRawBufferPointer) { (self.bytes, writes) = (.init(mutating: bytes), false) }

  init(to bytes: UnsafeMutableRawBufferPointer) { (self.bytes, writes) = (bytes, true) }

  @inline(__always) func field<Number: FixedWidthInteger & BitwiseCopyable>(_ number: inout Number, _ offset: Int) {
    if writes { bytes.put(number, offset) } else { number = UnsafeRawBufferPointer(bytes).number(offset, Number.self) }
  }
}

extension UnsafeRawBufferPointer {
  /// The little-endian number at an offset. The caller has checked that the offset is within the bytes.
  @inline(__always) func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _: Number.Type) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[offset..<offset + count])
  }
}

extension UnsafeMutableRawBufferPointer {
  @inline(__always) func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, _ offset: Int) {
    storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
  }

  func part(_ offset: Int, _ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self[offset..<offset + count])
  }
}
