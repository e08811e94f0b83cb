#if Encrypted
  import RangeIOEncrypted

  @testable import RangeIO
  @testable import RangeIOTestSupport
  @testable import RangeIOTiers

  /// A key of one byte, repeated.
  func testKey(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

  extension EncryptionKeys {
    /// A key for each number, made from it.
    init(_ numbers: UInt32..., current: UInt32) throws {
      try self.init(Dictionary(uniqueKeysWithValues: numbers.map { ($0, testKey(UInt8($0))) }), current: current)
    }
  }

  /// A spill directory on a simulated disk that is encrypted.
  func EncryptedSpill(
    _ keys: EncryptionKeys? = nil, _ change: (inout SpillStore.Configuration) -> Void = { _ in }
  ) throws -> SimulatedSpill {
    let keys = try keys ?? EncryptionKeys(1, current: 1)
    return SimulatedSpill {
      $0.encryption = .key(keys)
      change(&$0)
    }
  }
#endif
