import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A directory whose opening is cancelled can be opened again at once.
@Suite struct SpillCancelledOpeningTests {
  @Test func `an opening that is cancelled gives the lock back before it says so`() async throws {
    let (gate, spill) = (Gate(), SpillOnSimulatedDisk { $0.work = .threads(IOThreads(limit: 1)) })
    spill.disk.faults = .on(.names, number: 1, .delay { gate.pass() })
    let hasEnded = Tally()
    let opening = Task {
      defer { hasEnded.change(by: 1) }
      return try await spill.open()
    }
    await gate.arrival()
    opening.cancel()
    // It waits for the disk, which has the lock.
    for _ in 0..<100 { await Task.yield() }
    #expect(hasEnded.now == 0)
    gate.open()
    await #expect(throws: CancellationError.self) { _ = try await opening.value }
    spill.disk.faults = .none
    let store = try await spill.open()
    try await store.close()
  }
}
