import RangeIO

/// Encrypts and decrypts the records of one segment, as `Docs/Formats/EncryptedSpill.md` says. A class, since each hit of the
/// segment holds it.
package final class SpillCipher: Sendable {
  private let keys: any DiskKeys
  private let header: SpillSegmentHeader.Encryption
  /// The bytes of the segment's header that its keys depend on.
  private let context: [UInt8]
  private let records: any DiskCiphers

  package static let tagCount = 16
  package static let saltCount = 32
  /// The bytes by which a footer's payload is longer.
  static let footerOverhead = saltCount + tagCount

  /// The keys of a segment that was read; `nil` if its key is not there, or another one.
  convenience init?(_ header: SpillSegmentHeader, _ encryption: DiskEncryption) {
    guard let sealed = header.encryption else { return nil }
    self.init(header, sealed, encryption)
    guard records.proof == sealed.proof else { return nil }
  }

  private init?(_ header: SpillSegmentHeader, _ sealed: SpillSegmentHeader.Encryption, _ encryption: DiskEncryption) {
    (keys, self.header) = (encryption.keys, sealed)
    context = header.cipherContext
    guard
      let records = keys.ciphers(
        key: sealed.key, salt: sealed.salt, context: Array("RIOSPILL records".utf8) + context),
      records.proof.count == SpillSegmentHeader.Encryption.proofCount
    else { return nil }
    self.records = records
  }

  /// Completes the header of a new segment, and returns its keys; `nil` if the current key is not there.
  static func begin(_ header: inout SpillSegmentHeader, _ encryption: DiskEncryption) -> SpillCipher? {
    header.encryption = .init(key: encryption.keys.current, salt: randomSalt(), proof: [])
    guard let sealed = header.encryption, let made = SpillCipher(header, sealed, encryption) else { return nil }
    header.encryption?.proof = made.records.proof
    return made
  }

  /// 32 bytes from the system's generator. Not from the configuration's, which tests make predictable.
  package static func randomSalt() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<saltCount / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
  }

  // MARK: records

  /// Encrypts the payload of a record, and notes it in the record.
  func encrypt(
    _ record: inout SpillRecord, _ plain: UnsafeRawBufferPointer, at offset: Int, of identity: [UInt8],
    into payload: UnsafeMutableRawBufferPointer
  ) -> Bool {
    record.stored = UInt32(payload.count)
    let context = Self.context(of: record, at: offset, identity)
    guard records.encrypt(plain, number: record.sequence, context: context, into: payload) else { return false }
    record.describe(UnsafeRawBufferPointer(payload))
    return true
  }

  /// Decrypts a payload. Returns `nil` unless it is exactly that of this record, at this place, of this source.
  ///
  /// - Parameter payload: behind the header of the record, whose last bytes are overwritten.
  func decrypt(
    _ record: SpillRecord, _ payload: UnsafeRawBufferPointer, at offset: Int, of identity: [UInt8]
  ) -> Bytes? {
    guard payload.count > Self.tagCount, let base = payload.baseAddress else { return nil }
    let context = Self.context(of: record, at: offset, identity)
    let sealed = UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(mutating: base - Self.roomCount), count: Self.roomCount + payload.count)
    let plain = records.decrypt(sealed, number: record.sequence, context: context)
    return plain?.count == payload.count - Self.tagCount ? plain : nil
  }

  /// The bytes before what is decrypted that may be overwritten.
  private static let roomCount = 12

  /// What the tag of a record protects besides its payload.
  private static func context(of record: SpillRecord, at offset: Int, _ identity: [UInt8]) -> [UInt8] {
    let fixed = SpillRecord.protectedCount
    return [UInt8](unsafeUninitializedCapacity: fixed + 8 + identity.count) { bytes, count in
      let memory = UnsafeMutableRawBufferPointer(bytes)
      record.writeProtected(to: memory.part(0, fixed))
      memory.put(UInt64(offset), fixed)
      memory.part(fixed + 8, identity.count).copyBytes(from: identity)
      count = memory.count
    }
  }

  /// Masks the header of a record, or takes the mask off.
  func mask(_ header: UnsafeMutableRawBufferPointer, sequence: UInt64) {
    let mask = records.mask(sequence)
    for (index, place) in SpillRecord.maskedPlaces.enumerated() { header[place] ^= mask[index] }
  }

  // MARK: the footer

  /// Encrypts a footer's payload under a key of its own, since another process may write it than the segment.
  func encryptFooter(
    _ record: inout SpillRecord, _ plain: UnsafeRawBufferPointer, at offset: Int,
    into payload: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let salt = Self.randomSalt()
    record.stored = UInt32(payload.count)
    let context = Self.context(of: record, at: offset, [])
    guard let ciphers = footerCiphers(salt),
      case let rest = payload.part(Self.saltCount, payload.count - Self.saltCount),
      ciphers.encrypt(plain, number: 0, context: context, into: rest)
    else { return false }
    payload.part(0, Self.saltCount).copyBytes(from: salt)
    record.describe(UnsafeRawBufferPointer(payload))
    return true
  }

  /// The plain payload of a footer; `nil` if it is not the one of this segment at this place.
  func decryptFooter(_ record: SpillRecord, _ payload: UnsafeRawBufferPointer, at offset: Int) -> Bytes? {
    guard payload.count > Self.footerOverhead, let ciphers = footerCiphers(Array(payload.part(0, Self.saltCount)))
    else { return nil }
    let context = Self.context(of: record, at: offset, [])
    var sealed = [UInt8](repeating: 0, count: Self.roomCount) + payload[Self.saltCount...]
    return sealed.withUnsafeMutableBytes { ciphers.decrypt($0, number: 0, context: context) }
  }

  private func footerCiphers(_ salt: [UInt8]) -> (any DiskCiphers)? {
    keys.ciphers(
      key: header.key, salt: salt, context: Array("RIOSPILL footers".utf8) + context + header.salt)
  }
}
