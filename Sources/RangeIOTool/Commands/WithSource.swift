import RangeIO

/// Opens the file that the user named, hands a reader to `body`, and closes it. Nothing is cached unless `pipeline` does:
/// most commands read each byte once.
///
/// Errors of reading come out under that name, where the library can only tell the file's id.
nonisolated(nonsending) func withSource<Result>(
  _ name: String, engine: FileSource.Engine = .automatic, _ pipeline: ReadPipeline = ReadPipeline(),
  _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  do {
    let reader = try await RangeReader(FileSource(name, configuration: .init(engine: engine)), pipeline)
    do {
      let result = try await body(reader)
      await reader.close()
      return result
    } catch {
      await reader.close()
      throw error
    }
  } catch let error as ReadError {
    throw ToolFailure("\(name): \(error.message)", status: ToolStatus(error.code))
  }
}
