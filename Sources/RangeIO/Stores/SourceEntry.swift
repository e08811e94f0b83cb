/// One version of one source, as a store knows it: what its tokens share.
final class SourceEntry: Sendable {
  /// The version; of one that is only added to, the longest seen. For a source without a validator, this very snapshot.
  var source: SourceDescription { grown.withLock { $0 } ?? first }
  private let first: SourceDescription
  private let grown = Locked<SourceDescription?>(nil)
  private struct Kept {
    var metadata: Bytes?
    var metadataCharge = 0
    var pinned: [ByteRange] = []
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

  /// What the user keeps with this version.
  var metadata: Bytes? { kept.withLock { $0.metadata } }

  /// Keeps other metadata.
  ///
  /// - Returns: what the metadata before was charged.
  func exchangeMetadata(_ metadata: Bytes?, charge: Int) -> Int {
    kept.withLock { kept in
      defer { (kept.metadata, kept.metadataCharge) = (metadata, charge) }
      return kept.metadataCharge
    }
  }

  /// The ranges whose chunks are not to be evicted: in order, disjoint.
  var pinned: [ByteRange] { kept.withLock { $0.pinned } }

  /// Whether some of `range` is pinned.
  func pins(_ range: ByteRange) -> Bool { kept.withLock { $0.pinned.contains { $0.overlaps(range) } } }

  func pin(_ range: ByteRange) {
    kept.withLock { $0.pinned = ByteRanges.normalize($0.pinned + CollectionOfOne(range)) }
  }

  func unpin(_ range: ByteRange) {
    kept.withLock { $0.pinned = $0.pinned.flatMap { ByteRanges.subtract(range, from: $0) } }
  }

  /// Whether the user left something here that must not be forgotten.
  var isKept: Bool { kept.withLock { $0.metadata != nil || !$0.pinned.isEmpty } }
}
