/// A cyclic redundancy check whose bits are reflected, which begins and ends with all bits inverted: those that stores keep
/// with objects.
public struct CyclicCheck: Sendable {
  private let table: [UInt64]
  private let width: Int
  private var state: UInt64

  /// CRC-32 (ISO 3309), as of gzip.
  public static let crc32 = CyclicCheck(0xedb8_8320, width: 4)
  /// CRC-32C (Castagnoli), as of iSCSI.
  public static let crc32C = CyclicCheck(0x82f6_3b78, width: 4)
  /// CRC-64/NVME, as of the NVM Express specification.
  public static let crc64NVME = CyclicCheck(0x9a6c_9329_ac4b_c9b5, width: 8)

  /// - Parameters:
  ///   - polynomial: reflected.
  ///   - width: bytes.
  private init(_ polynomial: UInt64, width: Int) {
    table = (0..<256).map { byte in
      (0..<8).reduce(UInt64(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
    }
    self.width = width
    state = .max >> UInt64(64 - 8 * width)
  }

  /// Adds `buffer` to the message.
  public mutating func update(_ buffer: UnsafeRawBufferPointer) {
    var state = state
    table.withUnsafeBufferPointer { table in
      for byte in buffer { state = state >> 8 ^ table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] }
    }
    self.state = state
  }

  /// The check of the message: 4 or 8 bytes, the highest first.
  public func finish() -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: ~state >> UInt64(8 * (width - 1 - $0))) }
  }
}
