/// The tokens of the versions that a cache reads now. Usually one per source.
struct VersionsBeingRead {
  /// The most versions of one source at once: readers of an older one may continue beside readers of the current one.
  private static let maxVersions = 4
  /// The most sources at once. One more ends the one that came first and was not asked for since it was passed over.
  private static let maxSources = 1024

  /// Tokens by source id. If there are several, the one that was read first comes first.
  private var tokens: [SourceID: [ChunkToken]] = [:]
  private var order: [SourceID] = []
  /// The sources that were asked for again.
  private var isUsed: Set<SourceID> = []
  /// The token asked for last. Most misses in a row are of one snapshot, and to hash its id takes longer than the rest.
  private var latestSource: SourceDescription?
  private var latestToken: ChunkToken?

  /// The result of ``token(of:_:make:)``.
  struct Answer {
    /// `nil` if a longer version is being read by now.
    var token: ChunkToken?
    /// Tokens that are no longer read through this cache.
    var ended: [ChunkToken] = []
  }

  /// The token of exactly this snapshot, if it was the last one asked for.
  func latest(_ source: SourceDescription, _ grid: BlockGrid) -> ChunkToken? {
    // The source is compared where it is: a copy would count a reference that all readers share.
    guard latestSource === source, let token = latestToken, token.isAlive, token.grid == grid else { return nil }
    return token
  }

  private mutating func noteLatest(_ source: SourceDescription?, _ token: ChunkToken?) {
    (latestSource, latestToken) = (token == nil ? nil : source, token)
  }

  /// The token of the version that `source` describes.
  ///
  /// - Parameter make: makes the token if none is read now.
  mutating func token(of source: SourceDescription, _ grid: BlockGrid, make: () -> ChunkToken) -> Answer {
    let id = SourceID(source.id)
    let known = tokens[id] ?? []
    // Nearly always there is one, and it belongs to exactly this snapshot.
    for token in known where token.source === source && token.isAlive && token.grid == grid {
      isUsed.insert(id)
      noteLatest(source, token)
      return Answer(token: token)
    }
    for token in known where token.isAlive && token.grid == grid {
      if token.entry.isVersion(source) {
        token.entry.grow(to: source)
        noteLatest(source, token)
        return Answer(token: token)
      }
      // A stream that started with the shorter version may still read the rest of it. Switching back and forth is not
      // worth it: each switch would lose what is kept of the other version.
      if source.change(to: token.source) == .extends { return Answer() }
    }
    var answer = Answer(token: make())
    var kept: [ChunkToken] = []
    for token in known {
      let isRead = token.isAlive && token.grid == grid && token.source.change(to: source) != .extends
      if isRead { kept.append(token) } else { answer.ended.append(token) }
    }
    if kept.count >= Self.maxVersions { answer.ended.append(kept.removeFirst()) }
    if let token = answer.token { kept.append(token) }
    noteLatest(source, answer.token)
    if known.isEmpty { order.append(id) }
    tokens[id] = kept
    if order.count > Self.maxSources { answer.ended += removeUnused() }
    return answer
  }

  /// Ends one source, by a second chance for each that was asked for again (CLOCK: Corbató, 1968).
  private mutating func removeUnused() -> [ChunkToken] {
    while isUsed.remove(order[0]) != nil { order.append(order.removeFirst()) }
    return tokens.removeValue(forKey: order.removeFirst()) ?? []
  }

  var all: [ChunkToken] { tokens.values.flatMap { $0 } }

  mutating func remove(_ source: SourceDescription) -> ChunkToken? {
    noteLatest(nil, nil)
    let id = SourceID(source.id)
    guard let index = tokens[id]?.firstIndex(where: { $0.entry.isVersion(source) }) else { return nil }
    let token = tokens[id]?.remove(at: index)
    if tokens[id]?.isEmpty == true {
      tokens[id] = nil
      isUsed.remove(id)
      order.removeAll { $0 == id }
    }
    return token
  }

  mutating func removeAll() -> [ChunkToken] {
    defer { self = VersionsBeingRead() }
    return tokens.values.flatMap { $0 }
  }
}

/// The version that each of a few groups of threads asked for last, with its token: threads that read through one cache do not
/// meet at the lock of ``VersionsBeingRead``. Changed under that lock, and looked at without.
///
/// Gains two writes to a line that all misses share. Made once two threads have met: most caches are read by one at a time.
final class LatestVersions: Sendable {
  private struct Latest {
    var source: SourceDescription?
    var token: ChunkToken?
  }
  private let latest = ThreadGroups(Latest())

  /// The token of exactly this snapshot, if a thread of this group asked for it last.
  func token(of source: SourceDescription, _ grid: BlockGrid) -> ChunkToken? {
    latest.withOwn { latest in
      guard latest.source === source, let token = latest.token, token.isAlive, token.grid == grid else { return nil }
      return token
    }
  }

  func note(_ source: SourceDescription, _ token: ChunkToken) {
    let old = latest.withOwn { latest in
      defer { latest = Latest(source: source, token: token) }
      return latest
    }
    // Released outside of the lock.
    withExtendedLifetime(old) {}
  }

  func forget() { _ = latest.replaceAll(by: Latest()) }
}
