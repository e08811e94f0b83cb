import Testing

@testable import RangeIO

/// What sources hold, with one bound for all.
@Suite struct SourceMemoryTests {
  private let room = MemoryRoom { nil }

  private func memory(_ limit: Int) -> SourceMemory { SourceMemory(limit: .bytes(limit), room: room) }

  @Test func `the oldest are dropped, and what is held again counts as new`() {
    let memory = memory(10_000)
    let dropped = Locked<[Int]>([])
    let parts = (0..<5).map { number in
      SourceMemory.Part(in: memory) { dropped.withLock { $0.append(number) } }
    }
    for part in parts[..<3] { part.hold(2500) }
    #expect(dropped.withLock { $0 }.isEmpty)
    #expect(memory.byteCount > 7500 && memory.byteCount == room.heldByteCount)
    parts[0].hold(2600)
    parts[3].hold(2500)
    #expect(dropped.withLock { $0 } == [1])
    // Those that were dropped may hold some again.
    parts[1].hold(100)
    parts[4].hold(2500)
    #expect(dropped.withLock { $0 } == [1, 2])
    parts[4].hold(9000)
    #expect(dropped.withLock { $0 } == [1, 2, 0, 3, 1])
    parts[2].hold(20_000)
    #expect(dropped.withLock { $0 } == [1, 2, 0, 3, 1, 4, 2])
    #expect(memory.byteCount == 0 && room.heldByteCount == 0)
  }

  @Test func `what ends gives back what it held`() {
    let memory = memory(10_000)
    for _ in 0..<100 {
      let part = SourceMemory.Part(in: memory) { Issue.record("there is room") }
      part.hold(3000)
      part.hold(5000)
      withExtendedLifetime(part) {}
    }
    let empty = SourceMemory.Part(in: memory) { Issue.record("it holds nothing") }
    for _ in 0..<2 {
      empty.hold(1000)
      empty.hold(0)
      #expect(memory.byteCount == 0 && room.heldByteCount == 0)
    }
  }

  @Test func `however often they hold, the order stays`() {
    let memory = memory(10_000)
    let dropped = Locked<[Int]>([])
    let parts = (0..<4).map { number in
      SourceMemory.Part(in: memory) { dropped.withLock { $0.append(number) } }
    }
    for part in parts { part.hold(1000) }
    for round in 0..<100 {
      if round % 10 == 0 { SourceMemory.Part(in: memory) {}.hold(100) }
      // The last one holds twice in a row.
      parts[round % 3 == 0 ? 2 : 3].hold(1000)
    }
    #expect(memory.byteCount == 4 * 1512 && room.heldByteCount == memory.byteCount)
    parts[3].hold(6000)
    #expect(dropped.withLock { $0 } == [0])
    parts[2].hold(4000)
    #expect(dropped.withLock { $0 } == [0, 1, 3] && memory.byteCount == 4512)
  }

  @Test func `many small parts are bounded by what they take themselves`() {
    let memory = memory(100_000)
    let parts = (0..<1000).map { _ in SourceMemory.Part(in: memory) {} }
    for part in parts { part.hold(1) }
    #expect(memory.byteCount <= 100_000 && memory.byteCount > 90_000)
    withExtendedLifetime(parts) {}
    #expect(room.heldByteCount == memory.byteCount)
  }
}
