import Foundation
import RangeIO
import Synchronization

/// Runs two tasks on different blocks, one after the other, each on a thread of its own, between marks that a recorder of
/// memory accesses can see: what both write is what two cores would fight for. `shared-lines.py` reads the record.
enum Lines {
  /// Four words, one a cache line: the first is written when the first task begins, the next when it ends, and so on.
  private struct Marks: @unchecked Sendable {
    // Unchecked: memory that only atomic stores touch. Never freed: the program ends with it.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 4 * 128, alignment: 128)

    init() { for index in 0..<4 { word(index).initialize(to: Atomic(0)) } }

    func word(_ index: Int) -> UnsafeMutablePointer<Atomic<Int>> {
      (memory + index * 128).assumingMemoryBound(to: Atomic<Int>.self)
    }

    func pass(_ index: Int) { word(index).pointee.store(1, ordering: .sequentiallyConsistent) }
  }

  /// - Parameters:
  ///   - part: how many blocks each task reads.
  ///   - batches: how often each does its work, before the marks and between them. None: only makes the files.
  @concurrent static func run(_ contender: Contender, part: Int, batches: Int) async throws {
    guard batches > 0 else { return }
    let marks = Marks()
    print("marks \(UInt(bitPattern: marks.memory))")
    fflush(nil)  // Read while this runs.
    let ready = try await contender.start(2)
    let threads = [OwnThread(), OwnThread()]
    let lanes = try await ready(2).all
    let turns = Turns()
    try await withThrowingTaskGroup { group in
      for index in [0, 1] {
        group.addTask(executorPreference: threads[index]) {
          // Both exist all the time, so that neither gets memory that was the other's.
          var walk = Walk(lane: index, of: 2, seed: 1, part: part)
          for isMarked in [false, true] {
            turns.wait(for: (isMarked ? 2 : 0) + index)
            if isMarked { marks.pass(2 * index) }
            for _ in 0..<batches { _ = try await lanes[index](&walk) }
            if isMarked { marks.pass(2 * index + 1) }
            turns.next()
          }
          // What ends with a task is not the other's work.
          turns.wait(for: 4)
        }
      }
      try await group.waitForAll()
    }
    for thread in threads { thread.end() }
  }
}

/// Who is next.
private final class Turns: @unchecked Sendable {
  // Unchecked: accessed under the condition's lock only.
  private let changed = NSCondition()
  private var turn = 0

  func wait(for turn: Int) { changed.withLock { while self.turn < turn { changed.wait() } } }

  func next() {
    changed.withLock {
      turn += 1
      changed.broadcast()
    }
  }
}
