import Synchronization

/// One version of one source, as a store knows it. Its tokens share this.
package final class SourceEntry: Sendable {
  /// The version. For an append-only source, the longest one seen. For a source without a validator, exactly this
  /// snapshot.
  var source: SourceDescription { first.isAppendOnly ? rare.value?.state.withLock { $0.grown } ?? first : first }
  let first: SourceDescription
  /// User data kept with a version, and how to give back its charge.
  struct Metadata: Sendable {
    let bytes: Bytes
    let giveBack: @Sendable () -> Void
  }
  private struct State {
    /// A longer version of an append-only source.
    var grown: SourceDescription?
    var metadata: Metadata?
    var pinned: [ByteRange] = []
    /// No token of this version is left, and none will come.
    var isOver = false
    /// The user keeps something: metadata or pins.
    var isAnything: Bool { metadata != nil || !pinned.isEmpty }
  }
  /// State that most versions have none of. Separate, since stores keep an entry for each source.
  private final class Rare: Sendable {
    let state: Locked<State>

    init(isOver: Bool = false) { state = Locked(State(isOver: isOver)) }
  }
  private let rare = PublishedOnce<Rare>()
  private var made: Rare { rare.value ?? rare.publish(Rare()) }
  /// Shared by all versions that end without such state. Nothing is kept there, as they are over.
  private static let over = Rare(isOver: true)

  init(_ source: SourceDescription) { first = source }

  /// The size of ``source``. Without a lock, unless it grows.
  var byteCount: Int { first.isAppendOnly ? source.byteCount : first.byteCount }

  func isVersion(_ source: SourceDescription) -> Bool {
    let known = self.source
    if known === source { return true }
    // Without a validator nothing proves that two snapshots have the same bytes.
    guard known.validator != nil, source.validator != nil else { return false }
    guard known.isAppendOnly, source.isAppendOnly else {
      return known.byteCount == source.byteCount && known.change(to: source) == .same
    }
    return known.change(to: source) != .other || source.change(to: known) != .other
  }

  /// Notes that `source`, which is this version, may be longer now.
  func grow(to source: SourceDescription) {
    guard first.isAppendOnly, source.byteCount > self.source.byteCount else { return }
    made.state.withLock { state in
      if !state.isOver, source.byteCount > (state.grown ?? first).byteCount { state.grown = source }
    }
  }

  // MARK: what the user keeps

  /// `true` once no token of this version is left, and none will come. From then on nothing is kept with it.
  var isOver: Bool { rare.value?.state.withLock { $0.isOver } ?? false }

  /// Call when the last token is retired. The caller that erases it also forgets what is kept here.
  func end() { rare.publish(Self.over).state.withLock { $0.isOver = true } }

  /// Like ``end()``, unless the user has stored something here that must not be forgotten.
  func endUnlessKept() -> Bool {
    rare.publish(Self.over).state.withLock { state in
      if !state.isAnything { state.isOver = true }
      return state.isOver
    }
  }

  /// The user's metadata for this version.
  var metadata: Bytes? { rare.value?.state.withLock { $0.metadata?.bytes } }

  /// Keeps metadata. Replaces the old metadata and gives back its charge. Returns false, and keeps nothing, if the
  /// version is over.
  func keep(_ metadata: Metadata) -> Bool {
    let (isKept, before) = made.state.withLock { state -> (Bool, Metadata?) in
      guard !state.isOver else { return (false, nil) }
      defer { state.metadata = metadata }
      return (true, state.metadata)
    }
    before?.giveBack()
    return isKept
  }

  /// Removes the metadata, and gives back its charge.
  func forgetMetadata() {
    let before = rare.value?.state.withLock { state in
      defer { state.metadata = nil }
      return state.metadata
    }
    before?.giveBack()
  }

  /// Removes metadata and pins.
  func forgetWhatIsKept() {
    forgetMetadata()
    unpin(0..<Int.max)
  }

  /// The ranges whose chunks must not be evicted: in order, disjoint.
  var pinned: [ByteRange] { rare.value?.state.withLock { $0.pinned } ?? [] }

  /// Checks whether some of `range` is pinned.
  package func pins(_ range: ByteRange) -> Bool {
    rare.value?.state.withLock { $0.pinned.contains { $0.overlaps(range) } } ?? false
  }

  /// - Returns: false, and pins nothing, if the version is over.
  func pin(_ range: ByteRange) -> Bool {
    made.state.withLock { state in
      if !state.isOver { state.pinned = ByteRanges.normalize(state.pinned + CollectionOfOne(range)) }
      return !state.isOver
    }
  }

  func unpin(_ range: ByteRange) {
    rare.value?.state.withLock { $0.pinned = $0.pinned.flatMap { ByteRanges.subtract(range, from: $0) } }
  }

  /// The user has stored something here that must not be forgotten.
  var isKept: Bool { rare.value?.state.withLock { $0.isAnything } ?? false }
}
