import RangeIO
import RangeIORemote

#if HTTP
  import RangeIOHTTP
#endif

/// The stages for a program that knows which bytes it needs: no read-ahead, and no bytes but those asked for.
///
/// A format's parser may ask for a range that overlaps an earlier one, such as the tail of a file and then a directory that
/// begins in it: the cache fetches what is missing of it. So no parser here keeps a buffer of its own.
private func pipeline() -> ReadPipeline {
  [
    .caching(MemoryStore(limit: .mebibytes(64)), fill: .exact),
    .merging(),
    .retrying(),
    .limiting(maxConcurrentReads: 8),
    // At the bottom, so that it counts what the source is asked for.
    .observing(),
  ]
}

/// Opens a source for a parser.
package func openReader(_ source: some RangeSource) async throws -> RangeReader {
  try await RangeReader(source, pipeline())
}

/// Opens the file at a path, or the object behind a URL.
///
/// - Parameter opening: the first bytes that a parser reads: they come with the object's size and version.
package func openReader(_ place: String, _ opening: RemoteOpening) async throws -> RangeReader {
  guard place.hasPrefix("http://") || place.hasPrefix("https://") else {
    return try await openReader(FileSource(place))
  }
  #if HTTP
    var configuration = RemoteConfiguration()
    configuration.opening = opening
    return try await openReader(HTTPSource(place, configuration: configuration))
  #else
    throw FormatError.unsupported("this program was built for files only: build it with `--traits HTTP` to read URLs")
  #endif
}

/// What the source was asked for, which is what far objects cost.
///
/// An HTTP source counts its requests itself: also the one for size and version, and those that were repeated. Of other
/// sources the lowest stage knows the reads.
package func cost(of reader: RangeReader) -> String {
  let statistics = reader.statistics()
  let stage = statistics.stages.last { $0.name == "Observing" }
  let source = statistics.source.first { $0["requests"] != nil }
  let requests = source?["requests"] ?? stage?["reads"] ?? 0
  let bytes = source?["bytes received"] ?? stage?["bytes"] ?? 0
  return "\(requests) \(requests == 1 ? "request" : "requests"), \(bytes) of \(reader.byteCount) bytes"
}
