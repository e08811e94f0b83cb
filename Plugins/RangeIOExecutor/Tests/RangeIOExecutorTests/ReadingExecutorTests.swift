import Dispatch
import Foundation
import Synchronization
import Testing

@testable import RangeIOExecutor

struct ReadingExecutorTests {
  @Test func `tasks and their children run on its threads, and others do not`() async {
    let executor = ReadingExecutor()
    #expect(!isOnExecutor)
    await withTaskExecutorPreference(executor) {
      #expect(isOnExecutor)
      async let child = isOnExecutor
      #expect(await child)
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<100 { group.addTask { isOnExecutor } }
        for await isThere in group { #expect(isThere) }
      }
      #expect(await Task { isOnExecutor }.value == false)
      #expect(await MainActor.run { isOnExecutor } == false)
      #expect(isOnExecutor)
    }
    #expect(!isOnExecutor)
  }

  @Test(.timeLimit(.minutes(5))) func `a thread that waits starves no task while there are threads`() async {
    let executor = ReadingExecutor(maxThreads: 40, width: 1)
    let (ready, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    await withTaskGroup(of: Void.self) { group in
      // Each waits for the last.
      for _ in 0..<39 {
        group.addTask(executorPreference: executor) {
          ReadingExecutor.Worker.current!.waiting {
            ready.signal()
            go.wait()
          }
        }
      }
      group.addTask(executorPreference: executor) {
        ReadingExecutor.Worker.current!.waiting { for _ in 0..<39 { ready.wait() } }
        #expect(executor.threadCount == 40)
        for _ in 0..<39 { go.signal() }
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func `beyond the limit tasks wait for a thread, and all get one`() async {
    let executor = ReadingExecutor(maxThreads: 3, width: 2)
    let tally = Tally()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<500 {
        group.addTask(executorPreference: executor) {
          tally.begin()
          ReadingExecutor.Worker.current!.waiting { _ = sched_yield() }
          tally.end()
          await Task.yield()
        }
      }
    }
    #expect(tally.most.load(ordering: .relaxed) <= 3)
    #expect(executor.threadCount <= 3)
  }

  @Test(.timeLimit(.minutes(5))) func `a task that suspends goes on, whichever thread resumes it`() async {
    let executor = ReadingExecutor(maxThreads: 4, width: 1)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask(executorPreference: executor) {
          for _ in 0..<20 {
            await withCheckedContinuation { continuation in
              DispatchQueue.global().async { continuation.resume() }
            }
            #expect(isOnExecutor)
          }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func `where no thread can be started the work is done all the same`() async {
    let executor = ReadingExecutor(maxThreads: 4, width: 2) { _, _ in -11 }
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<100 { group.addTask(executorPreference: executor) { number } }
      return await group.reduce(0, +)
    }
    #expect(sum == 4950)
    #expect(executor.threadCount == 0)
  }

  @Test(.timeLimit(.minutes(5))) func `a task that is under way keeps its executor`() async {
    let (ready, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    func start() -> Task<Bool, Never> {
      Task(executorPreference: ReadingExecutor(maxThreads: 1)) {
        ReadingExecutor.Worker.current!.waiting {
          ready.signal()
          go.wait()
        }
        await Task.yield()
        return isOnExecutor
      }
    }
    let task = start()
    await Task.detached { ready.wait() }.value
    go.signal()
    #expect(await task.value)
  }
}

/// The number of jobs under way, and the most there were at once.
private final class Tally: Sendable {
  private let now = Atomic<Int>(0)
  let most = Atomic<Int>(0)

  func begin() { most.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed) }
  func end() { now.subtract(1, ordering: .relaxed) }
}
