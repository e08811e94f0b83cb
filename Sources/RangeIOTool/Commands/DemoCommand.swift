#if Tool
import ArgumentParser
import RangeIO

/// `rangeio demo`: shows on a file of the user that reads are correct and fast.
struct DemoCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Show what a program does with a file, beside pread on a pool of threads.",
    discussion: """
      Opens the file, jumps about, does the same again, streams, cancels, and notices a change: each beside pread with \
      fstat on a pool of threads, which gives the same guarantees. Every byte is compared. Fails if one differs. With \
      --spill the second run of the same command finds what the first one has read.

      Examples:
        rangeio demo
        rangeio demo survey.bin --json
        rangeio demo survey.bin --spill /tmp/kept
      """)

  @Argument(
    help: "The file to read. Default: the largest file of the Swift toolchain.", completion: .file())
  var file: String?
  @Flag(help: "Print JSON.")
  var json = false
  @Option(help: "Repeat the random ranges of an earlier run.")
  var seed: UInt64?
  @Option(
    help: ArgumentHelp(
      "Show a cache that keeps in this directory what it reads of a source with 20 ms of latency.",
      valueName: "directory"), completion: .directory)
  var spill: String?
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: ReportOptions

  func run() async throws {
    let path = try file ?? ToolchainSearch.largestFile()
    let demo = Demo(
      path: path, engine: engine.engine, seed: seed ?? .random(in: 0 ... .max),
      spillDirectory: try spill.map { try PathArgument.path($0, for: "--spill") })
    let report = try await demo.run()
    try StandardOutput().line(json ? report.json.text() : report.text)
    guard report.comparison.isOK else { throw ToolFailure("\(path): \(report.verdict) (seed \(report.seed))") }
  }
}
#endif
