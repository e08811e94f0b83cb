#if Tool
import ArgumentParser
import RangeIO

/// `rangeio read`: prints some bytes of a source, or all.
struct ReadCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Write a range of a file or URL to standard output or to another file.",
    discussion: """
      Numbers of bytes may have a unit: 4096, 64KiB or 64K (65,536), 1.5GiB, 64KB (64,000).

      Examples:
        rangeio read survey.bin -r 0-99,4096-8191 -o part.bin
        rangeio read https://example.org/survey.bin --offset 1MiB --length 64KiB
        rangeio read survey.bin --suffix 512 --hex
      """)

  @Argument(help: "The file or URL to read; -: standard input.", completion: .file())
  var source: String

  @Option(
    name: [.long, .customShort("r", allowingJoined: true)],
    // So that `-100`, the last 100 bytes, is parsed as a value.
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The bytes to read, counted from zero: A...B or A-B with the last byte, 'A..<B' without it, A... or A- to the end, -N the last N bytes. In a shell quote what has a <. Several, with commas or with the option repeated, are written one after the other.",
      valueName: "range"))
  var range: [String] = []
  @Option(parsing: .unconditional, help: "The first byte to read; with --length.")
  var offset: String?
  @Option(parsing: .unconditional, help: "The number of bytes to read; with --offset.")
  var length: String?
  @Option(parsing: .unconditional, help: "Read so many bytes at the end; all, if there are fewer.")
  var suffix: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write to this file. It appears when it is complete. '-' is standard output.", valueName: "file"),
    completion: .file())
  var output: String?
  @Flag(help: "Read a file that is being added to, to the size that it has at first.")
  var growing = false
  @Flag(
    name: .shortAndLong, help: "Replace the output file if it exists; write to a terminal as it is what is not text.")
  var force = false
  @Flag(help: "Show the bytes in hex, as is done by itself on a terminal for what is not text.")
  var hex = false
  @OptionGroup var rate: RateOption
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var patience: PatienceOptions
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: ReportOptions

  func run() async throws {
    let selections = try Selection.all(ranges: range, offset: offset, length: length, suffix: suffix)
    if output == "" { throw ToolFailure.usage("--output: the name is empty") }
    if hex, let output, output != "-" {
      throw ToolFailure.usage("--hex is for standard output: write '> \(output)' in place of --output")
    }
    let name = SourceName(source)
    let options = OpeningOptions(
      remote: try remote.checked(for: name, patience), engine: try engine.engine(for: name))
    let copying = Copying(
      source: name, selections: selections, options: options, growing: growing, force: force, hex: hex,
      bytesPerSecond: try rate.bytesPerSecond)
    if let output, output != "-" {
      try await copying.toFile(output)
    } else {
      try await copying.toStandardOutput()
    }
  }
}

/// `rangeio cat`: prints all bytes of sources.
struct CatCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write whole files or URLs to standard output, one after the other.",
    discussion: """
      With --follow it goes on with what is added, until it is interrupted: a log, a recording, an append blob. If what was \
      there changes, it ends with an error.

      Examples:
        rangeio cat part1.bin part2.bin > whole.bin
        rangeio cat s3://bucket/survey.bin --limit-rate 10MB | sha256sum
        rangeio cat -f https://example.org/app.log
      """)

  @Argument(help: "The files or URLs to read; -: standard input.", completion: .file())
  var sources: [String]
  @Flag(help: "Read a file that is being added to, to the size that it has at first.")
  var growing = false
  @Flag(name: .shortAndLong, help: "Go on with what is added to the file or the object.")
  var follow = false
  @Flag(help: "Write to a terminal as it is what is not text.")
  var force = false
  @Flag(help: "Show the bytes in hex, as is done by itself on a terminal for what is not text.")
  var hex = false
  @OptionGroup var rate: RateOption
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var patience: PatienceOptions
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: ReportOptions

  func run() async throws {
    let names = sources.map { SourceName($0) }
    guard !follow || names.count == 1 else { throw ToolFailure.usage("--follow: name one file or URL") }
    // The options are checked before the first byte is written. Secrets can be read once.
    let first = names.first(where: \.isURL) ?? names[0]
    if names.contains(where: \.isStandardInput) { try remote.leaveStandardInput() }
    let settings = try remote.checked(for: first, patience)
    let all = try names.map { name in
      if name.isURL { try settings.check(for: name) }
      var options = OpeningOptions(remote: settings, engine: try engine.engine(for: name))
      options.follows = follow
      return Copying(
        source: name, selections: [.whole], options: options, growing: growing || follow, force: force, hex: hex,
        bytesPerSecond: try rate.bytesPerSecond)
    }
    for copying in all { try await copying.toStandardOutput() }
  }
}
#endif
