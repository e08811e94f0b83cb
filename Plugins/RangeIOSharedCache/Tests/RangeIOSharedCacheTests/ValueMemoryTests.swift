#if SharedCache
  import Testing

  @testable import RangeIOSharedCache

  @Suite(.serialized) struct ValueMemoryTests {
    @Test func `memory is used again, by one value at a time`() {
      var all: [ValueMemory] = []
      for round in 0..<3 {
        all = (0..<8).map { _ in ValueMemory(count: 70_000 - round) }
        #expect(Set(all.map { $0.bytes.baseAddress }).count == 8)
        for (number, one) in all.enumerated() { one.bytes.initializeMemory(as: UInt8.self, repeating: UInt8(number)) }
        for (number, one) in all.enumerated() {
          #expect(one.bytes.count == 70_000 - round && one.bytes.allSatisfy { $0 == UInt8(number) })
        }
        all = []
      }
    }

    @Test func `no more than a few megabytes are kept`() {
      var all = (1...200).map { ValueMemory(count: $0 * 1000) }
      all.append(ValueMemory(count: 2 * ValueMemory.maxFree))
      all.append(ValueMemory(count: 0))
      all = []
      #expect(ValueMemory.freeByteCount <= ValueMemory.maxFree)
    }
  }
#endif
