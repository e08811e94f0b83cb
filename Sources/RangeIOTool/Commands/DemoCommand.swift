import ArgumentParser
import RangeIO

/// `rangeio demo`: shows on a file of the user that reads are correct and fast.
struct DemoCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Read a file in many ways, compare every byte, and show figures.",
    discussion: """
      Reads thousands of random ranges, one at a time and 32 at a time, the whole file as a stream, and blocks of it \
      through a cache. Every byte is compared with what plain pread says. Fails if one differs. With --spill the second \
      run of the same command finds what the first one has read.

      Examples:
        rangeio demo
        rangeio demo survey.bin --json
        rangeio demo survey.bin --tiers --spill /tmp/kept
      """)

  @Argument(
    help: "The file to read. Default: the largest file of the Swift toolchain.", completion: .file())
  var file: String?
  @Flag(help: "Print JSON.")
  var json = false
  @Option(help: "Repeat the random ranges of an earlier run.")
  var seed: UInt64?
  @Flag(help: "Show compressed memory below memory, too.")
  var tiers = false
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
      path: path, engine: engine.engine, seed: seed ?? .random(in: 0 ... .max), showsTiers: tiers,
      spillDirectory: try spill.map { try PathArgument.path($0, for: "--spill") })
    let report = try await demo.run()
    try StandardOutput().line(json ? report.json.text() : report.text)
    if let mismatch = report.comparison.mismatch {
      throw ToolFailure("the bytes of \(path) at \(mismatch) differ from what pread says (seed \(report.seed))")
    }
  }
}
