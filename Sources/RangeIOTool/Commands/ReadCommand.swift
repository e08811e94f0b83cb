import ArgumentParser

/// `rangeio read`: prints some bytes of a source, or all.
struct ReadCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Write a range of a file to standard output or to another file.",
    discussion: """
      Numbers of bytes may have a unit: 4096, 64KiB or 64K (65,536), 1.5GiB, 64KB (64,000).
      """)

  @Argument(help: "The file to read.", completion: .file())
  var source: String

  @Option(
    // So that `-100`, the last 100 bytes, is parsed as a value.
    parsing: .unconditional,
    help: ArgumentHelp(
      "The bytes to read, counted from zero: A...B or A-B with the last byte, 'A..<B' without it, A... or A- to the end, -N the last N bytes. In a shell quote what has a <.",
      valueName: "range"))
  var range: String?
  @Option(help: "The first byte to read; with --length.")
  var offset: String?
  @Option(help: "The number of bytes to read; with --offset.")
  var length: String?
  @Option(help: "Read so many bytes at the end; all, if there are fewer.")
  var suffix: String?
  @Option(
    help: ArgumentHelp(
      "Write to this file. It appears when it is complete. '-' is standard output.", valueName: "file"),
    completion: .file())
  var output: String?
  @Flag(help: "Read a file that is being added to, to the size that it has at first.")
  var growing = false
  @Flag(help: "Replace the output file if it exists; write binary to a terminal.")
  var force = false
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: StatsOption

  func run() async throws {
    let selection = try Selection(range: range, offset: offset, length: length, suffix: suffix)
    if output == "" { throw ToolFailure.usage("--output: the name is empty") }
    let copying = Copying(
      source: source, selection: selection, engine: engine.engine, growing: growing, force: force)
    if let output, output != "-" {
      try await copying.toFile(output)
    } else {
      try await copying.toStandardOutput()
    }
  }
}
