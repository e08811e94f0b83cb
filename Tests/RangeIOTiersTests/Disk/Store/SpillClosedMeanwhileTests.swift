import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A removal that meets the end of its store.
@Suite struct SpillClosedMeanwhileTests {
  @Test func `a removal that was begun before the store forgot everything does nothing`() throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<4 { source.put(block, in: store) }
    let slot = try #require(store.state.withLock { $0.sources.binding(of: source.token.number)?.slot })
    store.state.withLock { $0.sources[slot].removals += 1 }
    // As closing does, in between.
    let forgotten = store.state.withLock { state in
      (state.isClosed, state.isGivenUp) = (true, true)
      return state.forgetAll(store.ledger)
    }
    store.erase(0..<4, slot)
    store.erase(0..<100_000, slot)
    withExtendedLifetime(forgotten) {}
    #expect(store.isEmpty)
  }
}
