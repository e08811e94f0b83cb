#if HTTP
  internal import RangeIO

  /// The bytes that came with a description, for the first reads of it.
  ///
  /// They are let go when a read has had them all, and after a few reads: later ones are elsewhere, or a cache above keeps
  /// what they want. All bytes of an object without ranges stay, until all sources together hold too much.
  struct OpeningBytes: Sendable {
    /// The number of reads for which they are kept.
    private static let maxReads = 8

    let snapshot: RemoteObject.Snapshot
    private let range: Range<Int>
    private let bytes: [UInt8]
    private let stays: Bool
    private var reads = 0
    /// The account to which they are charged.
    private let memory: SourceMemory.Part

    /// - Parameters:
    ///   - bytes: what has come last; those of `range` are at its end.
    ///   - stays: whether no range can be requested, and these are all bytes.
    ///   - drop: lets them go, when sources hold too much.
    /// - Returns: `nil` if none came.
    init?(
      _ range: Range<Int>, _ bytes: [UInt8], stays: Bool, _ snapshot: RemoteObject.Snapshot,
      drop: @escaping @Sendable () -> Void
    ) {
      guard !range.isEmpty else { return nil }
      self.snapshot = snapshot
      self.range = range
      // What came before an answer that was asked for again counts no more.
      self.bytes = bytes.count == range.count ? bytes : Array(bytes.suffix(range.count))
      memory = SourceMemory.Part(drop: drop)
      self.stays = stays
    }

    /// Charges them. Not under a lock that `drop` takes.
    func charge() { memory.hold(bytes.count) }

    /// The first bytes of `wanted`, as far as they are here, and whether no later read may have any.
    mutating func beginning(of wanted: Range<Int>) -> (bytes: ArraySlice<UInt8>, isOver: Bool) {
      reads += 1
      let part = wanted.clamped(to: range)
      let isOver = !stays && (reads == Self.maxReads || part == range)
      guard part.lowerBound == wanted.lowerBound, !part.isEmpty else { return ([], isOver) }
      return (bytes[part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound], isOver)
    }
  }
#endif
