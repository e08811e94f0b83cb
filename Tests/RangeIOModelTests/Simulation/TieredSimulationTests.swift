import Testing

@testable import RangeIOTestSupport

/// Readers, versions, removals, pressure and limits around two small tiers, in every order that seeds find.
struct TieredSimulationTests {
  /// In four parts, for as many processors.
  @Test(arguments: 0..<4)
  func `every interleaving of two tiers serves right bytes and comes to rest`(part: Int) {
    let report = TieredSimulation.report(part: part, of: 4)
    print(report)
    #expect(report.failures == [])
  }

  @Test func `a seed repeats its run of two tiers to the letter`() throws {
    #expect(try TieredSimulation.repeats([3, 88, 4711]))
  }

  @Test(arguments: 0..<4)
  func `a read gets nothing from any tier that was fetched before a removal that it came after`(part: Int) {
    #expect(TieredRemovalSimulation.report(part: part, of: 4).failures == [])
  }

  @Test func `many readers of one compressed block have it decompressed once`() {
    #expect(CrowdedBlockSimulation.report().failures == [])
  }
}
