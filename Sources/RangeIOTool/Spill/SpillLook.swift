import RangeIO

/// Inspects a spill directory. Shows progress on a terminal, and reports errors under the name that the user gave.
struct SpillLook {
  let inspection: SpillInspection

  init(_ path: String) throws { inspection = try Self.told(path) { try SpillInspection(path) } }

  /// What a cache would find.
  func survey() throws -> SpillSurvey {
    try withProgress("listing", showsRate: false) { try inspection.survey(progress: $0) }
  }

  /// Whether everything is as it was written.
  func verify() throws -> SpillVerification {
    try withProgress("verifying", showsRate: true) { try inspection.verify(progress: $0) }
  }

  /// Runs `body`. Its errors are reported with the path of the directory.
  func told<Value>(_ body: () throws -> Value) throws -> Value { try Self.told(inspection.path, body) }

  /// Like the method of this name, for use before there is an inspection.
  static func told<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as ReadError { throw failure(error, path) }
  }

  static func failure(_ error: ReadError, _ path: String) -> ToolFailure {
    let status: ToolStatus =
      switch error.code {
      // A directory of another program is as useless as none.
      case .invalidConfiguration, .unsupportedFormat: .unusableSource
      default: ToolStatus(error.code)
      }
    return ToolFailure("\(path): \(error.message)", status: status)
  }

  private func withProgress<Value>(
    _ label: String, showsRate: Bool, _ body: ((Int) throws -> Void) throws -> Value
  ) throws -> Value {
    try told {
      var progress = Progress(
        "\(label) \(Complaint.oneLine(inspection.path))", total: try inspection.byteCount(), showsRate: showsRate)
      defer { progress.clear() }
      return try body { count in
        try Task.checkCancellation()
        progress.advance(count)
      }
    }
  }
}
