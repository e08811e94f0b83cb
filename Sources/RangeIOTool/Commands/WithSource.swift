#if Tool
public import ArgumentParser
public import RangeIO

/// Opens the source that the user named, passes a reader to `body`, and closes the reader. Caches nothing unless
/// `pipeline` does: most commands read each byte only once.
///
/// Read errors contain the name that the user gave.
///
/// - Parameters:
///   - growth: what happens to reads when the file grows.
///   - pipeline: the stages. Default: the ready-made ones for the source.
///   - readAll: called in place of `body` with what reads all bytes once, where no reader can be opened since the server
///     does not tell how many there are.
nonisolated(nonsending) func withSource<Result>(
  _ name: SourceName, _ options: OpeningOptions = OpeningOptions(), growth: Growth = .noChoice,
  _ pipeline: ReadPipeline? = nil, orAll readAll: ((OpenedSource.ReadAll) async throws -> Result)? = nil,
  _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  var options = options
  options.isAppendOnly = growth == .followed
  let opened = try OpenedSource(name, options)
  return try await withReader(
    name, of: opened.source, growth: growth, pipeline ?? opened.pipeline(options),
    orAll: { try await readingAll(name, options, $0, readAll) }, body)
}

/// Calls `readAll` with what reads all bytes of the source once.
///
/// - Throws: `error`, for which no reader could be opened, if the source cannot be read so.
func readingAll<Result>(
  _ name: SourceName, _ options: OpeningOptions, _ error: ReadError,
  _ readAll: ((OpenedSource.ReadAll) async throws -> Result)?
) async throws -> Result {
  // The reader has closed its source.
  let again = try OpenedSource(name, options)
  guard let readAll, let all = again.readAll else { throw error }
  do {
    let result = try await tellingOfSilence(of: name, { again.source.statistics() }) { try await readAll(all) }
    await again.source.close()
    return result
  } catch {
    await again.source.close()
    throw error
  }
}

/// The user's choice on files that grow while a command reads them.
enum Growth {
  /// The user gave `--growing`.
  case followed
  /// The user did not give `--growing`.
  case refused
  /// The command has no such option.
  case noChoice

  /// `message`, with advice for a program replaced by advice for this tool.
  func advice(in message: String) -> String {
    let library = ", or with `onChange: .follow` if it grows"
    return message.replacing(library, with: self == .refused ? "; if it only grows, add --growing" : "")
  }
}

/// Passes a reader of `source`, which the user named `name`, to `body`, and closes the reader.
nonisolated(nonsending) func withReader<Result>(
  _ name: SourceName, of source: some RangeSource, growth: Growth = .noChoice, _ pipeline: ReadPipeline,
  orAll: ((ReadError) async throws -> Result)? = nil,
  _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  do {
    let reader: RangeReader
    do {
      reader = try await tellingOfSilence(of: name, { source.statistics() }) {
        try await RangeReader(source, pipeline, onChange: growth == .followed ? .follow : .fail)
      }
    } catch let error as ReadError where error.code == .unsupportedSource {
      guard let orAll else { throw error }
      return try await orAll(error)
    }
    do {
      let result = try await body(reader)
      ReaderLog.note(name.shown, reader)
      await reader.close()
      return result
    } catch {
      ReaderLog.note(name.shown, reader)
      await reader.close()
      throw error
    }
  } catch let error as ReadError {
    throw ToolFailure(reading: name, error, growth)
  }
}

extension ToolFailure {
  /// The failure of reading the source called `name`.
  init(reading name: SourceName, _ error: ReadError, _ growth: Growth = .noChoice) {
    let advice = error.code == .notFound ? name.advice : ""
    // That option is for files.
    let message = ToolAdvice.translated((name.isURL ? .noChoice : growth).advice(in: error.message))
    self.init("\(name.shown): \(message)\(advice)", status: ToolStatus(error.code))
  }
}

extension FileSource.Engine: ExpressibleByArgument {
  /// The engine of that name.
  public init?(argument: String) {
    guard let engine = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = engine
  }

  /// The engines that help and completion list.
  public static var allValueStrings: [String] { allCases.filter { $0 != .positional }.map(\.name) }

  /// Those names.
  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  /// Its name.
  public var defaultValueDescription: String { name }
}

/// The option shared by the commands that read a file.
struct EngineOption: ParsableArguments {
  @Option(help: "How the file is read. direct: past the page cache, which keeps what others need.")
  var engine = FileSource.Engine.automatic

  /// The engine for the source called `name`, which must be a file for `direct`.
  func engine(for name: SourceName) throws(ToolFailure) -> FileSource.Engine {
    if engine == .direct, name.isURL { throw .usage("\(name.shown): --engine direct is for files") }
    return engine
  }
}
#endif
