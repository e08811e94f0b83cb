import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct SmallArrayTests {
  @Test func `it is an array in all that shows`() {
    var few = SmallArray<Int>()
    var array: [Int] = []
    for next in 0..<5 {
      #expect(Array(few) == array)
      #expect(few.count == array.count)
      #expect(few.isEmpty == array.isEmpty)
      #expect(few.first == array.first)
      #expect(few.last == array.last)
      #expect(few.indices.map { few[$0] } == array)
      few.append(next)
      array.append(next)
    }
  }

  @Test func `the last element is replaced wherever it lies`() {
    var few: SmallArray = [1]
    few.replaceLast(with: 2)
    #expect(few == [2])
    few.append(3)
    few.replaceLast(with: 4)
    #expect(few == [2, 4])
  }

  @Test func `an element that is not there traps`() async {
    await #expect(processExitsWith: .failure) { _ = SmallArray<Int>()[0] }
  }
}
