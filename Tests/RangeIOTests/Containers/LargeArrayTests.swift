import Testing

@testable import RangeIO

@Suite struct LargeArrayTests {
  @Test func `many elements lie at a multiple of two mebibytes, and few have no such address`() {
    let few = LargeArray<UInt64>(count: 1000, repeating: 1)
    #expect(few.mappedAddress == 0)
    let many = LargeArray<UInt64>(count: 1 << 18, repeating: 7)
    #expect(many.mappedAddress > 0 && many.mappedAddress % (2 << 20) == 0)
    #expect(many[0] == 7 && many[many.count - 1] == 7)
  }
}
