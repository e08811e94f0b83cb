public import SystemPackage

// The only place that names concrete sources, stages and stores.

extension RangeReader {
  /// A reader of the file at `path`, with defaults that suit most programs.
  ///
  /// A relative path starts from the current directory; `~` is the home directory; symbolic links are followed.
  ///
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource` (a directory, a FIFO, …),
  ///   `resourcesExhausted` or `inputOutput`; `CancellationError`.
  public init(_ path: String, engine: FileSource.Engine = .automatic) async throws {
    try await self.init(FileSource(path, configuration: .init(engine: engine)))
  }

  /// A reader of the file at `path`, with defaults that suit most programs.
  ///
  /// - Throws: as ``init(_:engine:)`` with a string.
  public init(_ path: FilePath, engine: FileSource.Engine = .automatic) async throws {
    try await self.init(FileSource(path, configuration: .init(engine: engine)))
  }

  /// A reader of the file behind `descriptor`, which the reader owns from here on, even if this throws.
  ///
  /// - Throws: as ``init(_:engine:)`` with a path.
  public init(adopting descriptor: FileDescriptor, engine: FileSource.Engine = .automatic) async throws {
    try await self.init(FileSource(adopting: descriptor, configuration: .init(engine: engine)))
  }
}

/// Opens the file at `path`, hands a reader to `body`, and closes it however `body` ends.
///
/// ```swift
/// let magic = try await withRangeReader("photo.jpg") { try await $0.read(0..<4) }
/// ```
///
/// - Throws: what opening or `body` throws.
public nonisolated(nonsending) func withRangeReader<Result>(
  _ path: String, engine: FileSource.Engine = .automatic,
  _ body: nonisolated(nonsending) (RangeReader) async throws -> Result
) async throws -> Result {
  let reader = try await RangeReader(path, engine: engine)
  do {
    let result = try await body(reader)
    await reader.close()
    return result
  } catch {
    await reader.close()
    throw error
  }
}
