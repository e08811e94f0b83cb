import RangeIOTesting
import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Thousands of reads, cancels and closes on real files, every byte compared, in a process of its own whose descriptors
/// and threads can be counted.
struct StressTests {
  @Test func `nothing is lost, leaked or wrong in a long run of reads, cancels and closes`() async {
    await #expect(processExitsWith: .success) { try await StressTests.check(pastPageCache: false) }
  }

  @Test func `nothing is lost, leaked or wrong in a long run past the page cache`() async {
    await #expect(processExitsWith: .success) { try await StressTests.check(pastPageCache: true) }
  }

  private static func check(pastPageCache: Bool) async throws {
    let directory = try TemporaryDirectory()
    let size = 6_000_000
    let (path, bytes) = try await directory.file(count: size)
    let expected = Bytes(bytes)
    weak var buffers: BufferPool?
    func run(_ operations: Int, seed: UInt64) async throws -> Stress.Outcomes {
      let pool = BufferPool(keeping: .mebibytes(8))
      buffers = pool
      let stress = Stress(path: path, expected: expected, pastPageCache: pastPageCache ? pool : nil)
      return try await stress.run(operations: operations, seed: seed)
    }
    _ = try await run(200, seed: 1)  // opens what stays open
    let threads = try count("/proc/self/task")
    let descriptors = try count("/proc/self/fd")
    let seed = UInt64(TestScale.firstSeed)
    let outcomes = try await run(TestScale.stress, seed: seed)
    print("seed \(seed): \(outcomes)")
    #expect(outcomes.wrong == 0)
    #expect(outcomes.right > TestScale.stress / 4)
    #expect(outcomes.cancelled > 0)
    #expect(outcomes.closed > 0)
    try await comes { try count("/proc/self/fd") <= descriptors }
    // A buffer holds its pool until it has come back.
    try await comes { buffers == nil }
    // Our threads go after a second of idleness; Dispatch keeps some of its own, for as long as it likes.
    try await comes { try IOThreads.shared.threadCount == 0 && count("/proc/self/task") <= threads + 4 }
  }
}

/// Waits until the system, in its own time and without telling, has made `condition` true. The process has nothing else
/// to do.
private func comes(_ condition: () throws -> Bool) async throws {
  for _ in 0..<6000 {
    if try condition() { return }
    try await Task.sleep(for: .milliseconds(10))
  }
  Issue.record("it has not come within a minute")
}

private func count(_ directory: String) throws -> Int {
  guard let handle = opendir(directory) else { throw ReadError(.notFound, directory) }
  defer { closedir(handle) }
  var count = -3  // ".", ".." and the descriptor that looks
  while readdir(handle) != nil { count += 1 }
  return count
}

/// A run of random operations by a handful of tasks.
private struct Stress {
  struct Outcomes {
    var right = 0
    var wrong = 0
    var cancelled = 0
    var closed = 0
  }

  let path: String
  let expected: Bytes
  /// The buffers of reads past the page cache; `nil` for reads through it, on each engine.
  let pastPageCache: BufferPool?

  func run(operations: Int, seed: UInt64) async throws -> Outcomes {
    let workers = 16
    return try await withThrowingTaskGroup(of: Outcomes.self) { group in
      for worker in 0..<workers {
        group.addTask {
          var generator = SeededGenerator(seed: seed &* 1000 &+ UInt64(worker))
          return try await work(operations / workers, &generator)
        }
      }
      var all = Outcomes()
      for try await one in group {
        all.right += one.right
        all.wrong += one.wrong
        all.cancelled += one.cancelled
        all.closed += one.closed
      }
      return all
    }
  }

  private func work(_ operations: Int, _ generator: inout SeededGenerator) async throws -> Outcomes {
    var outcomes = Outcomes()
    var done = 0
    while done < operations {
      let reader = try await reader(&generator)
      for _ in 0..<Int.random(in: 1...60, using: &generator) {
        done += 1
        let range = randomRange(&generator)
        let streams = Int.random(in: 0..<20, using: &generator) == 0
        let task = Task { streams ? try await stream(reader, range) : try await reader.read(range) == slice(range) }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: task.cancel()
        case 1:
          await Task.yield()
          task.cancel()
        case 2 where Int.random(in: 0..<10, using: &generator) == 0:
          await reader.close()
        default: break
        }
        do {
          if try await task.value { outcomes.right += 1 } else { outcomes.wrong += 1 }
        } catch is CancellationError {
          outcomes.cancelled += 1
        } catch let error as ReadError where error.code == .closed {
          outcomes.closed += 1
        }
      }
      if Bool.random(using: &generator) { await reader.close() }
    }
    return outcomes
  }

  private func reader(_ generator: inout SeededGenerator) async throws -> RangeReader {
    guard let pastPageCache else {
      return try await RangeReader(path, engine: TestEngine.cached.randomElement(using: &generator)!)
    }
    var configuration = FileSource.Configuration(engine: .direct)
    configuration.buffers = pastPageCache
    let source = FileSource(path, configuration: configuration)
    guard Int.random(in: 0..<4, using: &generator) == 0 else { return try await RangeReader(source) }
    return try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(2)))])
  }

  private func stream(_ reader: RangeReader, _ range: ByteRange) async throws -> Bool {
    var cursor = range.lowerBound
    for try await piece in reader.stream(range, chunkSize: .kibibytes(100)) {
      guard piece == slice(cursor..<cursor + piece.count) else { return false }
      cursor += piece.count
    }
    return cursor == range.upperBound
  }

  private func slice(_ range: ByteRange) -> Bytes { expected.slice(range) }

  private func randomRange(_ generator: inout SeededGenerator) -> ByteRange {
    let most = [100, 5000, 70_000, 400_000, 2_500_000].randomElement(using: &generator)!
    let start = Int.random(in: 0..<expected.count, using: &generator)
    return start..<min(expected.count, start + Int.random(in: 0...most, using: &generator))
  }
}
