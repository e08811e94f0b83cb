#if Tool
import ArgumentParser
import RangeIO
import RangeIOSpillInspection
import RangeIOTiers

/// `rangeio spill`: inspects what a cache has left on a disk.
struct SpillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spill", abstract: "Look into the directory of a disk tier.",
    discussion: """
      list, verify and stats change nothing, and work while the directory is in use. clear needs it free.

      Examples:
        rangeio spill list /var/cache/app --segments
        rangeio spill verify /var/cache/app
        rangeio spill clear /var/cache/app
      """,
    subcommands: [List.self, Verify.self, Stats.self, Clear.self])

  func run() async throws { throw CommandNames.Missing(Self.self) }

  struct List: CommandWithStats {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the sources with blocks in the directory, and how much of each.")

    @OptionGroup var directory: SpillDirectoryOptions
    @OptionGroup var stats: ReportOptions
    @Flag(help: "List the files, too.")
    var segments = false

    func run() async throws {
      let look = try SpillLook(directory.path)
      let survey = try look.survey()
      let report = SpillListing(path: look.inspection.path, survey: survey, showsSegments: segments)
      try directory.write(report.text, report.json)
    }
  }

  struct Verify: CommandWithStats {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Read everything, compare all sums, and decode.",
      discussion: """
        Exit code 6 if something is damaged. A cache never serves what is damaged: it reads those bytes from the source again. \
        What a process that was killed had not finished is no damage.
        """)

    @OptionGroup var directory: SpillDirectoryOptions
    @OptionGroup var stats: ReportOptions

    func run() async throws {
      let look = try SpillLook(directory.path)
      let report = SpillVerdict(path: look.inspection.path, found: try look.verify())
      try directory.write(report.text, report.json)
      if let complaint = report.complaint { throw ToolFailure(complaint, status: .damaged) }
    }
  }

  struct Stats: CommandWithStats {
    static let configuration = CommandConfiguration(commandName: "stats", abstract: "Show the totals of the directory.")

    @OptionGroup var directory: SpillDirectoryOptions
    @OptionGroup var stats: ReportOptions

    func run() async throws {
      let look = try SpillLook(directory.path)
      let report = SpillTotals(
        path: look.inspection.path, root: look.inspection.root, survey: try look.survey(),
        freeBytes: try look.told { try look.inspection.freeByteCount() },
        privateDirectories: try look.told { try look.inspection.privateDirectories().count })
      try directory.write(report.text, report.json)
    }
  }

  struct Clear: CommandWithStats {
    static let configuration = CommandConfiguration(
      commandName: "clear", abstract: "Remove everything that a cache has left in the directory, and nothing else.")

    @OptionGroup var directory: SpillDirectoryOptions
    @OptionGroup var stats: ReportOptions

    func run() async throws {
      let path = try directory.path
      let cleared = try SpillLook.told(path) { try SpillClearing.clear(path) }
      let left = cleared.privateDirectoriesLeft
      var note =
        left == 0
        ? ""
        : "; \(Figures.count(left, "directory", "directories")) below it \(left == 1 ? "is in use and stays" : "are in use and stay")"
      let others = cleared.foreignLeft
      if others > 0 { note += "; \(Figures.count(others, "file")) of other programs \(others == 1 ? "stays" : "stay")" }
      try directory.write(
        "\(Complaint.oneLine(path)): removed \(Figures.count(cleared.segments, "segment")), "
          + "\(Figures.size(cleared.byteCount))\(note)",
        .object([
          "directory": .string(path), "segments": .integer(cleared.segments), "bytes": .integer(cleared.byteCount),
          "privateDirectoriesLeft": .integer(left), "foreignLeft": .integer(cleared.foreignLeft),
        ]))
    }
  }
}

/// The options shared by the commands that inspect a spill directory.
struct SpillDirectoryOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The directory.", valueName: "directory"), completion: .directory)
  var written: String
  @Flag(help: "Print JSON.")
  var json = false

  /// The path of the directory, with `~` expanded.
  var path: String { get throws { try PathArgument.path(written, for: "the directory") } }

  func write(_ text: String, _ json: JSON) throws { try StandardOutput().line(self.json ? json.text() : text) }
}
#endif
