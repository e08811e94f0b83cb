import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Hits that end before the first asynchronous call: what they owe to cancelling, closing and counting.
@Suite struct HitTests {
  private let source = SyntheticSource(byteCount: 100_000)
  private let store = MemoryStore(limit: .mebibytes(4))

  private func open() async throws -> RangeReader {
    try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
  }

  @Test func `a cancelled task gets no hit, and counts none`() async throws {
    let reader = try await open()
    _ = try await reader.read(0..<4096)
    let (before, hits) = (reader.statistics(), store.counts().hits)
    let read = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.read(0..<10)
    }
    await #expect(throws: CancellationError.self) { try await read.value }
    #expect(reader.statistics().reads == before.reads && store.counts().hits == hits)
    #expect(try await reader.isRight(0..<10))
    await reader.close()
  }

  @Test func `a task that is cancelled between hits gets no more`() async throws {
    let reader = try await open()
    _ = try await reader.read(0..<4096)
    let reads = Task {
      for _ in 0..<100 { _ = try await reader.read(0..<10) }
      withUnsafeCurrentTask { $0?.cancel() }
      return try await reader.read(0..<10)
    }
    await #expect(throws: CancellationError.self) { try await reads.value }
    await reader.close()
  }

  @Test func `a closed reader gives no hit, and another reader of the store does`() async throws {
    let (first, second) = (try await open(), try await open())
    _ = try await first.read(0..<4096)
    let reads = source.readCount
    await first.close()
    let error = await #expect(throws: ReadError.self) { try await first.read(0..<10) }
    #expect(error?.code == .closed)
    #expect(first.statistics().reads == 1)
    #expect(try await second.isRight(0..<10))
    #expect(source.readCount == reads)
    await second.close()
  }

  @Test func `each read that returned bytes is counted once, also beside closing`() async throws {
    for _ in 0..<20 {
      let reader = try await open()
      let first = try await reader.read(0..<4096).count
      let tasks = (0..<4).map { _ in
        Task {
          var (reads, bytes) = (0, 0)
          do {
            while true {
              bytes += try await reader.read(reads % 1000..<1500).count
              reads += 1
              // Hits do not suspend, and the threads are few.
              if reads % 100 == 0 { await Task.yield() }
            }
          } catch {
            #expect((error as? ReadError)?.code == .closed)
          }
          return (reads, bytes)
        }
      }
      while reader.statistics().reads < 1000 { await Task.yield() }
      await reader.close()
      var (reads, bytes) = (1, first)
      for task in tasks {
        let counted = await task.value
        (reads, bytes) = (reads + counted.0, bytes + counted.1)
      }
      let after = reader.statistics()
      #expect((after.reads, after.bytes) == (reads, bytes))
      #expect(after.cacheHits == reads - 1 || after.cacheHits == reads)
    }
  }
}
