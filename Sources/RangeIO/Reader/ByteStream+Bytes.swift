extension ByteStream {
  /// The stream byte by byte: for parsers that look at every one.
  ///
  /// A byte costs a pointer comparison and a load, except at the end of a piece; the loop does not suspend in between.
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
      @inlinable public mutating func next() async throws -> UInt8? {
        if let byte = current.next() { return byte }
        return try await nextPiece(isolation: nil)
      }

      /// The next byte, or `nil` at the end of the range, without leaving the caller's actor.
      @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
        if let byte = current.next() { return byte }
        return try await nextPiece(isolation: actor)
      }

      @usableFromInline mutating func nextPiece(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
        guard let piece = try await pieces.next(isolation: actor) else { return nil }
        current = piece.makeIterator()
        return current.next()
      }
    }
  }
}
