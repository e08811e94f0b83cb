import RangeIOTesting
import Testing

/// Random operations through all stages that wait, limit and try again.
struct StagesModelTests {
  /// The seeds in four parts, for as many processors.
  @Test(arguments: 0..<4)
  func `with faults and cancellations every byte is right, and all that was lent comes back`(part: Int) throws {
    let operations = 1000
    let count = TestScale.isStress ? max(4, TestScale.stress / operations) : 4
    let seeds = stride(from: TestScale.firstSeed + part, to: TestScale.firstSeed + count, by: 4)
    var totals = StagesTally()
    for seed in seeds {
      totals.add(
        try Simulation.run(seed: UInt64(seed)) { try await StagesModel($0, operations: operations).run() })
    }
    print("seeds \(Array(seeds.prefix(3)))… to \(TestScale.firstSeed + count) of \(operations) operations: \(totals)")
    // What never happened proves nothing.
    #expect(totals.right > totals.operations / 2)
    #expect(totals.cancelled > totals.operations / 50)
    #expect(totals.failed > totals.operations / 200)
    #expect(totals.faults > totals.operations / 50)
    for figure in ["retries", "recovered", "second tries", "second tries that won", "waited", "corrupted"] {
      #expect(totals.figures[figure, default: 0] > 0, "\(figure)")
    }
    guard count >= 100 else { return }
    #expect(totals.timedOut > count / 10)
    #expect(totals.closed > count / 10)
    #expect(totals.figures["given up", default: 0] > count / 10)
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
