extension TieredChunkStore {
  package func removeSource(_ id: String) {
    sources.removing(.source(id: id)) { tokens in
      // Pins first: a chunk that is added in between is not pinned, or is erased with the rest.
      for token in tokens { token.entry.forgetWhatIsKept() }
      for token in tokens { eraseAll(of: token) }
      // Includes what an earlier process has left of it.
      erase(source: id)
    }
  }

  package func removeBlocks(_ range: ByteRange, of source: SourceDescription) {
    guard !range.isEmpty else { return }
    // What an earlier process has left of it may have no token yet.
    _ = tokens(of: source)
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

  /// The memory of a ``MemoryStore`` that this store has made is freed as the result is iterated.
  @discardableResult package func removeEverything() -> ChunkRemoval {
    var removal = ChunkRemoval()
    sources.removing(.everything) { tokens in
      mover.removeAll()
      guard let memory else {
        for token in tokens { token.entry.forgetWhatIsKept() }
        eraseAll()
        return
      }
      removal = memory.memory.removeEverything()
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
