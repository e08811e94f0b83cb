extension CachingStage {
  /// The token of the version that `source` describes.
  ///
  /// - Returns: `nil` if a longer version is being read by now.
  func token(of source: SourceDescription) -> ChunkToken? {
    let grid = grid(of: source)
    var retired: [ChunkToken] = []
    let answer = reading.withLock { reading in
      reading.token(of: source, grid) {
        let (token, old) = store.sources.token(for: source, grid: grid, reading: true)
        retired = old
        return token
      }
    }
    end(answer.ended)
    for old in retired { store.eraseRetired(old) }
    if let token = answer.token, source.knownToken(of: number) != token.number { source.know(token.number, of: number) }
    return answer.token
  }

  /// Releases a version that is no longer read, because its name now leads to another version.
  func endReading(of source: SourceDescription) {
    guard let ended = reading.withLock({ $0.remove(source) }) else { return }
    if store.sources.endReading(ended, isOver: true) { store.eraseRetired(ended) }
  }

  /// Releases all versions that were being read.
  func endReading() { end(reading.withLock { $0.removeAll() }) }

  private func end(_ tokens: [ChunkToken]) {
    for token in tokens where store.sources.endReading(token) { store.eraseRetired(token) }
  }
}
