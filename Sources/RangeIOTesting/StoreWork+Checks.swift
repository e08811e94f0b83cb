import RangeIO

/// Checks of what must be true for a store at any time.
extension StoreWork {
  /// A store keeps a block in its own memory, not in the memory that the caller passed.
  mutating func checkOwnMemory() async throws(StoreFault) {
    let token = ownToken()
    let ticket = token.ticket(fetchedAt: now)
    guard let reservation = store.reserve(0..<4096, ofRun: 4096, for: token) else {
      throw StoreFault("has no room for a block when it is empty")
    }
    weak var owner: Lent?
    do {
      let lent = Lent(Self.bytes(0..<4096, token))
      owner = lent
      guard store.insert(lent.bytes, at: 0..<4096, ticket: ticket, reservation: reservation) else {
        throw StoreFault("does not keep a block when it is empty")
      }
    }
    guard owner == nil else {
      throw StoreFault("keeps memory that is not its own: copy what it is handed, or evicting frees nothing")
    }
    guard try await lookUp(0..<4096, token).isEmpty else {
      throw StoreFault("says that it keeps a block, and does not find it")
    }
  }

  private func ownToken() -> ChunkToken { token(source: 99, version: 0, size: 4096, grid: Self.grids[1]) }

  /// Erases the block of ``checkOwnMemory()`` when no token leads to it any more, as after a restart.
  func checkLeftovers(everything: Bool) throws(StoreFault) {
    let token = ownToken()
    while token.isAlive { _ = store.sources.endReading(token, isOver: true) }
    store.erase(source: everything ? nil : token.source.id)
    try expectNothing(0..<4096, ownToken(), "were left by an earlier process, and erased")
  }

  /// Reservations are charged: the store must not promise more than it can hold. A store may promise nothing, with a
  /// reservation of zero bytes, and drop what does not fit.
  func checkReservations() throws(StoreFault) {
    let grid = Self.grids[1]
    let most = limit / grid.blockSize
    let token = token(source: 98, version: 0, size: (most + 1) * grid.blockSize, grid: grid)
    var reservations: [ChunkReservation] = []
    defer { for reservation in reservations { store.cancel(reservation) } }
    for block in 0...most {
      let range = grid.range(of: block, in: token.source.byteCount)
      if let reservation = store.reserve(range, ofRun: range.count, for: token) {
        reservations.append(reservation)
      }
    }
    let promised = reservations.reduce(0) { $0 + $1.byteCount }
    guard promised <= limit else {
      throw StoreFault("promises room for \(promised) bytes, with a limit of \(limit)")
    }
  }

  /// Bytes in memory and reserved bytes together are within the limit.
  func checkLimit() async throws(StoreFault) {
    var held = 0
    for token in store.sources.all where token.source.byteCount > 0 {
      for block in token.grid.blocks(covering: 0..<token.source.byteCount) {
        let range = token.grid.range(of: block, in: token.source.byteCount)
        switch store.lookUp(range, of: token) {
        case .hit(let bytes): held += bytes.count
        case .partial(let pieces, _, _): held += pieces.reduce(0) { $0 + $1.bytes.count }
        case .miss: break
        }
      }
    }
    let reserved = fetches.reduce(0) { $0 + $1.reservation.byteCount }
    guard held + reserved <= limit else {
      throw StoreFault("holds \(held) bytes and has promised \(reserved) more, with a limit of \(limit)")
    }
  }

  func expectNothing(_ range: ByteRange, _ token: ChunkToken, _ why: String) throws(StoreFault) {
    guard case .miss = full.lookUp(range, token: token.number, grid: token.grid),
      full.hit(range, token: token.number, grid: token.grid) == nil,
      !full.holdsSome(of: range, token: token.number, grid: token.grid),
      full.explain(range, token: token.number, grid: token.grid).allSatisfy({ $0.origin == .source })
    else { throw StoreFault("finds bytes of \(range) that \(why)") }
  }

  /// Every byte is explained once, in order, and each byte that is missing has a reason.
  private func checkExplanation(_ range: ByteRange, _ token: ChunkToken) throws(StoreFault) {
    var end = range.lowerBound
    for part in full.explain(range, token: token.number, grid: token.grid) {
      guard part.range.lowerBound == end, !part.range.isEmpty else {
        throw StoreFault("explains \(part.range) after the bytes up to \(end): parts are in order, without gaps")
      }
      guard part.origin != .source || !part.reasons.isEmpty else {
        throw StoreFault("does not say why \(part.range) is not here")
      }
      end = part.range.upperBound
    }
    guard end == range.upperBound else { throw StoreFault("explains \(range) up to \(end) only") }
  }

  /// Looks `range` up and compares all bytes that it finds. Returns the gaps.
  mutating func lookUp(_ range: ByteRange, _ token: ChunkToken) async throws(StoreFault) -> [ByteRange] {
    let grid = token.grid
    try checkExplanation(range, token)
    if let bytes = full.hit(range, token: token.number, grid: grid) {
      try compare(bytes, range, token, "a hit")
      hits += 1
    }
    switch store.lookUp(range, of: token) {
    case .miss: return [range]
    case .hit(let bytes):
      try compare(bytes, range, token, "a look-up")
      hits += 1
      return []
    case .partial(let pieces, let held, let gaps):
      hits += 1
      for piece in pieces { try compare(piece.bytes, piece.range, token, "a piece") }
      let parts = pieces.map(\.range) + held.map(\.wanted) + gaps
      for list in [pieces.map(\.range), held.map(\.wanted), gaps] {
        for (a, b) in zip(list, list.dropFirst()) where a.upperBound > b.lowerBound {
          throw StoreFault("returns parts of \(range) out of order")
        }
      }
      guard parts.allSatisfy({ !$0.isEmpty }), parts.reduce(0, { $0 + $1.count }) == range.count,
        ByteRanges.normalize(parts) == [range]
      else { throw StoreFault("returns pieces and gaps that are not together \(range): \(parts)") }
      for one in held { try await load(one, token) }
      return gaps
    }
  }

  /// Loads a deferred piece.
  private mutating func load(_ held: DeferredPiece, _ token: ChunkToken) async throws(StoreFault) {
    guard held.range.clamped(to: held.wanted) == held.wanted, held.ticket.token === token else {
      throw StoreFault("holds \(held.range) for \(held.wanted)")
    }
    // A caller may not need every piece that the store finds.
    guard Bool.random(using: &random) else { return }
    let bytes: Bytes?
    if held.loader.isQuick, case .here(let now) = held.loader.answer() {
      guard let now else { return }
      bytes = now
    } else {
      bytes = await held.loader.load {}
    }
    if let bytes { try compare(bytes, held.range, token, "a held piece") }
  }

  private func compare(_ bytes: Bytes, _ range: ByteRange, _ token: ChunkToken, _ what: String) throws(StoreFault) {
    guard bytes.count == range.count else {
      throw StoreFault("has \(bytes.count) bytes for \(range) in \(what)")
    }
    guard bytes == Self.bytes(range, token) else { throw StoreFault("has wrong bytes of \(range) in \(what)") }
  }
}

/// Memory that shows a test when it is released.
private final class Lent: Sendable {
  private let memory: Bytes

  init(_ bytes: Bytes) { memory = bytes.contiguous() }

  /// The memory, as bytes that keep this object alive.
  var bytes: Bytes { memory.withUnsafeBytes { Bytes(unsafeNoCopy: $0, owner: self) } }
}
