#if Tool
import ArgumentParser
import RangeIO

/// The statistics of all readers in one run of the tool, for `--stats`.
final class ReaderLog: Sendable {
  /// The log of the current command, if the user gave `--stats`.
  @TaskLocal static var current: ReaderLog?

  private let entries = Locked<[(name: String, statistics: RangeReader.Statistics)]>([])
  /// The reads and bytes that went past the readers, and are not yet in the statistics of one of them.
  private let arrivals = Locked<(reads: Int, bytes: Int)>((0, 0))
  private let start = ContinuousClock.now

  /// Records what `reader` has done. Called just before the reader is closed.
  static func note(_ name: String, _ reader: RangeReader) {
    guard let current else { return }
    var statistics = reader.statistics()
    let arrived = current.arrivals.withLock { arrivals in
      defer { arrivals = (0, 0) }
      return arrivals
    }
    statistics.reads += arrived.reads
    statistics.bytes += arrived.bytes
    current.entries.withLock { $0.append((name, statistics)) }
  }

  /// Records that `byteCount` bytes came of a request that went past the reader.
  static func arrived(_ byteCount: Int) {
    guard byteCount > 0 else { return }
    current?.arrivals.withLock { $0 = ($0.reads + 1, $0.bytes + byteCount) }
  }

  /// Text for people: what each reader has done, and the resources that the process used.
  var text: String {
    let readers = entries.withLock { $0 }.map { "\(Complaint.oneLine($0.name)): \($0.statistics)" }
    let process =
      "\(Figures.count(readers.count, "reader")), \(Figures.time(ContinuousClock.now - start)), "
      + "peak memory \(Figures.size(PeakMemory.bytes))"
    return (readers + [process]).joined(separator: "\n")
  }
}

/// The options shared by all commands: what they tell, and how.
struct ReportOptions: ParsableArguments {
  @Flag(
    name: [.customLong("stats"), .customShort("v")],
    help: "Tell on standard error what was read and how, and what it took.")
  var stats = false
  @Flag(name: .shortAndLong, help: "Show no progress and no notes: errors only.")
  var quiet = false
  @Flag(help: "Show sizes and rates in powers of 1000 (kB, MB) rather than of 1024 (KiB, MiB).")
  var si = false

  func apply() {
    if quiet { StandardError.beQuiet() }
    if si { Figures.usePowersOf1000() }
  }
}

/// A command with `--stats`.
protocol CommandWithStats: AsyncParsableCommand {
  var stats: ReportOptions { get }
}
#endif
