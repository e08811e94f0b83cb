/// A failure of the tool itself, in words for its user.
struct ToolFailure: Error, Equatable {
  var status: ToolStatus
  var message: String

  init(_ message: String, status: ToolStatus = .failure) {
    self.message = message
    self.status = status
  }
}

/// The reader of our pipe has gone: he has what he wanted, so this is no failure.
struct BrokenPipe: Error {}

/// One line and an exit code for an error that a person should hear of.
struct Complaint: Equatable {
  var status: ToolStatus
  var message: String

  /// `nil` for what is no failure of ours: cancellation, a closed pipe, and words of the argument parser.
  init?(_ error: any Error) {
    guard let failure = error as? ToolFailure else { return nil }
    status = failure.status
    message = Self.oneLine(failure.message)
  }

  /// `text` without line breaks, control characters and those that turn the direction of writing: names of files may hold
  /// them, and would move the cursor.
  static func oneLine(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: line += scalar == "\n" ? " " : "\u{FFFD}"
      // They show what follows in another order than it has.
      case .format where scalar.properties.isBidiControl: line += "\u{FFFD}"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}
