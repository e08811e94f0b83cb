/// One version of one source, as a store knows it: what its tokens share.
final class SourceEntry: Sendable {
  /// The version; of one that is only added to, the longest seen. For a source without a validator, this very snapshot.
  var source: SourceDescription { grown.withLock { $0 } ?? first }
  private let first: SourceDescription
  private let grown = Locked<SourceDescription?>(nil)
  /// What the user keeps with a version, and how to give back what that is charged.
  struct Metadata: Sendable {
    let bytes: Bytes
    let giveBack: @Sendable () -> Void
  }
  private struct Kept {
    var metadata: Metadata?
    var pinned: [ByteRange] = []
    /// Whether no token of this version is left, and none will be.
    var isOver = false
    var isAnything: Bool { metadata != nil || !pinned.isEmpty }
  }
  private let kept = Locked(Kept())

  init(_ source: SourceDescription) { first = source }

  /// Whether `source` is this version.
  func isVersion(_ source: SourceDescription) -> Bool {
    let known = self.source
    if known === source { return true }
    // Without a validator nothing proves that two snapshots show the same bytes.
    guard known.validator != nil, source.validator != nil else { return false }
    guard known.isAppendOnly, source.isAppendOnly else {
      return known.byteCount == source.byteCount && known.change(to: source) == .same
    }
    return known.change(to: source) != .other || source.change(to: known) != .other
  }

  /// `source`, which is this version, may be longer than it was.
  func grow(to source: SourceDescription) {
    guard first.isAppendOnly, source.byteCount > self.source.byteCount else { return }
    grown.withLock { grown in
      if source.byteCount > (grown ?? first).byteCount { grown = source }
    }
  }

  // MARK: what the user keeps

  /// Whether no token of this version is left, and none will be: nothing is kept with it from then on.
  var isOver: Bool { kept.withLock { $0.isOver } }

  /// The last token goes. The caller that erases it forgets what is kept.
  func end() { kept.withLock { $0.isOver = true } }

  /// As ``end()``, unless the user left something here that must not be forgotten.
  func endUnlessKept() -> Bool {
    kept.withLock { kept in
      if !kept.isAnything { kept.isOver = true }
      return kept.isOver
    }
  }

  /// What the user keeps with this version.
  var metadata: Bytes? { kept.withLock { $0.metadata?.bytes } }

  /// Keeps metadata in place of what was kept, whose charge is given back.
  ///
  /// - Returns: false, with nothing kept, if the version is over.
  func keep(_ metadata: Metadata) -> Bool {
    let (isKept, before) = kept.withLock { kept -> (Bool, Metadata?) in
      guard !kept.isOver else { return (false, nil) }
      defer { kept.metadata = metadata }
      return (true, kept.metadata)
    }
    before?.giveBack()
    return isKept
  }

  /// Forgets metadata, and gives back what it was charged.
  func forgetMetadata() {
    let before = kept.withLock { kept in
      defer { kept.metadata = nil }
      return kept.metadata
    }
    before?.giveBack()
  }

  /// Forgets metadata and pins.
  func forgetWhatIsKept() {
    forgetMetadata()
    unpin(0..<Int.max)
  }

  /// The ranges whose chunks are not to be evicted: in order, disjoint.
  var pinned: [ByteRange] { kept.withLock { $0.pinned } }

  /// Whether some of `range` is pinned.
  func pins(_ range: ByteRange) -> Bool { kept.withLock { $0.pinned.contains { $0.overlaps(range) } } }

  /// - Returns: false, with nothing pinned, if the version is over.
  func pin(_ range: ByteRange) -> Bool {
    kept.withLock { kept in
      if !kept.isOver { kept.pinned = ByteRanges.normalize(kept.pinned + CollectionOfOne(range)) }
      return !kept.isOver
    }
  }

  func unpin(_ range: ByteRange) {
    kept.withLock { $0.pinned = $0.pinned.flatMap { ByteRanges.subtract(range, from: $0) } }
  }

  /// Whether the user left something here that must not be forgotten.
  var isKept: Bool { kept.withLock { $0.isAnything } }
}
