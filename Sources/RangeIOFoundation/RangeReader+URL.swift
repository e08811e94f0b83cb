public import RangeIO

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Opens files by URL.
extension RangeReader {
  /// Opens the file at a `file:` URL, with defaults that suit most programs.
  ///
  /// ```swift
  /// let reader = try await RangeReader(fileURL: Bundle.main.url(forResource: "planet", withExtension: "pmtiles")!)
  /// ```
  ///
  /// Symbolic links are followed. For other settings, create a `FileSource` from the URL. The initializer with a path
  /// describes the parameters.
  ///
  /// - Throws: `ReadError` with `unsupportedSource` if the URL is not a `file:` URL of this machine; otherwise as the
  ///   initializer with a path.
  public init(
    fileURL url: URL, engine: FileSource.Engine = .automatic, cache: (any ChunkStore)? = MemoryStore.shared,
    onChange: ChangePolicy = .fail
  ) async throws {
    try await self.init(
      FileSource(url, engine: engine, isAppendOnly: onChange.follows), .localFile(cache: cache), onChange: onChange)
  }
}

/// Files by URL.
extension FileSource {
  /// The file at a `file:` URL. The first use opens it, not this initializer.
  ///
  /// ```swift
  /// let url = URL(filePath: "tiles/planet.pmtiles")
  /// let reader = try await RangeReader(FileSource(url), [.observing(), .localFile()])
  /// ```
  ///
  /// Percent-encoded characters are decoded. Unlike in a path, `~` has no special meaning. The initializer with a path
  /// describes the other parameters.
  ///
  /// - Throws: `ReadError` with `unsupportedSource` if the URL is not a `file:` URL, names another host or has no
  ///   absolute path; `notFound` if no file can have that name, such as one with an encoded slash.
  public convenience init(
    _ url: URL, engine: Engine = .automatic, blockSize: ByteCount = .kibibytes(64), isAppendOnly: Bool = false,
    cost: SourceDescription.Cost = SourceDescription.Cost()
  ) throws(ReadError) {
    self.init(
      try FileURL.path(of: url), engine: engine, blockSize: blockSize, isAppendOnly: isAppendOnly, cost: cost)
  }
}

/// Converts a `file:` URL to a path, as in RFC 8089.
enum FileURL {
  static func path(of url: URL) throws(ReadError) -> String {
    let context = ReadError.Context(source: url.absoluteString)
    guard url.isFileURL else {
      throw ReadError(
        .unsupportedSource,
        "this is not a file: URL: a file source reads local files only; use a source for its scheme",
        // The part after the scheme may contain credentials.
        context: .init(source: "\(url.scheme ?? "no scheme"):…"))
    }
    if let host = url.host(), !host.isEmpty, host != "localhost" {
      throw ReadError(
        .unsupportedSource, "the URL names the host '\(host)': mount its file system, and name the file there",
        context: context)
    }
    let absolute = url.absoluteURL
    let encoded = absolute.path(percentEncoded: true)
    guard encoded.hasPrefix("/") else {
      throw ReadError(.unsupportedSource, "the URL has no absolute path: make it with URL(filePath:)", context: context)
    }
    // If it were decoded, it would name a file in another directory.
    guard !encoded.uppercased().contains("%2F") else {
      throw ReadError(.notFound, "the URL has an encoded slash, which no file's name can contain", context: context)
    }
    let path = absolute.path(percentEncoded: false)
    guard path.hasPrefix("/") else {
      throw ReadError(.notFound, "the URL's path is not UTF-8: rename the file", context: context)
    }
    return path
  }
}
