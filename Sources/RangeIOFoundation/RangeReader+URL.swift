public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension RangeReader {
  /// Opens the file at a `file:` URL, with defaults that suit most programs.
  ///
  /// ```swift
  /// let reader = try await RangeReader(contentsOf: Bundle.main.url(forResource: "planet", withExtension: "pmtiles")!)
  /// ```
  ///
  /// Symbolic links are followed. For other settings, create a `FileSource` from the URL. The initializer with a path
  /// describes the parameters.
  ///
  /// - Throws: `ReadError` with `unsupportedSource` if the URL is not a `file:` URL of this machine; otherwise as the
  ///   initializer with a path.
  public init(
    contentsOf url: URL, engine: FileSource.Engine = .automatic, cache: (any ChunkStore)? = MemoryStore.shared,
    onChange: ChangePolicy = .fail, @ReadPipeline.Builder stages: @Sendable () throws -> [any ReadStage] = { [] }
  ) async throws {
    try await self.init(
      FileSource(url, configuration: .init(engine: engine, isAppendOnly: onChange == .follow)),
      RangeReader.pipeline(keepingIn: cache, among: ReadPipeline(stages)), onChange: onChange)
  }
}
