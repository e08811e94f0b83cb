#if Tool
import RangeIO

/// A reader and a ``PlainFile`` do the same, in turns.
struct DemoRace {
  let reader: RangeReader
  let plain: PlainFile
  let path: String
  let engine: FileSource.Engine

  private static let pieceSize = ByteCount.mebibytes(1)
  /// Reading the clock for each read would take as long as a cache hit.
  private static let batch = 64
  /// The time after which reads of random ranges end, because a slow disk would take minutes.
  private static let maxPhase = Duration.seconds(8)
  /// Up to this size, the whole file is streamed more than once, and the median counts.
  private static let smallEnoughToRepeat = ByteCount.gibibytes(2)

  /// Streams the whole file and compares it.
  func compareWhole(_ comparison: inout DemoComparison) async throws {
    var progress = Progress("comparing", total: reader.byteCount)
    defer { progress.clear() }
    var offset = 0
    for try await piece in reader.stream(0..<reader.byteCount, chunkSize: Self.pieceSize) {
      comparison.compared(piece, at: offset, with: try await plain.read(offset..<offset + piece.count))
      offset += piece.count
      progress.advance(piece.count)
    }
  }

  /// Opens the file, reads its beginning and closes it.
  func open(_ comparison: inout DemoComparison) async throws -> DemoReport.Row {
    var row = DemoReport.Row(name: "open, read 4 KiB, close")
    for round in 0..<20 {
      let first = 0..<min(4096, reader.byteCount)
      let (bytes, expected) = try await inTurns(round, &row) {
        let other = try await RangeReader(try PathArgument.source(path, configuration: .init(engine: engine)))
        let bytes = try await other.read(first)
        await other.close()
        return bytes
      } plain: {
        try await PlainFile.onPool { [path] in try PlainFile(path).readHere(first) }
      }
      row.add(bytes)
      comparison.compared(bytes, at: 0, with: expected)
    }
    return row
  }

  /// Reads `ranges`, so many at a time.
  func read(
    _ name: String, _ ranges: [ByteRange], atOnce: Int = 1, _ comparison: inout DemoComparison
  ) async throws -> DemoReport.Row {
    var row = DemoReport.Row(name: name)
    var progress = Progress(name, total: ranges.reduce(0) { $0 + $1.count })
    defer { progress.clear() }
    let hits = reader.statistics().cacheHits ?? 0
    let end = ContinuousClock.now + Self.maxPhase
    let size = Self.batch * atOnce
    for first in stride(from: 0, to: ranges.count, by: size) where ContinuousClock.now < end {
      let batch = Array(ranges[first..<min(first + size, ranges.count)])
      let (pieces, expected) = try await inTurns(first / size, &row) {
        try await Self.all(batch, atOnce) { [reader] in try await reader.read($0) }
      } plain: {
        try await Self.all(batch, atOnce) { [plain] in try await plain.read($0) }
      }
      for (index, range) in batch.enumerated() {
        row.add(pieces[index])
        comparison.compared(pieces[index], at: range.lowerBound, with: expected[index])
        progress.advance(range.count)
      }
    }
    row.cacheHits = reader.statistics().cacheHits.map { $0 - hits }
    return row
  }

  /// The time of a read with `pread` alone, on this thread, into one buffer.
  func bare(_ ranges: [ByteRange]) throws -> Duration {
    let bytes = PlainBytes(ranges.map(\.count).max() ?? 0)
    let start = ContinuousClock.now
    for range in ranges { try plain.fill(bytes.buffer, from: range) }
    return (ContinuousClock.now - start) / max(1, ranges.count)
  }

