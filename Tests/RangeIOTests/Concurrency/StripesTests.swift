import Foundation
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct StripesTests {
  /// Runs `body` on threads of its own, and waits for all of them.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        body(number)
        group.leave()
      }
      thread.start()
    }
    await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
  }

  private final class Counters: Sendable {
    let stripes = Stripes()
  }

  @Test func `every addition of every thread counts, each counter by itself`() async {
    let counters = Counters()
    await onThreads(20) { number in
      for step in 0..<5000 {
        counters.stripes.add(1)
        counters.stripes.add(step & 1 == 0 ? 2 : -2, to: 1)
        counters.stripes.addInOrder(number, to: 15)
      }
    }
    #expect(counters.stripes.sum() == 100_000)
    #expect(counters.stripes.sum(1) == 0)
    #expect(counters.stripes.sum(15) == 190 * 5000)
    #expect((2..<15).allSatisfy { counters.stripes.sum($0) == 0 })
  }

  @Test func `what one thread adds another may take away`() async {
    let counters = Counters()
    await onThreads(2) { number in for _ in 0..<50_000 { counters.stripes.add(number == 0 ? 1 : -1) } }
    #expect(counters.stripes.sum() == 0)
    // Sums that overflow wrap, as counters of bytes do after some time.
    counters.stripes.add(.max)
    counters.stripes.add(1)
    #expect(counters.stripes.sum() == .min)
  }

  @Test func `a gate of many threads drains once all of them have left, and not before`() async throws {
    for _ in 0..<20 {
      let gate = ShutdownGate()
      let inside = Tally()
      let entered = Tally()
      async let threads: Void = onThreads(8) { number in
        for step in 0..<2000 {
          guard gate.enter() else { return }
          inside.change(by: 1)
          entered.change(by: 1)
          if number == 0, step == 300 { #expect(gate.close()) }
          inside.change(by: -1)
          gate.leave()
        }
      }
      try await gate.drained()
      #expect(inside.now == 0)
      await threads
      #expect(gate.uses == 0)
      #expect(!gate.enter())
      #expect(entered.now >= 301)
    }
  }

  @Test func `a gate is not taken for drained while uses move from thread to thread`() async throws {
    let gate = ShutdownGate()
    #expect(gate.enter())
    #expect(gate.close())
    let over = Promise<Void>()
    let jobs = JobCount()
    let drained = Task(executorPreference: jobs) {
      try await gate.drained()
      over.resolve(.success(()))
    }
    jobs.run()
    #expect(gate.waiterCount == 1)
    let turns = Turns()
    // The use inside begins others on one thread, which end on another; a third keeps looking whether all have left.
    await onThreads(4) { number in
      switch number {
      case 0:
        for _ in 0..<10_000 {
          gate.enterAgain()
          turns.give()
        }
        turns.end()
      case 1: while turns.take() { gate.leave() }
      default: for _ in 0..<10_000 where gate.enter() { Issue.record("entered a closed gate") }
      }
    }
    jobs.run()
    #expect(!over.isAnswered)
    gate.leave()
    jobs.run()
    try await drained.value
  }

  /// Hands turns from one thread to another.
  private final class Turns: Sendable {
    private let state = Locked((given: 0, isOver: false))

    func give() { state.withLock { $0.given += 1 } }
    func end() { state.withLock { $0.isOver = true } }

    /// Waits for a turn; false when there are no more.
    func take() -> Bool {
      while true {
        let taken = state.withLock { state -> Bool? in
          if state.given == 0 { return state.isOver ? false : nil }
          state.given -= 1
          return true
        }
        if let taken { return taken }
      }
    }
  }
}
