import RangeIO

/// Opens the source that the user named, hands a reader to `body`, and closes it.
///
/// Errors of reading come out under that name, where the library can only tell the file's id.
nonisolated(nonsending) func withSource<Result>(
  _ name: String, engine: FileSource.Engine = .automatic,
  _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  do {
    return try await withRangeReader(name, engine: engine, body)
  } catch let error as ReadError {
    throw ToolFailure("\(name): \(error.message)", status: ToolStatus(error.code))
  }
}
