import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A directory whose opening is cancelled can be opened again at once.
@Suite struct SpillCancelledOpeningTests {
  @Test func `an opening that is cancelled gives the lock back before it says so`() async throws {
    // One that has not begun to wait when it is cancelled may have the store all the same.
    for _ in 0..<100 where try await isGivenBack() { return }
    Issue.record("no opening was cancelled")
  }

  /// Whether an opening that was cancelled said so, and could be followed by another at once.
  private func isGivenBack() async throws -> Bool {
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
    do {
      try await opening.value.close()
      return false
    } catch is CancellationError {
      spill.disk.faults = .none
      let store = try await spill.open()
      try await store.close()
      return true
    }
  }
}
