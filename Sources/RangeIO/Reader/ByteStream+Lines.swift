#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ByteStream {
  /// The stream line by line, as text: lines end with a line feed, which, with a carriage return before it, is left out.
  /// No other character ends a line.
  ///
  /// What is not UTF-8 becomes the replacement character U+FFFD. The last line needs no line feed.
  public var lines: LineSequence { lines(longest: .mebibytes(1)) }

  /// The stream line by line, with a bound of your own on their length.
  ///
  /// - Parameter longest: the bytes that a line may have before its line feed. A longer one throws
  ///   `ReadError.Code.limitExceeded`, so that a file without line feeds does not fill the memory.
  public func lines(longest: ByteCount) -> LineSequence { LineSequence(stream: self, longest: longest.bytes) }

  /// The lines of a ``ByteStream``.
  public struct LineSequence: AsyncSequence, Sendable {
    let stream: ByteStream
    let longest: Int

    /// An iteration from the start of the range.
    public func makeAsyncIterator() -> Iterator {
      Iterator(pieces: stream.makeAsyncIterator(), longest: longest, of: stream.core.source.name)
    }

    /// The lines, in order. To be used by one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      private var pieces: ByteStream.Iterator
      private let longest: Int
      /// Of the source, for errors.
      private let name: String
      /// Keeps the memory of `rest` where it is.
      private var piece = Bytes()
      /// Where the run of the piece ends of which `rest` is what is left.
      private var runEnd = 0
      /// What has not been looked at of one run of the piece: a pointer, since lines are short and many, and slices of
      /// `Bytes` would cost more than finding their ends.
      private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
      /// The beginning of a line whose end has not come yet.
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

      /// The next line, or `nil` at the end of the range, without leaving the caller's actor.
      @inlinable public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws
        -> String?
      {
        // Not `isolated`: see `ByteSequence`.
        if let line = try takeLine() { return line }
        return try await nextPieces()
      }

      /// The line that ends in one of the pieces to come.
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

      /// After an error nothing comes any more: the beginning of a line is not a line.
      private nonisolated(nonsending) mutating func nextPiece() async throws -> Bytes? {
        do {
          return try await pieces.next()
        } catch {
          isEnded = true
          throw error
        }
      }

      /// The line that ends within the present piece. If none does, all that is left of it is put by.
      @usableFromInline mutating func takeLine() throws(ReadError) -> String? {
        defer { _fixLifetime(piece) }
        while true {
          // `memchr` looks at many bytes at a time.
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
        // Not their sum, which a bound of `Int.max` would let overflow.
        guard count > longest - begun.count else { return }
        isEnded = true
        (piece, rest) = (Bytes(), UnsafeRawBufferPointer(start: nil, count: 0))
        throw ReadError(
          .limitExceeded,
          "a line is longer than \(longest) bytes: call lines(longest:) with a larger bound, or read bytes",
          context: .init(source: name))
      }

      private mutating func takeBegun(with end: UnsafeRawBufferPointer) -> String {
        begun.append(contentsOf: end)
        defer { begun.removeAll(keepingCapacity: true) }
        return begun.withUnsafeBytes { Self.text($0) }
      }

      /// A line without its line feed as text.
      private static func text(_ line: UnsafeRawBufferPointer) -> String {
        let isReturned = !line.isEmpty && line[line.count - 1] == UInt8(ascii: "\r")
        return String(
          decoding: UnsafeRawBufferPointer(start: line.baseAddress, count: line.count - (isReturned ? 1 : 0)),
          as: UTF8.self)
      }
    }
  }
}
