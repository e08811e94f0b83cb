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
    let ready = try await contender.start()
    let threads = [OwnThread(), OwnThread()]
    var walks = [0, 1].map { Walk(lane: $0, of: 2, seed: 1, part: part) }
    let lanes = try await ready(2)
    for isMarked in [false, true] {
      for index in [0, 1] {
        let task = Task(executorPreference: threads[index]) { [walk = walks[index]] in
          var walk = walk
          if isMarked { marks.pass(2 * index) }
          for _ in 0..<batches { _ = try await lanes[index](&walk) }
          if isMarked { marks.pass(2 * index + 1) }
          return walk
        }
        walks[index] = try await task.value
      }
    }
    if let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) { print(maps) }
    for thread in threads { thread.end() }
  }
}
