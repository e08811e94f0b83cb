extension MemoryStore {
  package func removeSource(_ id: String) {
    let tokens = sources.tokens(ofID: id)
    for token in tokens { token.raiseGeneration() }
    for token in tokens {
      // Pins first: a chunk that is added in between is not pinned, or is erased with the rest.
      token.entry.forgetWhatIsKept()
      erase(token, 0..<Int.max)
    }
  }

  package func removeBlocks(_ range: ByteRange, of source: SourceDescription) {
    let tokens = sources.tokens(of: source)
    for token in tokens { token.raiseGeneration() }
    guard let range = ByteRanges.intersection(range, 0..<Int.max) else { return }
    for token in tokens { erase(token, token.grid.blocks(covering: range)) }
  }

  /// Freeing a lot of memory takes time. It happens as the result is iterated, as reads need the room, or when the
  /// result is released.
  @discardableResult package func removeEverything() -> ChunkRemoval {
    for token in sources.all {
      token.raiseGeneration()
      token.entry.forgetWhatIsKept()
    }
    var detached: [DetachedShard] = []
    for shard in 0..<shards.count {
      if let contents = shards.change(shard, { $0.detach(shards.freshPolicy(configuration.policy, ledger.present)) }) {
        detached.append(contents)
      }
    }
    let work = RemovalWork(detached) { [ledger, weak self] in
      ledger.give(bytes: $0.bytes, blocks: $0.blocks)
      self?.roomIsFree()
    }
    removals.add(work)
    // Tasks that wait for room can free this memory.
    roomIsFree()
    return ChunkRemoval(work)
  }

  /// Erases the blocks that hold bytes of `range`.
  public func erase(_ range: ByteRange, of token: ChunkToken) { erase(token, token.grid.blocks(covering: range)) }

  /// Erases all chunks of a retired token. If it was the last token of its version, also erases what the user kept with
  /// it.
  package func eraseRetired(_ token: ChunkToken) {
    erase(token, 0..<Int.max)
    // Another grid of the version may still be read: its chunks stay pinned as long as its ranges are.
    if token.entry.isOver { token.entry.forgetWhatIsKept() }
  }

  private func erase(_ token: ChunkToken, _ blocks: Range<Int>) {
    let all = token.grid.blocks(covering: 0..<token.source.byteCount)
    let blocks = blocks.clamped(to: all)
    if blocks.count <= 4096 {
      eraseByLookingUp(token, blocks)
    } else {
      eraseByScanning(token, blocks)
    }
  }

  private func eraseByLookingUp(_ token: ChunkToken, _ blocks: Range<Int>) {
    var first = blocks.lowerBound
    while first < blocks.upperBound {
      let end = min(blocks.upperBound, (first | 15) + 1)
      var gone = EvictedChunks()
      shards.change(shards.index(of: ChunkTable.hash(token: token.number, block: first))) {
        $0.erase(token, lookingUp: first..<end, &gone)
      }
      if gone.blocks > 0 { release(gone) }
      first = end
    }
  }

  private func eraseByScanning(_ token: ChunkToken, _ blocks: Range<Int>) {
    for shard in 0..<shards.count {
      var next: Int? = 0
      while let first = next {
        var gone = EvictedChunks()
        next = shards.change(shard) { $0.erase(token, blocks, scanningFrom: first, &gone) }
        if gone.blocks > 0 { release(gone) }
      }
    }
  }
}
