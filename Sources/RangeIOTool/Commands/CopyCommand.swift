#if Tool
import ArgumentParser
import RangeIO

/// `rangeio copy`: copies a source to a file, with several requests at the same time, and goes on after a kill.
struct CopyCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a file or URL to a file, with parallel ranges, and resume after a kill.",
    discussion: """
      Into a directory, under the name of the source. The target appears when it is complete and on the disk. Until then there are FILE.rangeio-part and \
      FILE.rangeio-journal: the same command goes on from them, after it has compared what is there with checksums, \
      and starts over if the source has changed. Blocks of zeros become holes, and holes are \
      not read. Uses at most 64 MiB for what is under \
      way.

      Examples:
        rangeio copy https://example.org/survey.bin survey.bin
        rangeio copy s3://bucket/survey.bin /data/ -j 16 --limit-rate 50MB
        rangeio copy disk.img backup.img --force
      """)

  @Argument(help: "The file or URL to copy; -: standard input.", completion: .file())
  var source: String
  @Argument(help: "The file to make, or a directory for it.", completion: .file())
  var file: String
  @Option(
    name: [.long, .customShort("j", allowingJoined: true)],
    parsing: .unconditional,
    help: ArgumentHelp("The ranges that are read at the same time, 1 to 64.", valueName: "count"))
  var parallel = 8
  @Option(help: ArgumentHelp("Fail, and make no file, unless the SHA-256 is this one.", valueName: "hex"))
  var sha256: String?
  @OptionGroup var rate: RateOption
  @Flag(help: "Copy a file that is being added to, to the size that it has at first.")
  var growing = false
  @Flag(help: "Use nothing of an earlier copy that was interrupted.")
  var restart = false
  @Flag(name: .shortAndLong, help: "Replace the target if it exists.")
  var force = false
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var patience: PatienceOptions
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: ReportOptions

  func run() async throws {
    guard file != "-" else { throw ToolFailure.usage("copy makes a file: for standard output use 'rangeio cat'") }
    guard (1...CopyRequests.maxParallel).contains(parallel) else {
      throw ToolFailure.usage("--parallel: \(parallel) is not from 1 to \(CopyRequests.maxParallel)")
    }
    let rate = try rate.bytesPerSecond
    let name = SourceName(source)
    if name.isPipe {
      guard sha256 == nil else {
        throw ToolFailure.usage("--sha256: standard input is no file here: copy it, then check with sha256sum")
      }
      let options = OpeningOptions(remote: try remote.checked(for: name, patience))
      var copying = Copying(source: name, selections: [.whole], options: options, force: force, bytesPerSecond: rate)
      copying.isForced = true
      return try await copying.toFile(file)
    }
    let work = CopyWork(
      source: name, file: file,
      opening: OpeningOptions(
        remote: try remote.checked(for: name, patience), engine: try engine.engine(for: name),
        isAppendOnly: growing, parallel: parallel, readsAll: true, needsNoSize: sha256 == nil && rate == nil),
      parallel: parallel, digest: try sha256.map { try Self.digest($0) }, bytesPerSecond: rate, restarts: restart,
      force: force)
    try await work.run()
  }

  /// Parses 64 hexadecimal digits.
  static func digest(_ text: String) throws(ToolFailure) -> [UInt8] {
    let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard digits.count == 64, text.count == 64 else {
      throw .usage("--sha256: '\(text)' is not 64 hexadecimal digits, as sha256sum prints them")
    }
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
#endif
