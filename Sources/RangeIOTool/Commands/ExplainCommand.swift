#if Tool
import ArgumentParser
import RangeIO
import RangeIOSpillInspection
import RangeIOTiers

/// `rangeio explain`: shows where bytes would come from, and why not from a nearer place.
struct ExplainCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Show where the bytes of a range would come from, and why not from nearer.",
    discussion: """
      Without options, for a reader as programs have it that open a local file and choose nothing. With --far, for a \
      source with 20 ms of latency behind the stages that suit one; with --spill, with a cache on a disk as well, which \
      a program or 'demo --spill' has filled. A URL is far away by itself. --after reads ranges first, in the order given; \
      once is not enough where a cache keeps what is read again.

      Examples:
        rangeio explain survey.bin -r 0-8191
        rangeio explain survey.bin -r 0-8191 --after 0-4095 --after 0-4095
        rangeio explain https://example.org/survey.bin --spill /var/cache/app
      """)

  @Argument(help: "The file or URL to ask about.", completion: .file())
  var source: String
  @Option(
    name: [.long, .customShort("r", allowingJoined: true)],
    parsing: .unconditional,
    help: ArgumentHelp(
      "The bytes to ask about, as 'read' takes them. Default: all.", valueName: "range"))
  var range: String?
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Read this range first; may be repeated.", valueName: "range"))
  var after: [String] = []
  @Flag(help: "Ask about a file as if it were far away.")
  var far = false
  @Option(
    help: ArgumentHelp("Look into this directory of a cache, too. Changes nothing there.", valueName: "directory"),
    completion: .directory)
  var spill: String?
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var engine: EngineOption
  @OptionGroup var stats: ReportOptions

  func run() async throws {
    let asked = try range.map { try Selection.parse(range: $0) } ?? .whole
    let first = try after.map { try Selection.parse(range: $0) }
    let name = SourceName(source)
    let options = OpeningOptions(remote: try remote.checked(for: name), engine: try engine.engine(for: name))
    let opened = try OpenedSource(name, options)
    let explanation: ReadExplanation
    if let spill {
      let directory = try PathArgument.path(spill, for: "--spill")
      let store = try await Self.openStore(directory)
      let source = try await isKept(opened.source, in: directory) ? opened.source : distant(opened)
      explanation = try await explain(name, source, .remoteObject(cache: store), asked, first)
      try await store.close()
    } else if far || opened.isRemote {
      let store = MemoryStore(limit: .mebibytes(64))
      explanation = try await explain(name, distant(opened), .remoteObject(cache: store), asked, first)
    } else {
      explanation = try await explain(name, opened.source, .localFile(), asked, first)
    }
    try StandardOutput().line(json ? explanation.json.text() : explanation.text)
  }

  private func explain(
    _ name: SourceName, _ source: some RangeSource, _ pipeline: ReadPipeline, _ asked: Selection, _ first: [Selection]
  ) async throws -> ReadExplanation {
    try await withReader(name, of: source, pipeline) { reader in
      for selection in first { _ = try await reader.read(selection.range(in: reader.byteCount)) }
      return try await reader.explain(asked.range(in: reader.byteCount))
    }
  }

  /// `true` if a program has kept some of the source there under the source's own id, and not as 'demo' does.
  private func isKept(_ source: any RangeSource, in directory: String) async throws -> Bool {
    let id = try await source.describe().id
    return try SpillLook(directory).survey().sources.contains { $0.id == id }
  }

  /// The source, or a file as if it were far away.
  private func distant(_ opened: OpenedSource) -> any RangeSource {
    opened.isRemote ? opened.source : SlowSource(opened.source)
  }

  /// Opens a cache with what an earlier process has left, without changing any of it.
  private static func openStore(_ directory: String) async throws -> TieredStore {
    var configuration = SpillStore.Configuration(directory: directory, limit: SpillShow.disk)
    configuration.isReadOnly = true
    do {
      return try await TieredStore(memory: .mebibytes(64), disk: configuration)
    } catch let error as ReadError {
      throw SpillLook.failure(error, directory)
    }
  }
}

extension ReadExplanation {
  /// One line for each part, with numbers in the tool's format.
  var text: String {
    guard !parts.isEmpty else { return "no bytes" }
    return Table(
      columns: [.left, .right, .left, .left],
      rows: parts.map { part in
        let notes = part.notes
        return ["\(part.range)", Figures.size(part.range.count), "\(part.origin)", notes.joined(separator: "; ")]
      }
    ).text
  }

  var json: JSON {
    .array(
      parts.map { part in
        .object([
          "offset": .integer(part.range.lowerBound), "count": .integer(part.range.count),
          "origin": .string("\(part.origin)"), "detail": part.detail.map { .string($0) } ?? .null,
          "reasons": .array(
            part.reasons.map { .object(["origin": .string("\($0.origin)"), "why": .string($0.why)]) }),
        ])
      })
  }
}
#endif
