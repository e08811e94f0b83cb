/// Text of clients and sources in the server's log.
package enum LoggedText {
  /// `text` in one line, as a terminal may show it: control characters, ends of lines and what turns the direction of writing
  /// stand as `\u{A}`. A name may have any of these, encoded in a request or as a store has it, and log handlers write what
  /// they are given.
  package static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: line += escaped(scalar)
      case .format where scalar.properties.isBidiControl: line += escaped(scalar)
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }
}
