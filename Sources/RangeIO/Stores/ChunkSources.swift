import Synchronization

/// The sources that a store knows. Gives each combination of source, version and block size a ``ChunkToken``. Compares
/// whole values.
///
/// Stores that are combined into one share one `ChunkSources`, so that a token means the same in every tier.
public final class ChunkSources: Sendable {
  /// A removal that has started and not ended.
  private struct RemovalUnderWay {
    let number: UInt64
    let scope: ChunkScope
    /// Nothing may be published for these tokens until the removal ends. Includes tokens made since it started.
    var tokens: [ChunkToken]
  }
  private struct State: ~Copyable {
    var tokens = TokenTable()
    var removals: [RemovalUnderWay] = []
    var lastRemoval: UInt64 = 0
    /// When this many tokens exist, unneeded ones are swept.
    var sweepAt = 256
    var lastNumber: UInt64 = 0
  }
  private let state = Locked(State())
  private let charges = PublishedOnce<SourceCharges>()
  private let touches = PublishedOnce<RecentTouches>()
  private let admission = PublishedOnce<AdmissionMeter>()
  /// Permits to read without a reservation: they bound the memory of such reads. Stores that share this object
  /// share the permits.
  let unreserved = Permits(4)

  /// Creates an empty set of sources.
  public init() {}

  package var count: Int { state.withLock { $0.tokens.count } }

  /// Returns the token of `source` on `grid`: the existing token of the same version, or a new one.
  ///
  /// A source without a validator gets a separate token for each snapshot.
  ///
  /// - Parameter reading: `true` to note that a reader reads this version now. The reader ends that with
  ///   ``endReading(_:)``.
  /// - Returns: the token, and the tokens of older versions that are no longer read. Those are retired; the caller must
  ///   erase their chunks.
  package func token(
    for source: SourceDescription, grid: BlockGrid, reading: Bool
  ) -> (ChunkToken, retired: [ChunkToken]) {
    let id = SourceID(source.id)
    return state.withLock { state in
      var siblings = state.tokens.tokens(id)
      let known = siblings.first { $0.grid == grid && $0.entry.isVersion(source) }
      if let known {
        known.entry.grow(to: source)
        if reading { known.readers.wrappingAdd(1, ordering: .relaxed) }
        return (known, [])
      }
      if state.tokens.count >= state.sweepAt {
        Self.sweep(&state)
        siblings = state.tokens.tokens(id)
      }
      state.lastNumber += 1
      let entry = siblings.first { $0.entry.isVersion(source) }?.entry ?? SourceEntry(source)
      entry.grow(to: source)
      let token = ChunkToken(number: state.lastNumber, entry: entry, grid: grid, charges: charges.value)
      if reading { token.readers.wrappingAdd(1, ordering: .relaxed) }
      // A new version makes the old one useless, unless a reader still reads the old one.
      let isReplaced = { (sibling: ChunkToken) in
        source.validator != nil && sibling.entry !== entry && sibling.isUnread
      }
      let retired = siblings.filter(isReplaced)
      for sibling in retired {
        sibling.retire()
        state.tokens.remove(sibling)
      }
      state.tokens.add(token)
      if !retired.isEmpty { siblings = state.tokens.tokens(id) }
      for old in retired { Self.endEntry(of: old, unlessIn: siblings) }
      // Chunks left by an earlier process may still be found in one tier while they are being erased in another.
      for index in state.removals.indices where state.removals[index].scope.covers(token) {
        token.beginRemoval(of: state.removals[index].scope.range(on: token.grid))
        state.removals[index].tokens.append(token)
      }
      return (token, retired)
    }
  }

  /// A reader switches to another version or ends.
  ///
  /// - Parameter isOver: `true` if this version can no longer be opened.
  /// - Returns: `true` if this retired the token: the version is over, a newer version has come, or the snapshot was
  ///   private. The caller must then erase its chunks.
  package func endReading(_ token: ChunkToken, isOver: Bool = false) -> Bool {
    guard token.readers.wrappingSubtract(1, ordering: .relaxed).newValue == 0 else { return false }
    token.flights.rest()
    return state.withLock { state in
      guard token.isUnread, token.isAlive else { return false }
      let id = SourceID(token.source.id)
      let siblings = state.tokens.tokens(id)
      guard !siblings.isEmpty else { return false }
      // Later versions have higher token numbers.
      let isSuperseded = siblings.contains { $0.number > token.number && $0.entry !== token.entry }
      guard isOver || isSuperseded || token.source.validator == nil else {
        token.noteUnread()
        return false
      }
      token.retire()
      state.tokens.remove(token)
      Self.endEntry(of: token, unlessIn: state.tokens.tokens(id))
      return true
    }
  }

