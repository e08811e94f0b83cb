import CBenchmarkPeers

/// Counts the bytes of a stream and checks the pieces where they begin.
struct StreamCheck {
  private(set) var position = 0

  /// Takes note of the next piece.
  mutating func take(_ piece: Piece) throws {
    // A piece that begins between two words cannot be checked so simply; its bytes are counted all the same.
    if position % 8 == 0, piece.count >= 8 { try piece.check(at: position, count: piece.count) }
    position += piece.count
  }

  /// Throws unless the stream had `byteCount` bytes.
  func finish(_ byteCount: Int) throws {
    guard position == byteCount else { throw WrongBytes(offset: 0, expected: byteCount, got: position) }
  }
}
