import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite(.simulated) struct ShutdownGateTests {
  @Test func `uses are counted until the gate is closed, and none enters after`() {
    let gate = ShutdownGate()
    #expect(gate.enter())
    #expect(gate.enter())
    #expect(gate.uses == 2)
    #expect(!gate.isClosed)
    #expect(gate.close())
    #expect(gate.isClosed)
    #expect(!gate.enter())
    #expect(gate.uses == 2, "the one refused is not counted")
    gate.leave()
    gate.leave()
    #expect(gate.uses == 0)
    #expect(gate.isClosed)
  }

  @Test func `only the first close counts`() {
    let gate = ShutdownGate()
    #expect(gate.close())
    #expect(!gate.close())
  }

  @Test func `a use under way may begin another after the gate is closed`() async throws {
    let gate = ShutdownGate()
    _ = gate.enter()
    _ = gate.close()
    gate.enterAgain()
    gate.leave()
    #expect(gate.uses == 1)
    let drained = Drain(gate)
    #expect(!drained.isOver)
    gate.leave()
    try await drained.end()
  }

  @Test func `draining waits for the last use`() async throws {
    let gate = ShutdownGate()
    _ = gate.enter()
    _ = gate.enter()
    let drained = Drain(gate)
    _ = gate.close()
    gate.leave()
    #expect(!drained.isOver)
    gate.leave()
    try await drained.end()
  }

  @Test func `draining a closed and empty gate returns at once`() async throws {
    let gate = ShutdownGate()
    _ = gate.close()
    try await gate.drained()
    try await gate.drained()
  }

  @Test func `draining that began before an unused gate is closed ends with the closing`() async throws {
    let gate = ShutdownGate()
    let drained = Drain(gate)
    await quiet()
    #expect(gate.waiterCount == 1)
    #expect(!drained.isOver)
    _ = gate.close()
    try await drained.end()
  }

  @Test func `any number wait, and one that is cancelled leaves nothing behind`() async throws {
    let gate = ShutdownGate()
    _ = gate.enter()
    _ = gate.close()
    let all = (0..<10).map { _ in Drain(gate) }
    await quiet()
    #expect(gate.waiterCount == 10)
    all[3].task.cancel()
    await #expect(throws: CancellationError.self) { try await all[3].end() }
    #expect(gate.waiterCount == 9)
    gate.leave()
    for (index, drained) in all.enumerated() where index != 3 { try await drained.end() }
    #expect(gate.waiterCount == 0)
  }

  @Test(.racing) func `racing uses and a close end in one drained gate`() async throws {
    for _ in 0..<300 {
      let gate = ShutdownGate()
      let inside = Tally()
      let drained = Drain(gate)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            guard gate.enter() else { return }
            inside.change(by: 1)
            await Task.yield()
            inside.change(by: -1)
            gate.leave()
          }
        }
        group.addTask { #expect(gate.close()) }
        group.addTask {
          try? await gate.drained()
          #expect(inside.now == 0)
        }
      }
      try await drained.end()
      #expect(gate.uses == 0)
    }
  }
}

/// A wait for a gate to drain.
private final class Drain: Sendable {
  let task: Task<Void, any Error>
  private let over = Promise<Void>()

  init(_ gate: ShutdownGate) {
    task = start { [over] in
      try await gate.drained()
      over.resolve(.success(()))
    }
  }

  var isOver: Bool { over.isAnswered }
  func end() async throws { try await task.value }
}
