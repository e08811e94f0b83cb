extension TieredChunkStore {
  /// Removes everything kept of a source, in all its versions and tiers, with its pins and metadata.
  ///
  /// From now on it cannot be found, and reads in flight do not bring it back.
  ///
  /// - Parameter id: the source's id, as in `SourceDescription.id`.
  public func remove(source id: String) {
    sources.removing(.source(id: id)) { tokens in
      // Pins first: a chunk that is added in between is not pinned, or is erased with the rest.
      for token in tokens { token.entry.forgetWhatIsKept() }
      for token in tokens { eraseAll(of: token) }
      // Includes what an earlier process has left of it.
      erase(source: id)
    }
  }

  /// Removes the blocks of a source that hold bytes of `range`, from all tiers.
  ///
  /// From now on they cannot be found, and reads in flight do not bring them back.
  public func remove(_ range: ByteRange, of source: SourceDescription) {
    guard !range.isEmpty else { return }
    sources.removing(.version(source)) { tokens in
      for token in tokens {
        // Whole blocks in every tier: half of a block that stays in one tier would come back in another.
        let blocks = token.grid.outward(range, in: token.source.byteCount)
        if !blocks.isEmpty { erase(blocks, of: token) }
      }
      // Includes what an earlier process has left of it.
      let whole = 0..<source.byteCount
      if range.overlaps(whole) { spill?.erase(range.clamped(to: whole), ofVersion: source) }
    }
  }

  /// Removes everything from all tiers. From now on nothing can be found, and reads in flight do not bring it back.
  ///
  /// Freeing a lot of memory takes time. If the upper tier is a ``MemoryStore``, its memory is freed as you iterate the
  /// result, or when you release it.
  @discardableResult public func removeAll() -> ChunkRemoval {
    var removal = ChunkRemoval()
    sources.removing(.everything) { tokens in
      mover.removeAll()
      guard let memory else {
        for token in tokens { token.entry.forgetWhatIsKept() }
        eraseAll()
        return
      }
      removal = memory.memory.removeAll()
      inner?.mover.removeAll()
      memory.compressed?.eraseAll()
      spill?.eraseAll()
    }
    return removal
  }

  private func eraseAll(of token: ChunkToken) {
    guard token.source.byteCount > 0 else { return }
    erase(0..<token.source.byteCount, of: token)
  }
}
