import Dispatch
import Foundation
import Synchronization
import Testing

@testable import RangeIOMapped

struct DiskQueuesTests {
  @Test(.timeLimit(.minutes(15))) func `work that hangs holds up nobody else`() async throws {
    let queues = DiskQueues(count: 3)
    let disk = DispatchSemaphore(value: 0)
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          try await queues.run {
            arrived.yield()
            disk.wait()
          }
        }
      }
      var coming = arrivals.makeAsyncIterator()
      for _ in 0..<2 { await coming.next() }
      // More than there are queues, and all by way of the one that is left.
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<100 { group.addTask { try await queues.run { number } } }
        return try await group.reduce(0, +)
      }
      #expect(sum == 4950)
      for _ in 0..<2 { disk.signal() }
      try await group.waitForAll()
    }
  }

  @Test func `as much runs at once as there are queues, and all of it in the end`() async throws {
    let queues = DiskQueues(count: 4)
    let count = Counts()
    let done = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<1000 {
        group.addTask {
          try await queues.run {
            let now = count.running.add(1, ordering: .relaxed).newValue
            count.most.max(now, ordering: .relaxed)
            // Long enough for others to come beside it.
            sched_yield()
            count.running.subtract(1, ordering: .relaxed)
            return 1
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(done == 1000)
    #expect((1...4).contains(count.most.load(ordering: .relaxed)))
  }

  private final class Counts: Sendable {
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
  }
}
