import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct BytesIntegersTests {
  private let content: [UInt8] = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0x81) }

  /// The integer put together byte by byte.
  private func naive<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int, _ order: Bytes.ByteOrder)
    -> T
  {
    let stored = content[offset..<offset + MemoryLayout<T>.size]
    var value = T.Magnitude.zero
    for byte in order == .bigEndian ? Array(stored) : stored.reversed() { value = value << 8 | T.Magnitude(byte) }
    return T(truncatingIfNeeded: value)
  }

  private func checkEveryOffset<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) {
    for size in [1, 2, 3, 5, 7, 8, 13, 64] {
      let bytes = Bytes.cut(content, every: size)
      for offset in 0...(64 - MemoryLayout<T>.size) {
        for order in [Bytes.ByteOrder.littleEndian, .bigEndian] {
          #expect(
            bytes.integer(at: offset, as: T.self, order) == naive(T.self, at: offset, order),
            "\(T.self) at \(offset), pieces of \(size), \(order)")
        }
      }
    }
  }

  @Test func `every integer is read at every offset, in both orders, across seams`() {
    checkEveryOffset(UInt8.self)
    checkEveryOffset(Int8.self)
    checkEveryOffset(UInt16.self)
    checkEveryOffset(Int16.self)
    checkEveryOffset(UInt32.self)
    checkEveryOffset(Int32.self)
    checkEveryOffset(UInt64.self)
    checkEveryOffset(Int64.self)
    checkEveryOffset(UInt128.self)
  }

  @Test func `known bytes are known integers`() {
    let bytes: Bytes = [0x12, 0x34, 0x56, 0x78, 0xFF, 0xFE]
    #expect(bytes.integer(at: 0, as: UInt32.self, .bigEndian) == 0x1234_5678)
    #expect(bytes.integer(at: 0, as: UInt32.self, .littleEndian) == 0x7856_3412)
    #expect(bytes.integer(at: 4, as: Int16.self, .bigEndian) == -2)
    let inferred: UInt16? = bytes.integer(at: 1, .bigEndian)
    #expect(inferred == 0x3456)
  }

  @Test(arguments: [Int.min, -8, -1, 61, 62, 63, 64, 65, Int.max - 4, Int.max - 3, Int.max])
  func `an integer that does not lie within the bytes is nil`(offset: Int) {
    for bytes in [Bytes(content), .cut(content, every: 3), Bytes(content + content).slice(0..<64)] {
      #expect(bytes.integer(at: offset, as: UInt32.self, .littleEndian) == nil)
    }
  }

  @Test func `the last integer that fits is read and the next one is nil`() {
    let bytes = Bytes.cut(content, every: 5)
    #expect(bytes.integer(at: 60, as: UInt32.self, .littleEndian) != nil)
    #expect(bytes.integer(at: 61, as: UInt32.self, .littleEndian) == nil)
    #expect(Bytes([1, 2, 3]).integer(at: 0, as: UInt32.self, .littleEndian) == nil)
    #expect(Bytes().integer(at: 0, as: UInt8.self, .littleEndian) == nil)
  }

  @Test func `a slice is read from its own start`() {
    let slice = Bytes.cut(content, every: 6).slice(5..<40)
    #expect(slice.integer(at: 0, as: UInt64.self, .bigEndian) == naive(UInt64.self, at: 5, .bigEndian))
    #expect(slice.integer(at: 28, as: UInt64.self, .bigEndian) == nil)
  }
}
