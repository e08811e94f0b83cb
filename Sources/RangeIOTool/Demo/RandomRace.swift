import RangeIO
import Synchronization

/// Random reads against plain `pread`, one at a time and many at once, every byte compared.
struct RandomRace {
  struct Phase {
    var name: String
    var sizes: ClosedRange<Int>
    var count: Int
    var atOnce: Int
  }

  static let phases = [
    Phase(name: "random, 1 B to 4 KiB", sizes: 1...4096, count: 4000, atOnce: 1),
    Phase(name: "random, 4 KiB to 64 KiB", sizes: 4096...65_536, count: 3000, atOnce: 1),
    Phase(name: "random, 64 KiB to 1 MiB", sizes: 65_536...Demo.largestPiece.bytes, count: 1000, atOnce: 1),
    Phase(name: "random, 1 B to 1 MiB, 32 at a time", sizes: 1...Demo.largestPiece.bytes, count: 8000, atOnce: 32),
  ]

  /// Bounds what a batch of many reads keeps in memory until it is compared.
  private static let largestBatch = (reads: 512, bytes: 24 * 1024 * 1024)

  let reader: RangeReader
  let plain: PlainFile

  /// Each range by both, taking turns in who goes first, since the second finds the bytes in the processor's caches.
  func oneAtATime(_ ranges: [ByteRange], _ phase: Phase, _ report: inout DemoReport) async throws {
    var row = DemoReport.Row(name: phase.name)
    var progress = Progress(phase.name, total: ranges.reduce(0) { $0 + $1.count })
    defer { progress.clear() }
    let scratch = Scratch(Demo.largestPiece)
    let end = ContinuousClock.now + Demo.longestPhase
    for (turn, range) in ranges.enumerated() {
      if turn & 1 == 0 { row.plainTime += try timePlain(range, scratch) }
      let start = ContinuousClock.now
      let bytes = try await reader.read(range)
      row.time += ContinuousClock.now - start
      if turn & 1 == 1 { row.plainTime += try timePlain(range, scratch) }
      row.reads += 1
      row.bytes += bytes.count
      report.compared(bytes, at: range.lowerBound, with: scratch)
      progress.advance(bytes.count)
      if turn & 255 == 255, ContinuousClock.now > end { break }
    }
    report.rows.append(row)
  }

  private func timePlain(_ range: ByteRange, _ scratch: Scratch) throws -> Duration {
    let start = ContinuousClock.now
    try plain.read(range, into: scratch.buffer)
    return ContinuousClock.now - start
  }

  /// In batches: read by as many tasks, timed; compared, untimed. Then by as many plain threads, timed.
  func manyAtOnce(_ ranges: [ByteRange], _ phase: Phase, _ report: inout DemoReport) async throws {
    var row = DemoReport.Row(name: phase.name)
    var progress = Progress(phase.name, total: ranges.reduce(0) { $0 + $1.count })
    defer { progress.clear() }
    let scratch = Scratch(Demo.largestPiece)
    let end = ContinuousClock.now + Demo.longestPhase
    while row.reads < ranges.count, ContinuousClock.now < end {
      let batch = Self.batch(ranges[row.reads...])
      let start = ContinuousClock.now
      let answers = try await read(batch, atOnce: phase.atOnce)
      row.time += ContinuousClock.now - start
      for (range, bytes) in answers {
        try plain.read(range, into: scratch.buffer)
        report.compared(bytes, at: range.lowerBound, with: scratch)
        row.bytes += bytes.count
        progress.advance(bytes.count)
      }
      row.reads += batch.count
    }
    row.plainTime = try timePlain(Array(ranges[..<row.reads]), threads: phase.atOnce)
    report.rows.append(row)
  }

  private func read(_ batch: [ByteRange], atOnce count: Int) async throws -> [(ByteRange, Bytes)] {
    let next = NextIndex()
    return try await withThrowingTaskGroup(of: [(ByteRange, Bytes)].self) { group in
      for _ in 0..<count {
        group.addTask {
          var answers: [(ByteRange, Bytes)] = []
          while case let index = next.take(), index < batch.count {
            answers.append((batch[index], try await reader.read(batch[index])))
          }
          return answers
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private func timePlain(_ ranges: [ByteRange], threads: Int) throws -> Duration {
    let next = NextIndex()
    let failure = Mutex<ToolFailure?>(nil)
    let start = ContinuousClock.now
    try ThreadTeam.run(threads) { [plain] in
      let scratch = Scratch(Demo.largestPiece)
      do throws(ToolFailure) {
        while case let index = next.take(), index < ranges.count {
          try plain.read(ranges[index], into: scratch.buffer)
        }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return ContinuousClock.now - start
  }

  private static func batch(_ ranges: ArraySlice<ByteRange>) -> [ByteRange] {
    var batch: [ByteRange] = []
    var bytes = 0
    for range in ranges {
      guard batch.count < largestBatch.reads, batch.isEmpty || bytes + range.count <= largestBatch.bytes else { break }
      batch.append(range)
      bytes += range.count
    }
    return batch
  }
}

/// Hands out 0, 1, 2, … to whoever asks.
private final class NextIndex: Sendable {
  private let index = Atomic(0)
  func take() -> Int { index.wrappingAdd(1, ordering: .relaxed).oldValue }
}
