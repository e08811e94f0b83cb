import Synchronization

/// The sources that a store knows: gives each (source, version, block size) a ``ChunkToken``, comparing whole values.
///
/// Stores that are composed into one share one of these, so that a token means the same in every tier.
public final class ChunkSources: Sendable {
  private struct State {
    /// By id: usually one version with one token.
    var tokens: [SourceID: [ChunkToken]] = [:]
    /// The same, by their numbers.
    var numbered: [UInt64: ChunkToken] = [:]
    var count: Int { numbered.count }
    /// Removals under way.
    var removals: [ChunkRemovalUnderWay] = []
    var lastRemoval: UInt64 = 0
    /// Looked through for tokens that are not needed when there are so many.
    var sweepAt = 256
    var lastNumber: UInt64 = 0
  }
  private let state = Locked(State())
  private let touches = PublishedOnce<RecentTouches>()

  /// No sources yet.
  public init() {}

  /// The number of tokens that are remembered.
  public var count: Int { state.withLock { $0.count } }

  /// The token of `source` on `grid`: the one given out before for the same version, or a new one.
  ///
  /// A source without a validator gets one of its own for each snapshot.
  ///
  /// - Parameter reading: whether to note that a reader reads this version now, which it gives back with
  ///   ``endReading(_:)``.
  /// - Returns: the token, and those of older versions that are not read any more: retired, their chunks to be erased.
  package func token(
    for source: SourceDescription, grid: BlockGrid, reading: Bool
  ) -> (ChunkToken, retired: [ChunkToken]) {
    let id = SourceID(source.id)
    return state.withLock { state in
      var siblings = state.tokens[id] ?? []
      let known = siblings.first { $0.grid == grid && $0.entry.isVersion(source) }
      if let known {
        known.entry.grow(to: source)
        if reading { known.readers.wrappingAdd(1, ordering: .relaxed) }
        return (known, [])
      }
      if state.count >= state.sweepAt {
        Self.sweep(&state)
        siblings = state.tokens[id] ?? []
      }
      state.lastNumber += 1
      let entry = siblings.first { $0.entry.isVersion(source) }?.entry ?? SourceEntry(source)
      let token = ChunkToken(number: state.lastNumber, entry: entry, grid: grid)
      if reading { token.readers.wrappingAdd(1, ordering: .relaxed) }
      // A version that replaces another makes it useless, unless somebody still reads it.
      let isReplaced = { (sibling: ChunkToken) in
        source.validator != nil && sibling.entry !== entry && sibling.isUnread
      }
      let retired = siblings.filter(isReplaced)
      siblings.removeAll(where: isReplaced)
      for sibling in retired {
        sibling.retire()
        state.numbered[sibling.number] = nil
      }
      siblings.append(token)
      for old in retired { Self.endEntry(of: old, unlessIn: siblings) }
      state.tokens[id] = siblings
      state.numbered[token.number] = token
      // What an earlier process has left of it may be found in one place while it is erased in another.
      for index in state.removals.indices where state.removals[index].scope.covers(token) {
        token.beginRemoval()
        state.removals[index].tokens.append(token)
      }
      return (token, retired)
    }
  }

  /// A reader turns to another version or ends.
  ///
  /// - Parameter isOver: whether this version cannot be opened any more.
  /// - Returns: whether the token was retired by that, since it is over, a newer version has come meanwhile or its
  ///   snapshot was private: its chunks are to be erased.
  func endReading(_ token: ChunkToken, isOver: Bool = false) -> Bool {
    state.withLock { state in
      guard token.readers.wrappingSubtract(1, ordering: .relaxed).newValue == 0, token.isAlive else { return false }
      let id = SourceID(token.source.id)
      guard var siblings = state.tokens[id] else { return false }
      // Tokens are numbered as versions come.
      let isSuperseded = siblings.contains { $0.number > token.number && $0.entry !== token.entry }
      guard isOver || isSuperseded || token.source.validator == nil else { return false }
      token.retire()
      siblings.removeAll { $0 === token }
      Self.endEntry(of: token, unlessIn: siblings)
      state.tokens[id] = siblings.isEmpty ? nil : siblings
      state.numbered[token.number] = nil
      return true
    }
  }

  /// What was read lately, for those who keep only what is read twice.
  var recentTouches: RecentTouches { touches.value ?? touches.publish(RecentTouches()) }

  /// The tokens of a version, whatever their grids.
  public func tokens(of source: SourceDescription) -> [ChunkToken] {
    let id = SourceID(source.id)
    return state.withLock { ($0.tokens[id] ?? []).filter { $0.entry.isVersion(source) } }
  }

  /// The tokens of all versions of the source called `id`.
  public func tokens(ofID id: String) -> [ChunkToken] {
    let id = SourceID(id)
    return state.withLock { $0.tokens[id] ?? [] }
  }

  /// The token of that number, if it is alive.
  func token(numbered number: UInt64) -> ChunkToken? { state.withLock { $0.numbered[number] } }

  /// All tokens.
  public var all: [ChunkToken] { state.withLock { Array($0.numbered.values) } }

  /// Removes what a store of several tiers holds: none of it can be published from the start of `erase` to its end, by
  /// whatever read, so a chunk that moves from a tier that is not erased yet to one that is does not arrive there.
  ///
  /// That holds for the tokens that are made meanwhile, too: of what an earlier process has left, the first read may come
  /// just then.
  ///
  /// - Parameter erase: erases all tiers, of the tokens that are known and of what has none.
  public func removing(_ scope: ChunkScope, _ erase: ([ChunkToken]) -> Void) {
    let (number, tokens) = state.withLock { state in
      let candidates = scope.id.map { state.tokens[$0] ?? [] } ?? Array(state.numbered.values)
      let tokens = candidates.filter { scope.covers($0) }
      for token in tokens { token.beginRemoval() }
      state.lastRemoval += 1
      state.removals.append(.init(number: state.lastRemoval, scope: scope, tokens: tokens))
      return (state.lastRemoval, tokens)
    }
    erase(tokens)
    state.withLock { state in
      guard let index = state.removals.firstIndex(where: { $0.number == number }) else { return }
      for token in state.removals.remove(at: index).tokens { token.endRemoval() }
    }
  }

  /// A token was retired: its version is over if it was the last one.
  private static func endEntry(of token: ChunkToken, unlessIn left: [ChunkToken]) {
    if !left.contains(where: { $0.entry === token.entry }) { token.entry.end() }
  }

  /// Forgets tokens that have no chunks, no readers and nothing that the user left with them.
  private static func sweep(_ state: inout State) {
    for (id, siblings) in state.tokens {
      let staying = siblings.filter { !$0.isUnread || $0.isCharged || $0.entry.isKept }
      let kept = siblings.filter { token in
        guard !staying.contains(where: { $0 === token }) else { return true }
        // The last token of its version goes only with that, and not if the user leaves something there just now.
        let isLast = !staying.contains { $0.entry === token.entry }
        guard !isLast || token.entry.endUnlessKept() else { return true }
        // Whoever still holds it, for something on its way, is told.
        token.retire()
        state.numbered[token.number] = nil
        return false
      }
      state.tokens[id] = kept.isEmpty ? nil : kept
    }
    // Twice what is left: a sweep costs a constant time for each token given out.
    state.sweepAt = max(256, state.count * 2)
  }
}

extension ChunkToken {
  var isUnread: Bool { readers.load(ordering: .relaxed) == 0 }

  /// Whether a tier has chunks of it, or room for some.
  var isCharged: Bool {
    chargedBytes.load(ordering: .relaxed) != 0 || chargedBytesBelow.load(ordering: .relaxed) != 0
  }
}
