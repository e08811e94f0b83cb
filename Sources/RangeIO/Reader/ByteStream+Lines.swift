import CRangeIOSystem

extension ByteStream {
  /// The stream line by line, as text. A line ends with a line feed. The line feed, and a carriage return directly
  /// before it, are left out. No other character ends a line.
  ///
  /// Bytes that are not valid UTF-8 become the replacement character U+FFFD. The last line needs no line feed.
  public var lines: LineSequence { lines(maxLength: .mebibytes(1)) }

  /// The stream line by line, with your own limit on the length of a line.
  ///
  /// - Parameter maxLength: the most bytes a line may have before its line feed, a carriage return included. A longer line throws
  ///   `ReadError.Code.limitExceeded`, so that a file without line feeds does not fill the memory.
  public func lines(maxLength: ByteCount) -> LineSequence { LineSequence(stream: self, longest: maxLength.bytes) }

  /// The lines of a ``ByteStream``.
  public struct LineSequence: AsyncSequence, Sendable {
    let stream: ByteStream
    let longest: Int

    /// Starts at the beginning of the range.
    public func makeAsyncIterator() -> Iterator {
      Iterator(pieces: stream.makeAsyncIterator(), longest: longest, of: stream.core.source.name)
    }

    /// The lines, in order. Use an iterator from one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      private var pieces: ByteStream.Iterator
      private let longest: Int
      /// The name of the source, for errors.
      private let name: String
      /// Keeps alive the memory that `rest` points into.
      private var piece = Bytes()
      /// Where the current run of the piece ends. `rest` is the remainder of this run.
      private var runEnd = 0
      /// The part of the current run that has not been searched yet. A pointer, because lines are short and many:
      /// slicing `Bytes` would cost more than finding the line ends.
      private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
      /// The start of a line whose end has not been read yet.
      private var begun: [UInt8] = []
      private var isEnded = false

      init(pieces: ByteStream.Iterator, longest: Int, of name: String) {
        self.pieces = pieces
        self.longest = longest
        self.name = name
      }

      /// The next line, or `nil` at the end of the range.
      @inlinable public nonisolated(nonsending) mutating func next() async throws -> String? {
        if let line = try takeLine() { return line }
        return try await nextPieces()
      }

      /// The next line, or `nil` at the end of the range. Runs on the caller's actor.
      @inlinable public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws
        -> String?
      {
        // Not `isolated`, for the reason given in `ByteSequence`.
        if let line = try takeLine() { return line }
        return try await nextPieces()
      }

      /// Reads further pieces until a line ends.
      @usableFromInline nonisolated(nonsending) mutating func nextPieces() async throws -> String? {
        while !isEnded {
          guard let piece = try await nextPiece() else {
            (isEnded, self.piece) = (true, Bytes())
            return begun.isEmpty ? nil : String(decoding: begun, as: UTF8.self)
          }
          (self.piece, runEnd) = (piece, 0)
          if let line = try takeLine() { return line }
        }
        return nil
      }

      /// After an error the stream is over: an unfinished line is not returned.
      private nonisolated(nonsending) mutating func nextPiece() async throws -> Bytes? {
        do {
          return try await pieces.next()
        } catch {
          isEnded = true
          throw error
        }
      }

      /// Returns the next line that ends within the current piece. If none does, saves the remainder of the piece in
      /// `begun`.
      @usableFromInline mutating func takeLine() throws(ReadError) -> String? {
        defer { _fixLifetime(piece) }
        while true {
          // `memchr` checks many bytes at a time.
          if let start = rest.baseAddress, let feed = memchr(start, CInt(UInt8(ascii: "\n")), rest.count) {
            let line = UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(feed) - start)
            try checkLength(line.count)
            rest = UnsafeRawBufferPointer(start: UnsafeRawPointer(feed) + 1, count: rest.count - line.count - 1)
            return begun.isEmpty ? Self.text(line) : takeBegun(with: line)
          }
          try checkLength(rest.count)
          begun.append(contentsOf: rest)
          rest = piece.run(at: runEnd)
          guard !rest.isEmpty else { return nil }
          runEnd += rest.count
        }
      }

      private mutating func checkLength(_ count: Int) throws(ReadError) {
        // Subtracts instead of adding: with a limit of `Int.max` the sum would overflow.
        guard count > longest - begun.count else { return }
        isEnded = true
        (piece, rest) = (Bytes(), UnsafeRawBufferPointer(start: nil, count: 0))
        throw ReadError(
          .limitExceeded,
          "a line is longer than \(longest) bytes: call lines(maxLength:) with a larger bound, or read bytes",
          context: .init(source: name))
      }

      private mutating func takeBegun(with end: UnsafeRawBufferPointer) -> String {
        begun.append(contentsOf: end)
        defer { begun.removeAll(keepingCapacity: true) }
        return begun.withUnsafeBytes { Self.text($0) }
      }

      /// Decodes a line without its line feed.
      private static func text(_ line: UnsafeRawBufferPointer) -> String {
        let isReturned = !line.isEmpty && line[line.count - 1] == UInt8(ascii: "\r")
        return String(
          decoding: UnsafeRawBufferPointer(start: line.baseAddress, count: line.count - (isReturned ? 1 : 0)),
          as: UTF8.self)
      }
    }
  }
}
