extension ByteStream {
  /// Collects all bytes of the stream. Joins the pieces without copying.
  ///
  /// ```swift
  /// let index = try await reader.stream(indexRange).collect(upTo: .mebibytes(64))
  /// ```
  ///
  /// If you know the bounds of the range, `read` is faster. Use this for streams of unknown length, such as a stream
  /// that follows a file.
  ///
  /// - Parameter limit: the most bytes to hold in memory.
  /// - Throws: `ReadError.Code.limitExceeded` as soon as the stream turns out to be longer; any error of the stream.
  /// - Complexity: O(pieces); the memory of the pieces.
  public nonisolated(nonsending) func collect(upTo limit: ByteCount) async throws -> Bytes {
    var (pieces, count) = ([Bytes](), 0)
    for try await piece in self {
      guard piece.count <= limit.bytes - count else {
        throw ReadError(
          .limitExceeded, "the stream has more than \(limit.bytes) bytes: raise the limit, or take it piece by piece",
          context: .init(source: core.source.name))
      }
      count += piece.count
      pieces.append(piece)
    }
    return Bytes(concatenating: pieces)
  }
}

extension RangeReader {
  /// The whole source line by line: `stream().lines`.
  ///
  /// ```swift
  /// for try await line in reader.lines where line.hasPrefix("ERROR") { print(line) }
  /// ```
  public nonisolated var lines: ByteStream.LineSequence { stream().lines }
}
