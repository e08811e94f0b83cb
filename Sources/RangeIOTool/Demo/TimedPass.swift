import RangeIO

/// Reads blocks one after the other through a reader and with plain `pread`, compares every byte, and times both.
struct TimedPass {
  let reader: RangeReader
  let plain: PlainFile
  let blockSize: ByteCount

  /// The number of reads timed together: reading the clock for each would cost as much as a cache hit.
  private static let batch = 256

  func run(_ name: String, _ ranges: [ByteRange], _ comparison: inout DemoComparison) async throws -> DemoReport.Row {
    var row = DemoReport.Row(name: name)
    var progress = Progress(name, total: ranges.reduce(0) { $0 + $1.count })
    defer { progress.clear() }
    let scratches = (0..<Self.batch).map { _ in Scratch(blockSize) }
    var pieces: [Bytes] = []
    let end = ContinuousClock.now + Demo.maxPhase
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

/// The amount compared with plain `pread`, and the first byte that differed.
struct DemoComparison: Sendable {
  private(set) var reads = 0
  private(set) var bytes = 0
  /// The offset in the file, or `nil`.
  private(set) var mismatch: Int?

  /// Compares `piece`, read from `offset`, with the start of `scratch`, which holds the same range read by plain
  /// `pread`.
  mutating func compared(_ piece: Bytes, at offset: Int, with scratch: Scratch) {
    reads += 1
    bytes += piece.count
    if mismatch == nil, let place = scratch.firstDifference(from: piece) { mismatch = offset + place }
  }

  mutating func add(_ other: DemoComparison) {
    reads += other.reads
    bytes += other.bytes
    mismatch = mismatch ?? other.mismatch
  }
}

/// The peak resident memory of this process, in bytes. See getrusage(2).
enum PeakMemory {
  static var bytes: Int {
    var usage = rusage()
    let thisProcess: CInt = 0  // RUSAGE_SELF, which has a different type on each platform
    guard getrusage(thisProcess, &usage) == 0 else { return 0 }
    return usage.ru_maxrss * Platform.peakMemoryUnit
  }
}
