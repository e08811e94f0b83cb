import RangeIOTesting
import Testing

@testable import RangeIOTestSupport

/// Random operations through all stages.
struct StagesModelTests {
  @Test func `with faults and cancellations every byte is right, and all that was lent comes back`() {
    let report = StagesModel.report()
    print(report)
    #expect(report.failures == [])
  }

  @Test func `a seed repeats its run to the letter`() throws {
    for seed in [5, 4711] as [UInt64] {
      let runs = try (0..<2).map { _ in
        try Simulation.run(seed: seed) { try await StagesModel($0, operations: 300).run() }
      }
      #expect(runs[0] == runs[1])
    }
  }
}
