extension Caching {
  /// The token of the version that `source` describes.
  func token(of source: SourceDescription) -> ChunkToken {
    let grid = grid(of: source)
    let (token, ended, retired) = reading.withLock { reading -> (ChunkToken, ChunkToken?, [ChunkToken]) in
      // Nearly always there is one, and it is of this very snapshot.
      for token in reading where token.source === source && token.isAlive && token.grid == grid {
        return (token, nil, [])
      }
      let place = reading.firstIndex { $0.source.id == source.id }
      let before = place.map { reading[$0] }
      if let before, before.isAlive, before.grid == grid, before.entry.isVersion(source) { return (before, nil, []) }
      let (token, retired) = store.sources.token(for: source, grid: grid, reading: true)
      if let place { reading[place] = token } else { reading.append(token) }
      return (token, before, retired)
    }
    if let ended, store.sources.endReading(ended) { store.eraseRetired(ended) }
    for old in retired { store.eraseRetired(old) }
    if source.knownToken(of: number) != token.number { source.know(token.number, of: number) }
    return token
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
