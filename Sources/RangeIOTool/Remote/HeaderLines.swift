#if Tool
import RangeIO

/// Header fields from where other processes do not see them: a file, standard input, or the environment. One field a
/// line; blank lines are skipped.
enum HeaderLines {
  /// The fields in the file at `path`; `-`: in standard input.
  static func file(_ path: String) throws(ToolFailure) -> [RemoteHeader] {
    try fields(HiddenText.contents(of: path, "read the headers", for: "--header @\(path)"), of: "--header @\(path)")
  }

  /// The fields in the environment's variable called `name`.
  static func environment(_ name: String) throws(ToolFailure) -> [RemoteHeader] {
    try fields(HiddenText.variable(name, for: "--header-env"), of: "--header-env \(name)")
  }

  private static func fields(_ text: String, of origin: String) throws(ToolFailure) -> [RemoteHeader] {
    var fields: [RemoteHeader] = []
    for (index, line) in text.utf8.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      let line = String(Substring(line.last == 13 ? line.dropLast() : line))
      guard !line.utf8.allSatisfy({ $0 == 32 || $0 == 9 }) else { continue }
      fields.append(try RemoteHeader(parsing: line, of: "\(origin), line \(index + 1)"))
    }
    guard !fields.isEmpty else { throw .usage("\(origin): there is no header in it") }
    return fields
  }
}
#endif
