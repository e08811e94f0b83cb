#if Tool
import ArgumentParser
import RangeIO
import RangeIORemote

/// `rangeio info`: describes a source.
struct InfoCommand: CommandWithStats {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show kind, size, version, date and type of a file or URL.",
    discussion: """
      Examples:
        rangeio info survey.bin
        rangeio info https://example.org/survey.bin --json
        rangeio info s3://bucket/survey.bin --profile work
      """)

  @Argument(help: "The file or URL to look at.", completion: .file())
  var source: String
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var patience: PatienceOptions
  @OptionGroup var stats: ReportOptions

  func run() async throws {
    let name = SourceName(source)
    let options = OpeningOptions(remote: try remote.checked(for: name, patience), opening: .range(0..<1))
    let description = try await withSource(name, options) { $0.source }
    let info = SourceInfo(name: name.shown, description, modified: try modified(name))
    try StandardOutput().line(json ? info.json.text() : info.text)
  }

  /// When a file was written last.
  private func modified(_ name: SourceName) throws -> HTTPDate? {
    var facts = stat()
    guard !name.isURL, try PathArgument.withSystemPath(of: name.text, { stat($0, &facts) }) == 0 else { return nil }
    return HTTPDate(secondsSince1970: Platform.times(facts).0.tv_sec)
  }
}

/// The facts that `rangeio info` prints about a source.
struct SourceInfo {
  let name: String
  let id: String
  let byteCount: Int
  let preferredBlockSize: Int
  let mayGrow: Bool
  let hasRanges: Bool
  let version: Version
  /// What the system or a server told besides, each with its name.
  let facts: [(name: String, value: String)]

  enum Version: String {
    /// Any later change will be noticed.
    case settled
    /// The file changed so recently that another change within the same tick of the clock would not be noticed.
    case unsettled
    /// The source has no versions.
    case none
  }

  /// - Parameter modified: of a file.
  init(name: String, _ source: SourceDescription, modified: HTTPDate? = nil) {
    self.name = name
    id = source.id
    byteCount = source.byteCount
    preferredBlockSize = source.preferredBlockSize.bytes
    mayGrow = source.mayGrow
    hasRanges = !source.isReadForward
    facts = modified.map { [("changed", $0.text)] } ?? Self.facts(source)
    version = source.validator == nil ? .none : source.isSettled ? .settled : .unsettled
  }

  private static func facts(_ source: SourceDescription) -> [(name: String, value: String)] {
    #if HTTP
    let facts = source.objectFacts
    let all: [(String, String?)] = [
      ("version id", facts?.versionID), ("tag", facts?.tag), ("changed", facts?.modified?.text),
      ("content type", facts?.contentType),
    ]
    return all.compactMap { fact in fact.1.map { (name: fact.0, value: $0) } }
    #else
    return []
    #endif
  }

  /// The scheme of the id: `file`, `device`.
  var kind: String { String(id.prefix { $0 != ":" }) }

  var text: String {
    let version =
      switch version {
      case .settled: "settled: any change from now on will be seen"
      case .unsettled: "unsettled: changed a moment ago, so it is looked at again before each read"
      case .none: "none: changes go unseen"
      }
    return Table(
      columns: [.left, .left],
      rows: [
        ["source", Complaint.oneLine(name)],
        ["kind", kind],
        ["size", "\(Figures.count(byteCount, "byte")) (\(Figures.size(byteCount)))"],
        ["may grow", mayGrow ? "yes" : "no"],
        ["ranges", hasRanges ? "yes" : "no: the server sends the whole, which is read forward once"],
        ["version", version],
      ] + facts.map { [$0.name, Complaint.oneLine($0.value)] } + [
        ["block size", ByteCount.bytes(preferredBlockSize).description],
        ["id", id],
      ]
    ).text
  }

  var json: JSON {
    .object([
      "source": .string(name), "kind": .string(kind), "byteCount": .integer(byteCount), "mayGrow": .bool(mayGrow),
      "ranges": .bool(hasRanges),
      "version": .string(version.rawValue),
      "versionID": fact("version id"), "tag": fact("tag"), "modified": fact("changed"),
      "contentType": fact("content type"), "preferredBlockSize": .integer(preferredBlockSize), "id": .string(id),
    ])
  }

  private func fact(_ name: String) -> JSON { facts.first { $0.name == name }.map { .string($0.value) } ?? .null }
}
#endif
