import RangeIO

/// Reads blocks one after the other through a reader and with plain `pread`, compares every byte, and times both.
struct TimedPass {
  let reader: RangeReader
  let plain: PlainFile
  let blockSize: ByteCount

  /// How many reads are timed together: reading the clock for each would cost as much as a cache hit.
  private static let batch = 256

  func run(_ name: String, _ ranges: [ByteRange], _ comparison: inout DemoComparison) async throws -> DemoReport.Row {
    var row = DemoReport.Row(name: name)
    var progress = Progress(name, total: ranges.reduce(0) { $0 + $1.count })
    defer { progress.clear() }
    let scratches = (0..<Self.batch).map { _ in Scratch(blockSize) }
    var pieces: [Bytes] = []
    let end = ContinuousClock.now + Demo.longestPhase
    for first in stride(from: 0, to: ranges.count, by: Self.batch) where ContinuousClock.now < end {
      let batch = ranges[first..<min(first + Self.batch, ranges.count)]
      pieces.removeAll(keepingCapacity: true)
      var start = ContinuousClock.now
      for range in batch { pieces.append(try await reader.read(range)) }
      row.time += ContinuousClock.now - start
      start = ContinuousClock.now
      for (range, scratch) in zip(batch, scratches) { try plain.read(range, into: scratch.buffer) }
      row.plainTime += ContinuousClock.now - start
      for (index, range) in batch.enumerated() {
        comparison.compared(pieces[index], at: range.lowerBound, with: scratches[index])
        row.reads += 1
        row.bytes += range.count
        progress.advance(range.count)
      }
    }
    return row
  }
}
