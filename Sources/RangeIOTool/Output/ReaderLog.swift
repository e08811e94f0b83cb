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
      "\(readers.count) \(readers.count == 1 ? "reader" : "readers"), \(Figures.time(ContinuousClock.now - start)), "
      + "peak memory \(Figures.size(PeakMemory.bytes))"
    return (readers + [process]).joined(separator: "\n")
  }
}

/// The option shared by all commands.
struct StatsOption: ParsableArguments {
  @Flag(help: "Tell on standard error what was read and how, and what it took.")
  var stats = false
}

/// A command with `--stats`.
protocol CommandWithStats: AsyncParsableCommand {
  var stats: StatsOption { get }
}
