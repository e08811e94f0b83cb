public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension RangeReader {
  /// A reader of the file at a `file:` URL, with defaults that suit most programs.
  ///
  /// ```swift
  /// let reader = try await RangeReader(contentsOf: Bundle.main.url(forResource: "planet", withExtension: "pmtiles")!)
  /// ```
  ///
  /// Symbolic links are followed. For other stages or settings make a `FileSource` of the URL.
  ///
  /// - Throws: `ReadError` with `unsupportedSource` for what is no `file:` URL of this machine; else as the initialiser
  ///   with a path.
  public init(
    contentsOf url: URL, engine: FileSource.Engine = .automatic, cache: Cache = .shared
  ) async throws {
    try await self.init(FileSource(url, configuration: .init(engine: engine)), cache.pipeline)
  }
}
