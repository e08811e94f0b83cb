import RangeIO
import SystemPackage

/// Prevents the tool from overwriting the file that it reads.
enum SourceGuard {
  /// Throws if the file at `path` is `source`, under this or another name.
  static func check(_ path: String, isNot source: SourceDescription) async throws {
    // A source that grows has a different id, so both must be opened in the same way.
    let output = FileSource(path, isAppendOnly: source.mayGrow)
    try await check(output, "--output names the source itself: choose another file", source)
  }

  /// Throws if standard output is the file at `path`. A shell opens it for writing only, so it cannot be opened as a
  /// source.
  static func checkStandardOutput(isNotFileAt path: String) throws {
    var (output, source) = (stat(), stat())
    guard StandardOutputKind.isRegularFile, fstat(STDOUT_FILENO, &output) == 0,
      try PathArgument.withSystemPath(of: path, { stat($0, &source) }) == 0,
      output.st_dev == source.st_dev, output.st_ino == source.st_ino
    else { return }
    throw ToolFailure("standard output is the source itself: write to another file")
  }

  private static func check(_ output: FileSource, _ complaint: String, _ source: SourceDescription) async throws {
    let id: String?
    do {
      id = try await output.describe().id
    } catch is ReadError {
      // If it cannot be opened as a source, it is not the file that was.
      id = nil
    }
    await output.close()
    if id == source.id { throw ToolFailure(complaint) }
  }
}

/// What standard output is connected to.
enum StandardOutputKind {
  static var isRegularFile: Bool {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
