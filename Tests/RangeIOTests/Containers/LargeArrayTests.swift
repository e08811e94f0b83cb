import Testing

@testable import RangeIO

@Suite struct LargeArrayTests {
  @Test func `many elements lie at a multiple of two mebibytes`() {
    let many = LargeArray<UInt64>(count: 1 << 18, repeating: 7)
    #expect(UInt(bitPattern: many.elements) % (2 << 20) == 0)
    #expect(many[0] == 7 && many[many.count - 1] == 7)
  }
}
