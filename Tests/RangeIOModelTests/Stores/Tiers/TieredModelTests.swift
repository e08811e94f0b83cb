import Testing

@testable import RangeIOTestSupport

/// Random operations on two tiers that are always full, against a table of what may be found, of which version.
@Suite struct TieredModelTests {
  @Test func `random operations on two tiers find nothing wrong, removed or too old, and lose no account`() {
    let report = TieredModel.report()
    print(report)
    #expect(report.failures == [])
  }

  @Test func `a resize ends when reads have given back what they reserved, and the segments that they keep`() {
    // In this history one ended before.
    #expect(TieredModel(seed: 442).run(operations: 1000) == nil)
  }

  @Test(arguments: [129, 278])
  func `a history that went wrong goes right`(seed: UInt64) {
    // 129: what was on its way when a limit for idle chunks was set began to be idle when it arrived. 278: a chunk of two
    // pieces came back above while the first was found not to shrink, and the second stayed in both tiers.
    #expect(TieredModel(seed: seed).run(operations: 2000) == nil)
  }
}
