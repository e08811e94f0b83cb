import Testing

@testable import RangeIOTestSupport

/// Readers around three small tiers, the last of them on a disk that fails, tears, is full, hangs, and dies, in every
/// order that seeds find.
struct SpilledSimulationTests {
  /// In four parts, for as many processors.
  @Test(arguments: 0..<4)
  func `whatever the disk does, reads are right and in time, and all comes to rest`(part: Int) {
    let report = SpilledSimulation.report(part: part, of: 4)
    print(report)
    #expect(report.failures == [])
  }

  @Test func `a seed repeats its run of three tiers to the letter`() throws {
    #expect(try SpilledSimulation.repeats([5, 77, 1234]))
  }
}
