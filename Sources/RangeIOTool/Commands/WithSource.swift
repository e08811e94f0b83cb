import RangeIO

/// Opens the file that the user named, hands a reader to `body`, and closes it. Nothing is cached unless `pipeline` does:
/// most commands read each byte once.
///
/// Errors of reading come out under that name.
nonisolated(nonsending) func withSource<Result>(
  _ name: String, engine: FileSource.Engine = .automatic, _ pipeline: ReadPipeline = ReadPipeline(),
  _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  try await withReader(name, of: FileSource(name, configuration: .init(engine: engine)), pipeline, body)
}

/// Hands a reader of `source`, which the user named `name`, to `body`, and closes it.
nonisolated(nonsending) func withReader<Result>(
  _ name: String, of source: some RangeSource, _ pipeline: ReadPipeline,
  _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  do {
    let reader = try await RangeReader(source, pipeline)
    do {
      let result = try await body(reader)
      ReaderLog.note(name, reader)
      await reader.close()
      return result
    } catch {
      ReaderLog.note(name, reader)
      await reader.close()
      throw error
    }
  } catch let error as ReadError {
    throw ToolFailure("\(name): \(error.message)", status: ToolStatus(error.code))
  }
}
