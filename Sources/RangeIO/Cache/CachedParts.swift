/// The pieces that a request has found and fetched, and its gaps. Makes the response of them.
struct CachedParts {
  /// Disjoint, or equal where they overlap. Not in order.
  var pieces: [RangedBytes] = []
  /// Pieces that must be loaded, in order. Their wanted parts are disjoint.
  var deferred: [DeferredPiece] = []
  /// In order, disjoint.
  var gaps: [ByteRange] = []
  /// The pieces of ``deferred`` are known not to be at hand.
  var mustWait = false

  init() {}

  init(_ range: ByteRange, _ found: ChunkLookup) { add(range, found) }

  var isComplete: Bool { gaps.isEmpty && deferred.isEmpty }

  /// Adds what a store found of `range`. If the store lacks what it claims to have, that becomes a gap.
  mutating func add(_ range: ByteRange, _ found: ChunkLookup) {
    switch found {
    case .hit(let bytes) where bytes.count == range.count: pieces.append(RangedBytes(range, bytes))
    case .hit, .miss: gaps.append(range)
    case .partial(let some, let below, let missing):
      if Self.covers(range, some, below, missing) {
        pieces += some
        deferred += below
        gaps += missing
      } else {
        addWhatIsThere(of: range, some, below)
      }
    }
  }

  /// True if every claimed part is really there, and together they have as many bytes as `range`.
  private static func covers(
    _ range: ByteRange, _ pieces: [RangedBytes], _ deferred: [DeferredPiece], _ gaps: [ByteRange]
  ) -> Bool {
    var count = 0
    for piece in pieces {
      guard piece.bytes.count == piece.range.count else { return false }
      count += piece.range.count
    }
    for piece in deferred {
      guard piece.range.lowerBound <= piece.wanted.lowerBound, piece.wanted.upperBound <= piece.range.upperBound else {
        return false
      }
      count += piece.wanted.count
    }
    return gaps.reduce(count) { $0 + $1.count } == range.count
  }

  /// Needed because a source may have grown since a piece of its end was kept, and because the store may be a custom
  /// one.
  private mutating func addWhatIsThere(of range: ByteRange, _ some: [RangedBytes], _ below: [DeferredPiece]) {
    let there = some.filter { $0.bytes.count == $0.range.count }
    var covered = ByteRanges.normalize(there.map(\.range))
    pieces += there
    for piece in below {
      guard let wanted = ByteRanges.intersection(piece.wanted, piece.range) else { continue }
      for part in ByteRanges.gaps(in: wanted, covered: covered) { deferred.append(piece.wanting(part)) }
      covered = ByteRanges.normalize(covered + [wanted])
    }
    gaps += ByteRanges.gaps(in: range, covered: covered)
  }

  var wants: FlightWants {
    guard !deferred.isEmpty else { return FlightWants(gaps: gaps) }
    return FlightWants(gaps: gaps, deferred: deferred.map { .init(wanted: $0.wanted, whole: $0.range) })
  }

  /// Sorts what several ranges are missing, and removes duplicates.
  mutating func normalize() {
    gaps = ByteRanges.normalize(gaps)
    guard deferred.count > 1 else { return }
    var ordered: [DeferredPiece] = []
    for one in deferred.sorted(by: { $0.wanted.lowerBound < $1.wanted.lowerBound }) {
      let lower = max(one.wanted.lowerBound, ordered.last?.wanted.upperBound ?? 0)
      guard lower < one.wanted.upperBound else { continue }
      ordered.append(one.wanting(lower..<one.wanted.upperBound))
    }
    deferred = ordered
  }

  /// The bytes of each range of `request`. The pieces must hold all of them.
  func response(to request: ReadRequest) -> ReadResponse {
    if pieces.count == 1, pieces[0].range == request.range, request.moreRanges.isEmpty {
      return ReadResponse(pieces[0].bytes)
    }
    let ordered = pieces.sorted { $0.range.lowerBound < $1.range.lowerBound }
    // How far the pieces reach so far. This rises even where their own ends do not, so it can be searched.
    var reach = 0
    let reaches = ordered.map { piece in
      reach = max(reach, piece.range.upperBound)
      return reach
    }
    func cut(_ range: ByteRange) -> Bytes {
      Self.cut(range, of: ordered[reaches.partitionPoint { $0 > range.lowerBound }...])
    }
    return ReadResponse(request.ranges.mapped(cut))
  }

  private static func cut(_ range: ByteRange, of ordered: ArraySlice<RangedBytes>) -> Bytes {
    var cursor = range.lowerBound
    var parts: [Bytes] = []
    for piece in ordered where piece.range.upperBound > cursor {
      guard cursor < range.upperBound else { break }
      let end = min(range.upperBound, piece.range.upperBound)
      parts.append(piece.bytes(of: cursor..<end))
      cursor = end
    }
    assert(cursor == range.upperBound, "the pieces hold every byte")
    return Bytes(concatenating: parts)
  }
}
