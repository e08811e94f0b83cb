import RangeIOTesting
import Synchronization
import Testing

struct ManualClockTests {
  private let clock = ManualClock()

  @Test func `time stands still until it is moved`() async throws {
    let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
    await clock.untilSleepers(1)
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
    await clock.untilSleepers(1)
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
    let early = Task {
      // Cancelled already when it comes to sleep.
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(10))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a test can wait until as many sleep as it wants`() async throws {
    await clock.untilSleepers(0)
    let waiting = Task { await clock.untilSleepers(3) }
    let sleepers = (1...3).map { number in Task { try await clock.sleep(for: .seconds(number)) } }
    await waiting.value
    #expect(clock.sleeperCount == 3)
    clock.advance(by: .seconds(3))
    for sleeper in sleepers { try await sleeper.value }
  }
}
