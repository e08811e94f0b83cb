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
    public func makeAsyncIterator() -> Iterator { Iterator(pieces: stream.makeAsyncIterator(), longest: longest) }

    /// The lines, in order. To be used by one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      private var pieces: ByteStream.Iterator
      private let longest: Int
      /// What is left of the present piece.
      private var rest = Bytes()
      /// The beginning of a line whose end has not come yet.
      private var begun: [UInt8] = []
      private var isEnded = false

      init(pieces: ByteStream.Iterator, longest: Int) {
        self.pieces = pieces
        self.longest = longest
      }

      /// The next line, or `nil` at the end of the range.
      public mutating func next() async throws -> String? { try await next(isolation: nil) }

      /// The next line, or `nil` at the end of the range, without leaving the caller's actor.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
        while !isEnded {
          if let line = try takeLine() { return line }
          guard let piece = try await nextPiece(isolation: actor) else {
            isEnded = true
            return begun.isEmpty ? nil : begun.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
          }
          rest = piece
        }
        return nil
      }

      /// After an error nothing comes any more: the beginning of a line is not a line.
      private mutating func nextPiece(isolation actor: isolated (any Actor)?) async throws -> Bytes? {
        do {
          return try await pieces.next(isolation: actor)
        } catch {
          isEnded = true
          throw error
        }
      }

      /// The line that ends within what is there. If none does, all of it is put by.
      private mutating func takeLine() throws -> String? {
        guard let end = rest.position(of: UInt8(ascii: "\n")) else {
          try checkLength(rest.count)
          begun.append(contentsOf: rest)
          rest = Bytes()
          return nil
        }
        try checkLength(end)
        let line = rest.slice(0..<end)
        rest = rest.slice(end + 1..<rest.count)
        return takeBegun(with: line)
      }

      private mutating func checkLength(_ count: Int) throws {
        guard begun.count + count > longest else { return }
        isEnded = true
        throw ReadError(
          .limitExceeded,
          "a line is longer than \(longest) bytes: call lines(longest:) with a larger bound, or read bytes")
      }

      private mutating func takeBegun(with end: Bytes) -> String {
        defer { begun.removeAll(keepingCapacity: true) }
        if begun.isEmpty { return end.withUnsafeBytes { Self.text($0) } }
        begun.append(contentsOf: end)
        return begun.withUnsafeBytes { Self.text($0) }
      }

      private static func text(_ line: UnsafeRawBufferPointer) -> String {
        String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
      }
    }
  }
}

extension Bytes {
  /// The first position of `byte`, or `nil`.
  fileprivate func position(of byte: UInt8) -> Int? {
    var position = 0
    while position < count {
      let run = run(at: position)
      if let found = run.firstIndex(of: byte) { return position + found }
      position += run.count
    }
    _fixLifetime(self)
    return nil
  }
}
