import RangeIO

/// Copies a selection of a source to its destination, in bounded memory.
struct Copying {
  let source: String
  let selection: Selection
  let engine: FileSource.Engine
  /// Whether the file may grow in the meantime. The copy covers what the file has when it is opened.
  let growing: Bool
  let force: Bool

  private var growth: Growth { growing ? .followed : .refused }

  /// Copies to standard output.
  func toStandardOutput() async throws {
    try await withSource(source, engine: engine, growth: growth) { reader in
      try SourceGuard.checkStandardOutput(isNotFileAt: source)
      let output = StandardOutput(force: force)
      try await copy(reader, showsProgress: StandardOutputKind.isRegularFile) { try output.write($0) }
    }
  }

  /// Copies to the file at `path`, which appears only when it is complete.
  func toFile(_ path: String) async throws {
    let path = try PathArgument.path(path, for: "--output")
    try await withSource(source, engine: engine, growth: growth) { reader in
      try await SourceGuard.check(path, isNot: reader.source)
      var output = try OutputFile.create(path, force: force)
      try await copy(reader, showsProgress: true) { try output.write($0) }
      try output.finish()
    }
  }

  private func copy(_ reader: RangeReader, showsProgress: Bool, to write: (Bytes) throws -> Void) async throws {
    var progress = Progress(
      source, total: selection.range(in: reader.byteCount).count,
      isShown: showsProgress && StandardError.isTerminal)
    defer { progress.clear() }
    for try await piece in selection.stream(of: reader) {
      try write(piece)
      progress.advance(piece.count)
    }
  }
}
