extension ByteStream {
  /// All bytes of the stream, joined without a copy.
  ///
  /// ```swift
  /// let index = try await reader.stream(indexRange).collect(upTo: .mebibytes(64))
  /// ```
  ///
  /// For a range whose bounds you know, `read` is quicker. This is for streams whose length you do not know, such as one that
  /// follows a file.
  ///
  /// - Parameter limit: the bytes that are held at most.
  /// - Throws: `ReadError.Code.limitExceeded` when the stream has more, as soon as that is seen; what the stream throws.
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
