import Testing

@testable import RangeIOTestSupport

/// Readers, versions, removals and limits around one small store, in every order that seeds find.
struct CacheSimulationTests {
  /// In four parts, for as many processors.
  @Test(arguments: 0..<4)
  func `every interleaving serves right bytes, within the limit, and leaves nothing behind`(part: Int) {
    #expect(CacheSimulation.report(part: part, of: 4).failures == [])
  }

  @Test func `a seed repeats its run to the letter`() throws {
    #expect(try CacheSimulation.repeats([3, 88, 4711]))
  }

  @Test(arguments: 0..<4)
  func `a read gets nothing that was fetched before a removal that it came after`(part: Int) {
    #expect(CacheRemovalSimulation.report(part: part, of: 4).failures == [])
  }
}
