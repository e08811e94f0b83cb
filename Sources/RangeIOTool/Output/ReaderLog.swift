import ArgumentParser
import RangeIO

/// What the readers of one run of the tool have done, for `--stats`.
final class ReaderLog: Sendable {
  /// The log of the current command, if the user gave `--stats`.
  @TaskLocal static var current: ReaderLog?

  private let entries = Locked<[(name: String, statistics: RangeReader.Statistics)]>([])
  private let start = ContinuousClock.now

  /// Records what `reader` has done. Called just before the reader is closed.
  static func note(_ name: String, _ reader: RangeReader) {
    guard let current else { return }
    let statistics = reader.statistics()
    current.entries.withLock { $0.append((name, statistics)) }
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
