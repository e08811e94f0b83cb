import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOTestSupport

/// Concurrent reads, streams, cancels, closes and source changes in every order that seeds find.
struct SpineSimulationTests {
  @Test(arguments: 0..<4) func `every interleaving keeps the promise`(part: Int) {
    #expect(SpineSimulation.report(part: part, of: 4).failures == [])
  }

  @Test func `a seed repeats its run to the letter`() throws {
    #expect(try SpineSimulation.repeats([1, 77, 4242]))
  }

  @Test func `a hang is reported with its seed`() {
    #expect(throws: Simulation.Hang.self) {
      try Simulation.run(seed: 9) { simulation in
        let source = GatedSource(SyntheticSource(byteCount: 100))
        let reader = try await RangeReader(source, configuration: simulation.configuration)
        _ = try await reader.read(0..<10)
      }
    }
  }
}
