extension TieredChunkStore {
  /// Removes all that is kept of a source, in all its versions and tiers, and its pins and metadata.
  ///
  /// Nothing of it can be found from now on, and reads under way will not bring it back.
  ///
  /// - Parameter id: the source's, as in `SourceDescription.id`.
  public func remove(source id: String) {
    sources.removing(.source(id: id)) { tokens in
      // Pins first: what comes in between is not pinned, or erased with the rest.
      for token in tokens { token.entry.forgetWhatIsKept() }
      for token in tokens { eraseAll(of: token) }
      // And what an earlier process has left of it.
      erase(source: id)
    }
  }

  /// Removes the blocks of a source that hold bytes of `range`, from all tiers.
  ///
  /// Nothing of it can be found from now on, and reads under way will not bring it back.
  public func remove(_ range: ByteRange, of source: SourceDescription) {
    guard !range.isEmpty else { return }
    sources.removing(.version(source)) { tokens in
      for token in tokens {
        // Whole blocks, whatever the tier: half of a block that stays in one would come back in the other.
        let blocks = token.grid.outward(range, in: token.source.byteCount)
        if !blocks.isEmpty { erase(blocks, of: token) }
      }
      // And what an earlier process has left of it.
      let whole = 0..<source.byteCount
      if range.overlaps(whole) { spill?.erase(range.clamped(to: whole), ofVersion: source) }
    }
  }

  /// Removes everything from all tiers. Nothing can be found from now on, and reads under way will not bring it back.
  ///
  /// Giving a lot of memory back takes time: that of the upper tier, if it is a ``MemoryStore``, goes back as the result
  /// is iterated, or when that is let go.
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
