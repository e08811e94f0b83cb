import RangeIOTesting
import Testing

/// Random operations through all stages that wait, limit and try again.
struct StagesModelTests {
  @Test func `with faults and cancellations every byte is right, and all that was lent comes back`() throws {
    let operations = 2000
    let first = TestScale.firstSeed
    let count = max(4, TestScale.stress / operations / (TestScale.isStress ? 1 : 2))
    var totals = StagesTally()
    for seed in first..<first + count {
      totals.add(
        try Simulation.run(seed: UInt64(seed)) { try await StagesModel($0, operations: operations).run() })
    }
    print("\(count) seeds of \(operations) operations from seed \(first): \(totals)")
    // What never happened proves nothing.
    #expect(totals.right > totals.operations / 2)
    #expect(totals.cancelled > totals.operations / 50)
    #expect(totals.failed > totals.operations / 100)
    #expect(totals.timedOut > count)
    #expect(totals.closed > count / 4)
    #expect(totals.faults > totals.operations / 50)
    for figure in ["retries", "recovered", "given up", "second tries", "second tries that won", "waited", "corrupted"] {
      #expect(totals.figures[figure, default: 0] > count, "\(figure)")
    }
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