  /// Streams the whole file.
  func stream() async throws -> DemoReport.Row {
    let rounds = reader.byteCount <= Self.smallEnoughToRepeat.bytes ? 3 : 1
    var progress = Progress("streaming", total: 2 * rounds * reader.byteCount)
    defer { progress.clear() }
    var runs: [DemoReport.Row] = []
    for round in 0..<rounds {
      var row = DemoReport.Row(name: "stream it all", showsRate: true)
      let (count, _) = try await inTurns(round, &row) {
        var count = (reads: 0, bytes: 0)
        for try await piece in reader.stream(0..<reader.byteCount, chunkSize: Self.pieceSize) {
          count = (count.reads + 1, count.bytes + piece.count)
          progress.advance(piece.count)
        }
        return count
      } plain: {
        for start in stride(from: 0, to: reader.byteCount, by: Self.pieceSize.bytes) {
          let end = min(start + Self.pieceSize.bytes, reader.byteCount)
          _ = try await plain.read(start..<end)
          progress.advance(end - start)
        }
      }
      (row.reads, row.bytes) = count
      runs.append(row)
    }
    var row = runs[0]
    row.time = runs.map(\.time).sorted()[rounds / 2]
    row.plainTime = runs.map(\.plainTime).sorted()[rounds / 2]
    row.swing = Self.swing(runs.map(\.plainTime))
    return row
  }

  /// The longest of the times it took to do the same, by the shortest. One, if that is too short to tell.
  static func swing(_ times: [Duration]) -> Double {
    guard let least = times.min(), let most = times.max(), least > .milliseconds(5) else { return 1 }
    return most / least
  }

  /// Cancels a large read, and times until its task goes on. `nil` if the file is so small that the read ends before.
  func cancel() async throws -> DemoReport.Row? {
    let size = ByteCount.mebibytes(64)
    guard reader.byteCount >= size.bytes else { return nil }
    var row = DemoReport.Row(name: "cancel a read of \(size)")
    for _ in 0..<5 {
      row.time += try await Self.untilEnd { [reader] in _ = try await reader.read(0..<size.bytes) }
      row.plainTime += try await Self.untilEnd { [plain] in _ = try await plain.read(0..<size.bytes) }
      row.reads += 1
    }
    return row
  }

  /// The time that a task goes on after it is cancelled.
  private static func untilEnd(_ work: @escaping @Sendable () async throws -> Void) async throws -> Duration {
    let task = Task { try await work() }
    // Until the read is under way.
    try await Task.sleep(for: .milliseconds(1))
    let start = ContinuousClock.now
    task.cancel()
    _ = await task.result
    return ContinuousClock.now - start
  }

  /// Calls both, and adds the time of each to `row`. The second one finds the bytes in the processor's caches, so they take turns
  /// in who is first.
  private func inTurns<Own, Plain>(
    _ round: Int, _ row: inout DemoReport.Row, _ own: () async throws -> Own, plain: () async throws -> Plain
  ) async throws -> (Own, Plain) {
    func timed<Value>(_ time: inout Duration, _ body: () async throws -> Value) async throws -> Value {
      let start = ContinuousClock.now
      let value = try await body()
      time += ContinuousClock.now - start
      return value
    }
    guard round.isMultiple(of: 2) else {
      let expected = try await timed(&row.plainTime, plain)
      return (try await timed(&row.time, own), expected)
    }
    let value = try await timed(&row.time, own)
    return (value, try await timed(&row.plainTime, plain))
  }

  /// Reads all of `ranges` in `count` tasks.
  private static func all<Piece: Sendable>(
    _ ranges: [ByteRange], _ count: Int, _ read: @escaping @Sendable (ByteRange) async throws -> Piece
  ) async throws -> [Piece] {
    let inOrder = { @Sendable (part: ArraySlice<ByteRange>) async throws -> [Piece] in
      var pieces: [Piece] = []
      pieces.reserveCapacity(part.count)
      for range in part { pieces.append(try await read(range)) }
      return pieces
    }
    guard count > 1 else { return try await inOrder(ranges[...]) }
    return try await withThrowingTaskGroup(of: (Int, [Piece]).self) { group in
      for task in 0..<count {
        let part = ranges[task * ranges.count / count..<(task + 1) * ranges.count / count]
        group.addTask { (task, try await inOrder(part)) }
      }
      var parts = [[Piece]](repeating: [], count: count)
      for try await (task, pieces) in group { parts[task] = pieces }
      return parts.flatMap { $0 }
    }
  }
}
#endif
