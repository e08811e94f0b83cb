extension ByteStream {
  /// The stream byte by byte, for parsers that look at every byte.
  ///
  /// A byte costs a comparison and a load; the loop does not suspend within a piece. On the main actor (and so in a
  /// `main.swift`), however, Swift checks after every step of an asynchronous loop that it is still on that actor,
  /// which takes some 20 ns. A loop over the pieces, with an inner loop over the bytes, avoids this cost everywhere:
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

    /// Starts at the beginning of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

    /// The bytes, in order. Use an iterator from one task at a time.
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

      /// The next byte, or `nil` at the end of the range. Runs on the caller's actor.
      @inlinable public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> UInt8?
      {
        // Not `isolated`: every step would then ask for the actor's executor twice. This already runs on the caller's.
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
