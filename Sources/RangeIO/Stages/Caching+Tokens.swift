extension Caching {
  /// The token of the version that `source` describes.
  ///
  /// - Returns: `nil` if a longer version is read by now. What is left to read of the shorter one, by a stream that began
  ///   with it, is not worth turning to and fro: each turn would cost what is kept of the other.
  func token(of source: SourceDescription) -> ChunkToken? {
    let grid = grid(of: source)
    let (token, ended, retired) = reading.withLock { reading -> (ChunkToken?, ChunkToken?, [ChunkToken]) in
      // Nearly always there is one, and it is of this very snapshot.
      for token in reading where token.source === source && token.isAlive && token.grid == grid {
        return (token, nil, [])
      }
      let place = reading.firstIndex { $0.source.id == source.id }
      let before = place.map { reading[$0] }
      if let before, before.isAlive, before.grid == grid {
        if before.entry.isVersion(source) {
          before.entry.grow(to: source)
          return (before, nil, [])
        }
        if source.change(to: before.source) == .extends { return (nil, nil, []) }
      }
      let (token, retired) = store.sources.token(for: source, grid: grid, reading: true)
      if let place { reading[place] = token } else { reading.append(token) }
      return (token, before, retired)
    }
    if let ended, store.sources.endReading(ended) { store.eraseRetired(ended) }
    for old in retired { store.eraseRetired(old) }
    if let token, source.knownToken(of: number) != token.number { source.know(token.number, of: number) }
    return token
  }

  /// Lets go of a version that is not read any more, since its name leads to another.
  func endReading(of source: SourceDescription) {
    let ended = reading.withLock { reading -> ChunkToken? in
      guard let index = reading.firstIndex(where: { $0.source.id == source.id && $0.entry.isVersion(source) }) else {
        return nil
      }
      return reading.remove(at: index)
    }
    guard let ended else { return }
    if store.sources.endReading(ended, isOver: true) { store.eraseRetired(ended) }
  }

  /// Lets go of all versions that were read.
  func endReading() {
    let ended = reading.withLock { reading in
      defer { reading = [] }
      return reading
    }
    for token in ended where store.sources.endReading(token) { store.eraseRetired(token) }
  }
}
