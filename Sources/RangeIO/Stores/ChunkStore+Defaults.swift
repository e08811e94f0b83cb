// Default implementations, and what you can do with every store.

extension ChunkStore {
  /// By default `false`.
  public var keepsPartsOfBlocks: Bool { false }

  /// By default `false`.
  public var mayOutliveProcess: Bool { false }

  /// By default erases token by token.
  public func erase(source id: String) {
    for token in sources.tokens(ofID: id) { eraseWhole(token) }
  }

  /// By default erases token by token.
  public func eraseAll() {
    for token in sources.all { eraseWhole(token) }
  }

  func eraseWhole(_ token: ChunkToken) {
    guard token.source.byteCount > 0 else { return }
    erase(0..<token.source.byteCount, of: token)
  }
}

extension ChunkStore {
  /// Whether the store holds all of `range`. The library's stores do not count it as a read; any other store is asked
  /// by ``lookUp(_:of:)``.
  ///
  /// - Parameter source: the description that the reader has where the `Caching` stage stands: `reader.source` if no
  ///   stage above it changes the contents.
  public func contains(_ range: ByteRange, of source: SourceDescription) -> Bool { full.has(range, of: source) }

  /// Removes everything kept of a source, in all its versions and tiers, with its pins and metadata.
  ///
  /// From now on it cannot be found, and reads in flight do not bring it back.
  ///
  /// - Parameter id: the source's id, as in `SourceDescription.id`.
  public func remove(source id: String) { full.removeSource(id) }

  /// Removes the blocks of a source that hold bytes of `range`, from all tiers.
  ///
  /// From now on they cannot be found, and reads in flight do not bring them back.
  public func remove(_ range: ByteRange, of source: SourceDescription) { full.removeBlocks(range, of: source) }

  /// Removes everything. From now on nothing can be found, and reads in flight do not bring it back.
  ///
  /// Freeing a lot of memory takes time. A ``MemoryStore`` frees it as you iterate the result, as reads need the room,
  /// or when you release the result. Other stores free it at once.
  ///
  /// ```swift
  /// for await progress in store.removeAll() { bar.show(progress.fraction) }
  /// store.removeAll()  // at once
  /// ```
  @discardableResult public func removeAll() -> ChunkRemoval { full.removeEverything() }
}

extension ChunkTier {
  /// By default reserves and inserts each piece.
  public func insertDemoted(_ chunk: Chunk) -> Bool { insertPieces(of: chunk) }

  /// By default erases the range here.
  public func erasePromoted(_ range: ByteRange, of token: ChunkToken) { erase(range, of: token) }

  /// By default does nothing.
  public func sendEvictions(to demote: @escaping @Sendable ([Chunk]) -> Void) {}
}

extension ChunkStore {
  /// Reserves and inserts each piece of a chunk separately.
  ///
  /// - Returns: whether all of it is kept.
  func insertPieces(of chunk: Chunk) -> Bool {
    var isKept = true
    for piece in chunk.pieces {
      guard let reservation = reserve(piece.range, ofRun: piece.range.count, for: chunk.token) else {
        isKept = false
        continue
      }
      isKept = insert(piece.bytes, at: piece.range, ticket: chunk.ticket, reservation: reservation) && isKept
    }
    return isKept
  }
}
