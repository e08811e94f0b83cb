import Testing

@testable import RangeIOTestSupport

/// Random operations on three tiers that are always full, with restarts, against a table of what may be found.
@Suite struct SpilledModelTests {
  @Test func `random operations on three tiers find nothing wrong, removed or too old, in any life`() {
    let report = SpilledModel.report()
    print(report)
    #expect(report.failures == [])
  }
}
