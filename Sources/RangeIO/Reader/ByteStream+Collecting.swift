public import SystemPackage

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
  /// The whole source line by line: `stream().lines`. For lines of more than 1 MiB, write `stream().lines(maxLength:)`.
  ///
  /// ```swift
  /// for try await line in reader.lines where line.hasPrefix("ERROR") { print(line) }
  /// ```
  public nonisolated var lines: ByteStream.LineSequence { stream().lines }
}

extension ByteStream {
  /// Writes the stream to the file at `path`, and replaces what is there. The file appears under its name when it is
  /// complete, and not before.
  ///
  /// ```swift
  /// try await reader.stream(1_000_000..<9_000_000).write(to: "part.bin")
  /// ```
  ///
  /// The bytes go to a file with a temporary name in the same directory, which is renamed at the end. After an error,
  /// and when the task is cancelled, that file is removed and `path` is as it was. A file that is replaced passes its
  /// permissions on. A symbolic link stays, and the file that it leads to is replaced. A relative path starts from the
  /// current directory; `~` is the home directory. Nothing is forced to disk.
  ///
  /// - Returns: the number of bytes written.
  /// - Throws: any error of the stream; `ReadError` with `notFound` for a missing directory, `permissionDenied`,
  ///   `resourcesExhausted` for a full disk, `unsupportedSource` if `path` is a directory or a device, `inputOutput`;
  ///   `CancellationError` at once when the task is cancelled.
  /// - Complexity: the memory of the stream and one piece. Writes block threads of the library and none of Swift's own.
  @discardableResult public nonisolated(nonsending) func write(to path: FilePath) async throws -> Int {
    let disk = DiskWork.threads(PathThreads.shared.threads(toOpen: path))
    let file = try await disk.run { try NewFile(path) }
    var count = 0
    do {
      for try await piece in self {
        try await disk.run { [count] in try file.write(piece, at: count) }
        count += piece.count
      }
      try await disk.run { try file.finish() }
    } catch {
      // `try?`: a cancelled task does not wait, and the file is removed all the same.
      try? await disk.run { file.abandon() }
      throw error
    }
    return count
  }

  /// Writes the stream to the file at `path`. Otherwise like ``write(to:)-(FilePath)``.
  @discardableResult public nonisolated(nonsending) func write(to path: String) async throws -> Int {
    try await write(to: FilePath(try FilePathExpansion.expand(path)))
  }
}
