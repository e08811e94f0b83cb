extension ByteStream {
  /// The stream byte by byte: for parsers that look at every one.
  ///
  /// A byte costs a comparison and a load; the loop does not suspend within a piece. On the main actor (and so in a
  /// `main.swift`) Swift makes sure after every step of an asynchronous loop that it is still there, for some 20 ns. A loop
  /// over pieces with one over bytes within costs none of that, wherever it runs:
  ///
  /// ```swift
  /// for try await piece in reader.stream() {
  ///   for byte in piece { parser.take(byte) }
  /// }
  /// ```
  public var bytes: ByteSequence { ByteSequence(stream: self) }

  /// The bytes of a ``ByteStream``.
  public struct ByteSequence: AsyncSequence, Sendable {
    @usableFromInline let stream: ByteStream

    /// An iteration from the start of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

    /// The bytes, in order. To be used by one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      @usableFromInline var pieces: ByteStream.Iterator
      @usableFromInline var current: Bytes.Iterator

      init(_ pieces: ByteStream.Iterator) {
        self.pieces = pieces
        current = Bytes().makeIterator()
      }

      /// The next byte, or `nil` at the end of the range.
      @inlinable public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
        if let byte = current.next() { return byte }
        return try await nextPiece()
      }

      /// The next byte, or `nil` at the end of the range, without leaving the caller's actor.
      @inlinable public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> UInt8?
      {
        // Not `isolated`: that would have every step ask for the actor's executor twice. The caller's is where it runs.
        if let byte = current.next() { return byte }
        return try await nextPiece()
      }

      @usableFromInline nonisolated(nonsending) mutating func nextPiece() async throws -> UInt8? {
        guard let piece = try await pieces.next() else { return nil }
        current = piece.makeIterator()
        return current.next()
      }
    }
  }
}
