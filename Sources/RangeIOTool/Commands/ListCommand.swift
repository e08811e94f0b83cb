#if Tool
import ArgumentParser
import RangeIO
import RangeIORemote

/// `rangeio ls`: lists the names in a directory, a bucket or a container.
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls", abstract: "List the names in a directory, a bucket, a container or a web server's index.",
    discussion: """
      A line has size, time (UTC) and name, in the order of the server; folders end with /. Of s3://, az:// and gs:// all \
      names that begin as the URL does, up to the next /. Of http:// and https:// a directory whose index nginx, Apache or \
      rangeio serve makes, or one of WebDAV. Control characters in names and versions are shown as U+FFFD: --json has the \
      names exactly.

      Examples:
        rangeio ls s3://bucket/tiles/
        rangeio ls -r gs://bucket/tiles --json
        rangeio ls --long az://account/container/
      """)

  @Argument(help: "The directory or URL to list.", completion: .file())
  var source: String = "."
  @Flag(name: .shortAndLong, help: "List what is in folders too.")
  var recursive = false
  @Flag(name: .shortAndLong, help: "Show versions: tags, generations.")
  var long = false
  @Flag(name: .customLong("webdav"), help: "Ask a web server by WebDAV alone: sizes, versions, one request a folder.")
  var isWebDAV = false
  @Flag(help: "Print JSON: an array, an entry a line.")
  var json = false
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var patience: PatienceOptions

  func run() async throws {
    let name = SourceName(source)
    guard !isWebDAV || name.isURL && name.kind == .http else {
      throw ToolFailure.usage("\(name.shown): --webdav is for http:// and https://")
    }
    let options = OpeningOptions(remote: try remote.checked(for: name, patience), parallel: 1)
    let output = StandardOutput()
    var lines = ListLines(json: json, long: long)
    try await ListWork(name: name, options: options, isRecursive: recursive, isWebDAV: isWebDAV).run { entry in
      if let text = lines.add(entry) { try output.line(text) }
    }
    if let text = lines.end() { try output.line(text) }
  }
}

/// The lines that `rangeio ls` prints. A value: lines are written as they are full, so that a long list needs no memory.
struct ListLines {
  private let json: Bool
  private let long: Bool
  private var waiting: [String] = []
  private var isFirst = true

  /// Lines that are written together.
  private static let together = 256

  init(json: Bool, long: Bool) {
    self.json = json
    self.long = long
  }

  /// - Returns: text to write now.
  mutating func add(_ entry: ListedEntry) -> String? {
    waiting.append(json ? (isFirst ? "[\n" : ",\n") + Self.json(entry) : text(entry))
    isFirst = false
    return waiting.count < Self.together ? nil : flushed()
  }

  /// - Returns: what is left.
  mutating func end() -> String? {
    if json { waiting.append(isFirst ? "[]" : "\n]") }
    return waiting.isEmpty ? nil : flushed()
  }

  private mutating func flushed() -> String {
    defer { waiting = [] }
    return waiting.joined(separator: json ? "" : "\n")
  }

  private func text(_ entry: ListedEntry) -> String {
    let size = entry.byteCount.map { "\($0)" } ?? "-"
    var cells = [Self.padded(size, 14, isLeft: false), Self.padded(entry.modified.map(Self.time) ?? "-", 23)]
    if long { cells.append(Self.padded(Complaint.oneLine(entry.version ?? "-"), 34)) }
    return (cells + [Complaint.oneLine(entry.name)]).joined(separator: "  ")
  }

  private static func time(_ date: HTTPDate) -> String {
    let (nanoseconds, isTooFar) = Int64(date.secondsSince1970).multipliedReportingOverflow(by: 1_000_000_000)
    return isTooFar ? date.text : Figures.date(nanoseconds)
  }

  private static func padded(_ text: String, _ width: Int, isLeft: Bool = true) -> String {
    let padding = String(repeating: " ", count: max(0, width - text.utf8.count))
    return isLeft ? text + padding : padding + text
  }

  /// On one line. `nameBytes`, in hexadecimal digits, where the name is no UTF-8.
  private static func json(_ entry: ListedEntry) -> String {
    var members = [
      "\"name\": \(JSON.string(entry.name).text())", "\"type\": \"\(entry.isFolder ? "folder" : "object")\"",
    ]
    if !entry.name.utf8.elementsEqual(entry.nameBytes) {
      members.append("\"nameBytes\": \"\(Bytes(entry.nameBytes).hex)\"")
    }
    if let count = entry.byteCount { members.append("\"byteCount\": \(count)") }
    if let version = entry.version { members.append("\"version\": \(JSON.string(version).text())") }
    if let modified = entry.modified { members.append("\"modified\": \"\(modified.text)\"") }
    return "  {" + members.joined(separator: ", ") + "}"
  }
}
#endif
