import CBenchmarkPeers
import Synchronization

/// A contender that answers reads at random offsets from an async function.
protocol PointReader: Sendable {
  /// Reads `count` bytes at `offset` into memory that is new to the caller, and says what came.
  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece
}

/// What every run looks at in every piece that it gets.
struct Piece: Sendable {
  var count: Int
  /// The first eight bytes, little-endian: those of the file are known by formula. Nil where nobody looked.
  var firstWord: UInt64?

  func check(at offset: Int, count expected: Int) throws {
    guard count == expected, firstWord.map({ $0 == bench_word(UInt64(offset) / 8) }) ?? true else {
      throw WrongBytes(offset: offset, expected: expected, got: count)
    }
  }
}

/// Hands out the numbers of reads to those who read at once, as the counter of the C peer does, so that the work ends
/// for all of them at the same time.
final class Tickets: Sendable {
  private let next = Atomic<Int>(0)

  /// The first of the next `count` numbers.
  func take(_ count: Int = 1) -> Int { next.wrappingAdd(count, ordering: .relaxed).oldValue }
}

extension PointReader {
  /// Does the reads of a job off the main actor: in a plain loop, or in as many tasks as shall be under way at once.
  ///
  /// Generic, so that no contender pays for a dynamic call that its user would not make.
  @concurrent func run(_ offsets: [Int], _ size: Int, _ concurrency: Int) async throws -> Outcome {
    try await Self.run([self], offsets, size, concurrency, batch: 1)
  }

  /// The same for what answers from memory, where a counter that two cores fight for would cost as much as a read:
  /// tasks draw many offsets at once.
  ///
  /// - Parameter readers: the tasks take turns at these: one for all, or as many as there are tasks.
  @concurrent static func runInMemory(
    _ readers: [Self], _ offsets: [Int], _ size: Int, _ concurrency: Int
  ) async throws -> Outcome {
    try await run(readers, offsets, size, concurrency, batch: max(1, min(256, offsets.count / (16 * concurrency))))
  }

  private static func run(
    _ readers: [Self], _ offsets: [Int], _ size: Int, _ concurrency: Int, batch: Int
  ) async throws -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    if concurrency == 1 {
      let reader = readers[0]
      for offset in offsets { try await reader.read(at: offset, count: size).check(at: offset, count: size) }
    } else {
      let tickets = Tickets()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<concurrency {
          let reader = readers[task % readers.count]
          group.addTask {
            while true {
              let first = tickets.take(batch)
              guard first < offsets.count else { return }
              for offset in offsets[first..<min(first + batch, offsets.count)] {
                try await reader.read(at: offset, count: size).check(at: offset, count: size)
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    return Outcome(elapsed: clock.now - start)
  }
}
