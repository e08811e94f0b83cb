import Testing

@testable import RangeIOTestSupport

/// Closing, cancelling, removing, resizing, flushing and a full disk, in all pairs at any points of reads.
struct HangTests {
  /// In two parts, for as many processors.
  @Test(arguments: 0..<2) func `nothing waits for longer than it may, whatever two things meet`(part: Int) {
    let report = HangSimulation.report(part: part, of: 2)
    print(report)
    #expect(report.failures == [])
  }

  @Test func `there is a pair of each with each`() { #expect(HangSimulation.pairs.count == 21) }

  @Test func `a seed repeats its run to the letter`() throws { #expect(try HangSimulation.repeats([3, 88, 4711])) }
}
