import Testing

@testable import RangeIOTestSupport

/// Readers of several ranges and of one, through a cache and merging, with faults, cancels, removals and changes in
/// every order that seeds find.
struct MergingSimulationTests {
  @Test(arguments: 0..<2)
  func `every interleaving serves right bytes and leaves nothing behind`(part: Int) {
    #expect(MergingSimulation.report(part: part, of: 2).failures == [])
  }

  @Test func `a seed repeats its run to the letter`() throws {
    #expect(try MergingSimulation.repeats([5, 77, 2024]))
  }
}
