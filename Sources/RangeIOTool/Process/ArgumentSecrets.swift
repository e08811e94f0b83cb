#if Tool
import RangeIO

/// Messages repeat arguments: those of the argument parser, and those about a URL where something else belongs.
enum ArgumentSecrets {
  /// `message` with each of `arguments` as it may be shown.
  ///
  /// - Parameter fields: whether what looks like a header is hidden as well, for a message about arguments in the wrong
  ///   place.
  static func hidden(_ message: String, _ arguments: [String], fields: Bool = false) -> String {
    let values = arguments.flatMap { argument in
      // An option may have its value after an equals sign.
      [argument]
        + (argument.hasPrefix("-")
          ? argument.firstIndex(of: "=").map { [String(argument[argument.index(after: $0)...])] } ?? [] : [])
    }
    return values.sorted { $0.utf8.count > $1.utf8.count }.reduce(message) { message, value in
      let shown = fields ? field(value) ?? ShownName.typed(value) : ShownName.typed(value)
      return shown == value ? message : message.replacing(Complaint.oneLine(value), with: shown)
    }
  }

  /// A header without its value; `nil` if `text` is none.
  private static func field(_ text: String) -> String? {
    // `try?`: what is no header has no value to hide.
    guard !text.contains("://"), let header = try? RemoteHeader(parsing: text) else { return nil }
    return "\(header)"
  }
}
#endif
