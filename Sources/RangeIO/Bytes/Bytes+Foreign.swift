extension Bytes {
  /// Shows several pieces of memory, one after the other, without copying them. Like `init(unsafeShowing:owner:)` for
  /// several pieces, with the same promise.
  ///
  /// The pieces share one backing, so that each reports how much memory it really keeps alive.
  ///
  /// - Complexity: O(number of pieces).
  package init(unsafeShowing pieces: [UnsafeRawBufferPointer], owner: any AnyObject & Sendable) {
    let backing = ForeignBacking(owner: owner, byteCount: pieces.reduce(0) { $0 + $1.count })
    self.init(
      concatenating: pieces.map { piece in
        guard let base = piece.baseAddress, !piece.isEmpty else { return Bytes() }
        return Bytes(owner: backing, base: base, start: 0, count: piece.count)
      })
  }
}
