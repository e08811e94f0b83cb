import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Bytes whose last use is the one under test: under optimisation nothing else keeps their memory. The memory is
/// overwritten when it is freed, so that a use too late shows even without a sanitizer.
@Suite struct BytesLifetimeTests {
  private final class Fleeting: @unchecked Sendable {
    // Unchecked: written in `init` and `deinit` only.
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    init() { memory.initializeMemory(as: UInt8.self, repeating: 7) }
    deinit {
      memory.initializeMemory(as: UInt8.self, repeating: 0xDD)
      memory.deallocate()
    }
    var bytes: Bytes { Bytes(unsafeNoCopy: UnsafeRawBufferPointer(memory), owner: self) }
  }

  @inline(never) private func piece() -> Bytes { Fleeting().bytes }
  @inline(never) private func rope() -> Bytes { Bytes(concatenating: [piece(), piece()]) }

  private func firstOfIterator(_ bytes: consuming Bytes) -> UInt8? {
    var iterator = bytes.makeIterator()
    return iterator.next()
  }

  @Test func `the last use of bytes still finds their memory`() {
    for make in [piece, rope] {
      #expect(firstOfIterator(make()) == 7)
      #expect(make().first == 7)
      #expect(make()[63] == 7)
      #expect(make().last == 7)
      #expect(make().integer(at: 60, as: UInt32.self, .bigEndian) == 0x0707_0707)
      #expect(make().reduce(true) { $0 && $1 == 7 })
      #expect(make() == make())
      #expect(Array(make()).allSatisfy { $0 == 7 })
      #expect(make().slice(60..<64).withUnsafeBytes { $0.allSatisfy { $0 == 7 } })
      #expect(Array(make().slice(1..<3).compacted()) == [7, 7])
      #expect(make().hashValue == make().hashValue)
      var sum = 0
      for byte in make() { sum += Int(byte) }
      #expect(sum == make().count * 7)
    }
  }
}
