/// The tokens of the versions that a cache reads now: of each source usually one.
struct VersionsBeingRead {
  /// Versions of one source at once: readers of an older one may go on with it next to those of the present one.
  private static let mostVersions = 4
  /// Sources at once. Of what was read before them, none is sure to be read on.
  private static let mostSources = 1024

  /// By the id of the source; of several the one that was read first comes first.
  private var tokens: [SourceID: [ChunkToken]] = [:]
  /// The sources as they came.
  private var order: [SourceID] = []

  /// What ``token(of:_:make:)`` came to.
  struct Answer {
    /// `nil` if a longer version is read by now.
    var token: ChunkToken?
    /// Those that are not read through this any more.
    var ended: [ChunkToken] = []
  }

  /// The token of the version that `source` describes.
  ///
  /// - Parameter make: the token, if none is read now.
  mutating func token(of source: SourceDescription, _ grid: BlockGrid, make: () -> ChunkToken) -> Answer {
    let id = SourceID(source.id)
    let known = tokens[id] ?? []
    // Nearly always there is one, and it is of this very snapshot.
    for token in known where token.source === source && token.isAlive && token.grid == grid {
      return Answer(token: token)
    }
    for token in known where token.isAlive && token.grid == grid {
      if token.entry.isVersion(source) {
        token.entry.grow(to: source)
        return Answer(token: token)
      }
      // What is left to read of the shorter one, by a stream that began with it, is not worth turning to and fro: each
      // turn would cost what is kept of the other.
      if source.change(to: token.source) == .extends { return Answer() }
    }
    var answer = Answer(token: make())
    var kept: [ChunkToken] = []
    for token in known {
      let isRead = token.isAlive && token.grid == grid && token.source.change(to: source) != .extends
      if isRead { kept.append(token) } else { answer.ended.append(token) }
    }
    if kept.count >= Self.mostVersions { answer.ended.append(kept.removeFirst()) }
    if let token = answer.token { kept.append(token) }
    if known.isEmpty { order.append(id) }
    tokens[id] = kept
    if order.count > Self.mostSources { answer.ended += tokens.removeValue(forKey: order.removeFirst()) ?? [] }
    return answer
  }

  /// Takes out a version that is not read any more.
  mutating func remove(_ source: SourceDescription) -> ChunkToken? {
    let id = SourceID(source.id)
    guard let index = tokens[id]?.firstIndex(where: { $0.entry.isVersion(source) }) else { return nil }
    let token = tokens[id]?.remove(at: index)
    if tokens[id]?.isEmpty == true {
      tokens[id] = nil
      order.removeAll { $0 == id }
    }
    return token
  }

  /// Takes out all.
  mutating func removeAll() -> [ChunkToken] {
    defer { self = VersionsBeingRead() }
    return tokens.values.flatMap { $0 }
  }
}