  /// Sets what is charged for sources with chunks in memory.
  ///
  /// - Returns: false if another store's was set before: then that store alone is charged.
  func charge(_ charges: SourceCharges) -> Bool { self.charges.publish(charges) === charges }

  /// Forgets tokens whose last chunk has left, if there are many.
  ///
  /// - Parameter forgetting: `false` to leave them to later tokens, which sweep.
  func settle(forgetting: Bool) {
    guard let idle = charges.borrow({ $0.takeIdle() }), !idle.isEmpty, forgetting else { return }
    state.withLock { state in
      for token in idle where state.tokens.count > SourceCharges.free { Self.forgetIfUnneeded(token, &state) }
      state.tokens.shrink(least: SourceCharges.free)
    }
  }

  /// Recently read blocks, for caches that keep only second reads.
  var recentTouches: RecentTouches { touches.value ?? touches.publish(RecentTouches()) }

  /// Measures if it pays to keep second reads. Made at the first call.
  ///
  /// - Parameter capacity: the bytes that the store may hold.
  func admissionMeter(capacity: Int) -> AdmissionMeter {
    admission.value ?? admission.publish(AdmissionMeter(recentTouches, capacity: capacity))
  }

  /// The tokens of a version, on all grids.
  package func tokens(of source: SourceDescription) -> [ChunkToken] {
    let id = SourceID(source.id)
    return state.withLock { $0.tokens.tokens(id).filter { $0.entry.isVersion(source) } }
  }

  /// The tokens of all versions of the source with this id.
  package func tokens(ofID id: String) -> [ChunkToken] {
    let id = SourceID(id)
    return state.withLock { $0.tokens.tokens(id) }
  }

  /// The token with that number, if it is alive.
  package func token(numbered number: UInt64) -> ChunkToken? { state.withLock { $0.tokens.token(number) } }

  package var all: [ChunkToken] { state.withLock { $0.tokens.all } }

  /// Removes the contents of a store with several tiers.
  ///
  /// From the start of `erase` to its end, no read can publish any of it. So a chunk cannot escape by moving from a
  /// tier that is not erased yet to one that already is.
  ///
  /// This also holds for tokens made during `erase`: the first read of what an earlier process left may happen just
  /// then.
  ///
  /// - Parameter erase: erases all tiers: the chunks of the tokens it receives, and chunks that have no token.
  func removing(_ scope: ChunkScope, _ erase: ([ChunkToken]) -> Void) {
    let (number, tokens) = state.withLock { state in
      let tokens = (scope.id.map { state.tokens.tokens($0) } ?? state.tokens.all).filter { scope.covers($0) }
      for token in tokens { token.beginRemoval(of: scope.range(on: token.grid)) }
      state.lastRemoval += 1
      state.removals.append(.init(number: state.lastRemoval, scope: scope, tokens: tokens))
      return (state.lastRemoval, tokens)
    }
    erase(tokens)
    state.withLock { state in
      guard let index = state.removals.firstIndex(where: { $0.number == number }) else { return }
      for token in state.removals.remove(at: index).tokens { token.endRemoval(of: scope.range(on: token.grid)) }
    }
  }

  /// A token was retired. If it was the last one of its version, the version is over.
  private static func endEntry(of token: ChunkToken, unlessIn left: [ChunkToken]) {
    if !left.contains(where: { $0.entry === token.entry }) { token.entry.end() }
  }

  /// Removes tokens that have no chunks, no readers and no user data.
  private static func sweep(_ state: inout State) {
    for token in state.tokens.all { forgetIfUnneeded(token, &state) }
    state.tokens.shrink(least: SourceCharges.free)
    // Twice the remaining count: so sweeping costs amortized constant time for each new token.
    state.sweepAt = max(256, state.tokens.count * 2)
  }

  private static func forgetIfUnneeded(_ token: ChunkToken, _ state: inout State) {
    guard token.isAlive, token.isUnread, !token.isCharged, !token.entry.isKept else { return }
    let siblings = state.tokens.tokens(SourceID(token.source.id)).filter { $0 !== token }
    // The last token of a version goes only together with the version, and not if the user is storing something there
    // right now.
    guard siblings.contains(where: { $0.entry === token.entry }) || token.entry.endUnlessKept() else { return }
    // Chunks still in flight with this token must be refused.
    token.retire()
    state.tokens.remove(token)
  }
}

extension ChunkToken {
  var isUnread: Bool { readers.load(ordering: .relaxed) == 0 }

  /// A tier holds chunks of this token, or has reserved room for some.
  var isCharged: Bool {
    chargedBytes != 0 || chargedBytesBelow.load(ordering: .relaxed) != 0
  }
}
