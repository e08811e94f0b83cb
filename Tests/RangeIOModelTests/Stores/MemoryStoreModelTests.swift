import Testing

@testable import RangeIOTestSupport

/// Random operations on a store that is always full, against a model that knows of every byte whether it is there.
@Suite struct MemoryStoreModelTests {
  @Test func `random operations agree with a table of bytes, and every account with a recount`() {
    let report = MemoryModel.report()
    print(report)
    #expect(report.failures == [])
  }
}
