import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct WritableBytesTests {
  @Test func `what is written becomes bytes at the same address`() {
    let buffer = WritableBytes(inline: 8)
    for index in 0..<8 { buffer.memory[index] = UInt8(index) }
    #expect(Array(buffer.filled(3)) == [0, 1, 2])
    let bytes = buffer.bytes(5)
    #expect(Array(bytes) == [0, 1, 2, 3, 4])
    #expect(bytes.backingByteCount == 8)
    #expect(bytes.withUnsafeBytes { $0.baseAddress } == UnsafeRawPointer(buffer.base))
    #expect(buffer.bytes(0).backingByteCount == 0)
  }

  @Test func `more bytes than the buffer holds trap`() async {
    await #expect(processExitsWith: .failure) { print(WritableBytes(inline: 8).bytes(9)) }
  }
}
