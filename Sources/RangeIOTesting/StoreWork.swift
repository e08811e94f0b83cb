import RangeIO
import RangeIOTiers

/// A task that uses a store as `.caching` does.
struct StoreWork {
  struct Version: SourceDescription.Validator {
    let number: UInt64
    /// For stores that keep their contents after the process ends.
    var persistentForm: [UInt8]? { Array("\(number)".utf8) }

    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      (newer as? Version)?.number == number ? .same : .other
    }
  }

  /// A gap in flight for which the store has reserved room.
  struct Fetch {
    let range: ByteRange
    let ticket: ChunkTicket
    let reservation: ChunkReservation
  }

  let store: any ChunkStore
  /// The same, with what a cache asks of it.
  let full: any FullChunkStore
  let limit: Int
  /// No other task uses the store, so that the results of its calls are predictable.
  let isAlone: Bool
  var random: SeededGenerator
  var fetches: [Fetch] = []
  var hits = 0

  /// The current time by the store's clock.
  var now: ReadClock.Instant { full.now }

  static let sizes = [1, 511, 4096, 60_001, 200_000]
  static let grids = [512, 4096].map { BlockGrid(blockSize: $0)! }

  init(_ store: any ChunkStore, limit: Int, seed: UInt64, isAlone: Bool) {
    precondition(limit >= 65_536, "a store is checked with a limit of 64 KiB or more")
    self.store = store
    full = store.full
    self.limit = limit
    self.isAlone = isAlone
    random = SeededGenerator(seed: seed)
  }

  mutating func step() async throws(StoreFault) {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: try await eraseRange()
    case 1: try await eraseSource()
    case 2: try arriveTooLate()
    case 3 where isAlone: try await checkLimit()
    case 4 where !fetches.isEmpty: store.cancel(fetches.removeLast().reservation)
    case 5..<10: try complete()
    default: try await read()
    }
    while fetches.count > 4 { try complete() }
  }

  /// Looks a range up and begins to fetch what is missing. Usually completes the fetch at once.
  mutating func read() async throws(StoreFault) {
    let token = someToken()
    let range = someRange(of: token)
    let gaps = try await lookUp(range, token)
    for gap in gaps {
      let wanted = Bool.random(using: &random) ? token.grid.outward(gap, in: token.source.byteCount) : gap
      let ticket = token.ticket(fetchedAt: now)
      let run = gaps.reduce(0) { $0 + $1.count }
      guard let reservation = store.reserve(wanted, ofRun: run, for: token) else { continue }
      guard reservation.byteCount <= limit else {
        throw StoreFault("reserves \(reservation.byteCount) bytes, with a limit of \(limit)")
      }
      fetches.append(Fetch(range: wanted, ticket: ticket, reservation: reservation))
      if Int.random(in: 0..<4, using: &random) > 0 { try complete() }
    }
  }

  /// Completes a fetch in flight.
  mutating func complete() throws(StoreFault) {
    guard !fetches.isEmpty else { return }
    let fetch = fetches.remove(at: Int.random(in: fetches.indices, using: &random))
    let bytes = Self.bytes(fetch.range, fetch.ticket.token)
    let isStale: Bool
    if let tier = store as? any ChunkTier, Bool.random(using: &random) {
      tier.cancel(fetch.reservation)
      isStale = demote(bytes, fetch, to: tier)
    } else {
      let wasValid = fetch.ticket.isValid(for: fetch.range)
      isStale =
        store.insert(bytes, at: fetch.range, ticket: fetch.ticket, reservation: fetch.reservation) && !wasValid
    }
    if isStale { throw StoreFault("publishes bytes that were asked for before their removal") }
  }

  /// Gives a tier bytes as the tier above does, block by block. Returns whether any were kept that were removed before.
  private func demote(_ bytes: Bytes, _ fetch: Fetch, to tier: any ChunkTier) -> Bool {
    fetch.ticket.token.grid.pieces(of: fetch.range).reduce(false) { isStale, piece in
      let lower = piece.range.lowerBound - fetch.range.lowerBound
      let part = RangedBytes(piece.range, bytes.slice(lower..<lower + piece.range.count))
      let wasValid = fetch.ticket.isValid(for: piece.range)
      return tier.insertDemoted([part], ticket: fetch.ticket, lastRead: nil) && !wasValid || isStale
    }
  }

  /// Bytes that are removed while they are in flight must not be kept.
  mutating func arriveTooLate() throws(StoreFault) {
    let token = someToken()
    let range = token.grid.outward(someRange(of: token), in: token.source.byteCount)
    let ticket = token.ticket(fetchedAt: now)
    guard let reservation = store.reserve(range, ofRun: range.count, for: token) else { return }
    token.beginRemoval(of: range)
    store.erase(range, of: token)
    let isKept = store.insert(Self.bytes(range, token), at: range, ticket: ticket, reservation: reservation)
    token.endRemoval(of: range)
    guard !isKept else { throw StoreFault("publishes bytes of \(range) that were removed on their way") }
    if isAlone { try expectNothing(range, token, "was removed on its way") }
  }

  mutating func eraseRange() async throws(StoreFault) {
    let token = someToken()
    let range = someRange(of: token)
    token.beginRemoval()
    store.erase(range, of: token)
    if isAlone { try expectNothing(range, token, "was erased") }
    token.endRemoval()
    if isAlone { try expectNothing(range, token, "was erased") }
  }

  mutating func eraseSource() async throws(StoreFault) {
    let id = someToken().source.id
    let tokens = store.sources.tokens(ofID: id)
    for token in tokens { token.beginRemoval() }
    full.erase(.source(id: id))
    if isAlone {
      for token in tokens { try expectNothing(0..<token.source.byteCount, token, "was erased with its source") }
    }
    for token in tokens { token.endRemoval() }
  }

  mutating func eraseAll() async throws(StoreFault) {
    giveUp()
    let tokens = store.sources.all
    for token in tokens { token.beginRemoval() }
    full.erase(.everything)
    for token in tokens { token.endRemoval() }
    for token in tokens { try expectNothing(0..<token.source.byteCount, token, "was erased with everything") }
  }

  /// Cancels the fetches in flight.
  mutating func giveUp() {
    for fetch in fetches { store.cancel(fetch.reservation) }
    fetches = []
  }

  mutating func someToken() -> ChunkToken {
    let source = Int.random(in: 0..<4, using: &random)
    // Two versions, as if two readers read them at the same time.
    let version = UInt64.random(in: 0..<2, using: &random)
    let grid = Self.grids[Int.random(in: 0..<Self.grids.count, using: &random)]
    return token(
      source: source, version: version, size: Self.sizes[(source + Int(version)) % Self.sizes.count], grid: grid)
  }

  func token(source: Int, version: UInt64, size: Int, grid: BlockGrid) -> ChunkToken {
    let number = UInt64(source) * 2 + version
    let description = SourceDescription(id: "source \(source)", validator: Version(number: number), byteCount: size)
    let (token, retired) = store.sources.token(for: description, grid: grid, reading: true)
    for old in retired { full.erase(.retired(old)) }
    return token
  }

  mutating func someRange(of token: ChunkToken) -> ByteRange {
    let count = token.source.byteCount
    let lower = Int.random(in: 0..<count, using: &random)
    let longest = min(count - lower, 1 << Int.random(in: 0...17, using: &random))
    return lower..<lower + Int.random(in: 1...longest, using: &random)
  }

  /// Bytes that compress to half, for stores that keep nothing else.
  static func bytes(_ range: ByteRange, _ token: ChunkToken) -> Bytes {
    SyntheticSource.bytes(
      range, version: (token.source.validator as? Version)?.number ?? .max, compressibility: 0.6)
  }
}
