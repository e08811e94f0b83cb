import RangeIO

/// The exit codes of the tool. Scripts depend on the numbers.
enum ToolStatus: Int32, CaseIterable {
  case done = 0
  case failure = 1
  case usage = 2
  case unusableSource = 3
  case rangeNotSatisfiable = 4
  case sourceChanged = 5
  /// What a cache has left on a disk differs from what it wrote.
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
