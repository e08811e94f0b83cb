#if Tool
import RangeIO

/// A failure of the tool itself, with a message for the user.
struct ToolFailure: Error, Equatable {
  var status: ToolStatus
  var message: String

  init(_ message: String, status: ToolStatus = .failure) {
    self.message = message
    self.status = status
  }
}

/// The reader of the output pipe closed it because it has what it needs. Not a failure.
struct BrokenPipe: Error {}

/// One line and an exit code for an error that the user must see.
struct Complaint: Equatable {
  var status: ToolStatus
  var message: String

  /// `nil` if there is no failure to report: cancellation, a closed pipe, and messages of the argument parser.
  init?(_ error: any Error) {
    guard let failure = error as? ToolFailure else { return nil }
    status = failure.status
    message = Self.oneLine(failure.message)
  }

  /// `text` without line breaks, control characters, and characters that change the writing direction. File names may
  /// contain them, and they would move the cursor.
  static func oneLine(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: line += scalar == "\n" ? " " : "\u{FFFD}"
      // They would show the text after them in a different order.
      case .format where scalar.properties.isBidiControl: line += "\u{FFFD}"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}

/// The exit codes of the tool. Scripts depend on the numbers.
enum ToolStatus: Int32, CaseIterable {
  case done = 0
  case failure = 1
  case usage = 2
  case unusableSource = 3
  case rangeNotSatisfiable = 4
  case sourceChanged = 5
  /// The bytes on a disk are not the bytes that the cache wrote.
  case damaged = 6
  /// 128 plus the number of SIGINT, as in shells.
  case interrupted = 130

  /// The status for a failed read.
  init(_ code: ReadError.Code) {
    switch code {
    case .notFound, .permissionDenied, .unsupportedSource: self = .unusableSource
    case .rangeNotSatisfiable: self = .rangeNotSatisfiable
    case .sourceChanged: self = .sourceChanged
    default: self = .failure
    }
  }
}
#endif
