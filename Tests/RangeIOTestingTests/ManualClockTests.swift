import RangeIOTesting
import Synchronization
import Testing

struct ManualClockTests {
  private let clock = ManualClock()

  /// Waits until so many sleep, giving way to them.
  private func sleepers(_ count: Int) async {
    while clock.sleeperCount < count { await Task.yield() }
  }

  @Test func `time stands still until it is moved`() async throws {
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    await sleepers(1)
    #expect(clock.nextWake?.offset == .seconds(10))
    clock.advance(by: .seconds(9))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    try await sleeper.value
    #expect(clock.now.offset == .seconds(10))
    #expect(clock.nextWake == nil)
  }

  @Test func `a deadline that has passed does not wait`() async throws {
    clock.advance(by: .seconds(5))
    try await clock.sleep(until: .init(offset: .seconds(5)), tolerance: nil)
    try await clock.sleep(until: .init(offset: .seconds(1)), tolerance: nil)
  }

  @Test func `time does not run backwards`() {
    clock.advance(by: .seconds(5))
    clock.advance(to: .init(offset: .seconds(1)))
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `a cancelled sleep throws at once and is forgotten`() async throws {
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    await sleepers(1)
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(for: .seconds(10))
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(clock.sleeperCount == 0)
  }
}
