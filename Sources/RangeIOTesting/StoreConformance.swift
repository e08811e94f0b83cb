public import RangeIO

/// Checks that a ``ChunkStore`` keeps its contract.
///
/// ```swift
/// @Test(arguments: 1...20) func `my store is a store`(seed: UInt64) async throws {
///   try await StoreConformance.check(seed: seed) { sources, limit in MyStore(limit: limit, sources: sources) }
/// }
/// ```
///
/// It does to a store what `Caching` does, in random order: looks up, reserves, inserts, gives up, removes, also while
/// bytes are on their way; first alone, then from several tasks. Every byte is compared. What it cannot see: how long a
/// call takes, and what the store's bookkeeping takes beside the bytes.
public enum StoreConformance {
  /// What a store did that it must not.
  public struct Violation: Error, CustomStringConvertible {
    /// What, and with which seed.
    public let description: String
  }

  /// Works a new store, one task at first, then `tasks`.
  ///
  /// - Parameters:
  ///   - seed: repeats the operations of one task. How tasks take turns it does not repeat.
  ///   - operations: how many, for each task.
  ///   - limit: bytes that the store may hold, reservations included: handed to `make`. At least 64 KiB.
  ///   - tasks: how many work the store at once.
  ///   - make: a store of at most that limit which knows these sources.
  /// - Throws: ``Violation``; what `make` throws.
  public static func check(
    seed: UInt64, operations: Int = 400, limit: ByteCount = .kibibytes(256), tasks: Int = 4,
    _ make: (_ sources: ChunkSources, _ limit: ByteCount) async throws -> any ChunkStore
  ) async throws {
    let sources = ChunkSources()
    let store = try await make(sources, limit)
    guard store.sources === sources else {
      throw Violation(description: "the store knows other sources than it was given")
    }
    do {
      var one = StoreWork(store, limit: limit.bytes, seed: seed, isAlone: true)
      try await one.checkOwnMemory()
      try one.checkReservations()
      for _ in 0..<operations { try await one.step() }
      guard one.hits > 0 else { throw StoreFault("keeps nothing: none of \(operations) operations found a byte") }
      try await one.checkLimit()
      try await one.eraseAll()
      try await one.checkOwnMemory()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask {
            var work = StoreWork(store, limit: limit.bytes, seed: seed &* 31 &+ UInt64(task), isAlone: false)
            for _ in 0..<operations { try await work.step() }
            work.giveUp()
          }
        }
        try await group.waitForAll()
      }
      try await one.checkLimit()
      try await one.eraseAll()
      try await one.checkOwnMemory()
    } catch let fault as StoreFault {
      throw Violation(description: "seed \(seed): the store \(fault.description)")
    }
  }
}

/// What a store did.
private struct StoreFault: Error {
  let description: String
  init(_ description: String) { self.description = description }
}

/// One who works a store as `Caching` does.
private struct StoreWork {
  private struct Version: SourceValidator {
    let number: UInt64
    func change(to newer: any SourceValidator) -> SourceChange {
      (newer as? Version)?.number == number ? .same : .other
    }
  }

  /// A gap for which there is room, on its way.
  private struct Fetch {
    let range: ByteRange
    let ticket: ChunkTicket
    let reservation: ChunkReservation
  }

  private let store: any ChunkStore
  private let limit: Int
  /// Whether nobody else works the store, so that what it says can be foretold.
  private let isAlone: Bool
  private var random: SeededGenerator
  private var fetches: [Fetch] = []
  private(set) var hits = 0

  private static let sizes = [1, 511, 4096, 60_001, 200_000]
  private static let grids = [512, 4096].map { BlockGrid(blockSize: $0)! }

  init(_ store: any ChunkStore, limit: Int, seed: UInt64, isAlone: Bool) {
    precondition(limit >= 65_536, "a store is checked with a limit of 64 KiB or more")
    self.store = store
    self.limit = limit
    self.isAlone = isAlone
    random = SeededGenerator(seed: seed)
  }

  // MARK: operations

  mutating func step() async throws(StoreFault) {
    switch Int.random(in: 0..<40, using: &random) {
    case 0: try await eraseRange()
    case 1: try await eraseSource()
    case 2: try arriveTooLate()
    case 3 where isAlone: try await checkLimit()
    case 4 where !fetches.isEmpty: store.cancel(fetches.removeLast().reservation)
    case 5..<10: try land()
    default: try await read()
    }
    while fetches.count > 4 { try land() }
  }

  /// Looks a range up, and begins to fetch what is missing; as a rule lands it at once.
  private mutating func read() async throws(StoreFault) {
    let token = someToken()
    let range = someRange(of: token)
    let gaps = try await lookUp(range, token)
    for gap in gaps {
      let wanted = Bool.random(using: &random) ? token.grid.outward(gap, in: token.source.byteCount) : gap
      let ticket = token.ticket(birth: store.now)
      let room = store.reserve(wanted, ofRun: gaps.reduce(0) { $0 + $1.count }, for: token)
      guard let reservation = room.reservation else { continue }
      guard wanted.count <= limit else { throw StoreFault("reserves \(wanted.count) bytes, with a limit of \(limit)") }
      fetches.append(Fetch(range: wanted, ticket: ticket, reservation: reservation))
      if Int.random(in: 0..<4, using: &random) > 0 { try land() }
    }
  }

  /// What is on its way arrives.
  private mutating func land() throws(StoreFault) {
    guard !fetches.isEmpty else { return }
    let fetch = fetches.remove(at: Int.random(in: fetches.indices, using: &random))
    let wasValid = fetch.ticket.isValid
    let insertion = store.insert(
      Self.bytes(fetch.range, fetch.ticket.token), at: fetch.range, ticket: fetch.ticket,
      reservation: fetch.reservation)
    if insertion.isPublished, !wasValid {
      throw StoreFault("publishes bytes that were asked for before a removal")
    }
  }

  /// Bytes that are on their way while they are removed do not stay.
  private mutating func arriveTooLate() throws(StoreFault) {
    let token = someToken()
    let range = token.grid.outward(someRange(of: token), in: token.source.byteCount)
    let ticket = token.ticket(birth: store.now)
    guard let reservation = store.reserve(range, ofRun: range.count, for: token).reservation else { return }
    token.beginRemoval()
    store.erase(range, of: token)
    let insertion = store.insert(Self.bytes(range, token), at: range, ticket: ticket, reservation: reservation)
    token.endRemoval()
    guard !insertion.isPublished else { throw StoreFault("publishes bytes of \(range) that were removed on their way") }
    if isAlone { try expectNothing(range, token, "was removed on its way") }
  }

  private mutating func eraseRange() async throws(StoreFault) {
    let token = someToken()
    let range = someRange(of: token)
    token.beginRemoval()
    store.erase(range, of: token)
    if isAlone { try expectNothing(range, token, "was erased") }
    token.endRemoval()
    if isAlone { try expectNothing(range, token, "was erased") }
  }

  private mutating func eraseSource() async throws(StoreFault) {
    let id = someToken().source.id
    let tokens = store.sources.tokens(ofID: id)
    for token in tokens { token.beginRemoval() }
    store.erase(source: id)
    if isAlone {
      for token in tokens { try expectNothing(0..<token.source.byteCount, token, "was erased with its source") }
    }
    for token in tokens { token.endRemoval() }
  }

  mutating func eraseAll() async throws(StoreFault) {
    giveUp()
    let tokens = store.sources.all
    for token in tokens { token.beginRemoval() }
    store.eraseAll()
    for token in tokens { token.endRemoval() }
    for token in tokens { try expectNothing(0..<token.source.byteCount, token, "was erased with everything") }
  }

  /// Gives back what is on its way.
  mutating func giveUp() {
    for fetch in fetches { store.cancel(fetch.reservation) }
    fetches = []
  }

  // MARK: checks

  /// A block in an empty store is kept, in memory of the store's own: not in that which it was handed.
  mutating func checkOwnMemory() async throws(StoreFault) {
    let token = token(source: 99, version: 0, size: 4096, grid: Self.grids[1])
    let ticket = token.ticket(birth: store.now)
    guard let reservation = store.reserve(0..<4096, ofRun: 4096, for: token).reservation else {
      throw StoreFault("has no room for a block when it is empty")
    }
    weak var owner: Lent?
    do {
      let lent = Lent(Self.bytes(0..<4096, token))
      owner = lent
      let insertion = store.insert(lent.bytes, at: 0..<4096, ticket: ticket, reservation: reservation)
      guard insertion.isPublished else { throw StoreFault("does not keep a block when it is empty") }
    }
    guard owner == nil else {
      throw StoreFault("keeps memory that is not its own: copy what it is handed, or evicting frees nothing")
    }
    guard try await lookUp(0..<4096, token).isEmpty else {
      throw StoreFault("says that it keeps a block, and does not find it")
    }
  }

  /// What is promised is charged: room for more blocks than there can be is not given.
  func checkReservations() throws(StoreFault) {
    let grid = Self.grids[1]
    let most = limit / grid.blockSize
    let token = token(source: 98, version: 0, size: (most + 1) * grid.blockSize, grid: grid)
    var reservations: [ChunkReservation] = []
    defer { for reservation in reservations { store.cancel(reservation) } }
    for block in 0...most {
      let range = grid.range(of: block, in: token.source.byteCount)
      if let reservation = store.reserve(range, ofRun: range.count, for: token).reservation {
        reservations.append(reservation)
      }
    }
    guard reservations.count <= most else {
      throw StoreFault("promises room for \(reservations.count * grid.blockSize) bytes, with a limit of \(limit)")
    }
  }

  /// Bytes at hand, and those reserved, are within the limit.
  func checkLimit() async throws(StoreFault) {
    var held = 0
    for token in store.sources.all where token.source.byteCount > 0 {
      for block in token.grid.blocks(covering: 0..<token.source.byteCount) {
        let range = token.grid.range(of: block, in: token.source.byteCount)
        switch store.lookUp(range, token: token.number, grid: token.grid) {
        case .hit(let bytes): held += bytes.count
        case .partial(let pieces, _, _): held += pieces.reduce(0) { $0 + $1.bytes.count }
        case .miss: break
        }
      }
    }
    let reserved = fetches.reduce(0) { $0 + $1.range.count }
    guard held + reserved <= limit else {
      throw StoreFault("holds \(held) bytes and has promised \(reserved) more, with a limit of \(limit)")
    }
  }

  private func expectNothing(_ range: ByteRange, _ token: ChunkToken, _ why: String) throws(StoreFault) {
    guard case .miss = store.lookUp(range, token: token.number, grid: token.grid),
      store.hit(range, token: token.number, grid: token.grid) == nil,
      !store.holdsSome(of: range, token: token.number, grid: token.grid)
    else { throw StoreFault("finds bytes of \(range) that \(why)") }
  }

  /// Looks `range` up and compares all that comes.
  ///
  /// - Returns: the gaps.
  private mutating func lookUp(_ range: ByteRange, _ token: ChunkToken) async throws(StoreFault) -> [ByteRange] {
    let grid = token.grid
    if let bytes = store.hit(range, token: token.number, grid: grid) {
      try compare(bytes, range, token, "a hit")
      hits += 1
    }
    switch store.lookUp(range, token: token.number, grid: grid) {
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

  /// Gets a piece that is not at hand.
  private mutating func load(_ held: HeldPiece, _ token: ChunkToken) async throws(StoreFault) {
    guard held.range.clamped(to: held.wanted) == held.wanted, held.ticket.token === token else {
      throw StoreFault("holds \(held.range) for \(held.wanted)")
    }
    // Not all that is found is asked for.
    guard Bool.random(using: &random) else { return }
    var bytes: Bytes?
    if held.loader.isQuick {
      switch held.loader.loadNow() {
      case .bytes(let now): bytes = now
      case .lost: return
      case .notAtHand: break
      }
    }
    if bytes == nil { bytes = await held.loader.load {} }
    if let bytes { try compare(bytes, held.range, token, "a held piece") }
  }

  private func compare(_ bytes: Bytes, _ range: ByteRange, _ token: ChunkToken, _ what: String) throws(StoreFault) {
    guard bytes.count == range.count else {
      throw StoreFault("has \(bytes.count) bytes for \(range) in \(what)")
    }
    guard bytes == Self.bytes(range, token) else { throw StoreFault("has wrong bytes of \(range) in \(what)") }
  }

  // MARK: sources

  private mutating func someToken() -> ChunkToken {
    let source = Int.random(in: 0..<4, using: &random)
    // Versions that are read at the same time by two readers.
    let version = UInt64.random(in: 0..<2, using: &random)
    let grid = Self.grids[Int.random(in: 0..<Self.grids.count, using: &random)]
    return token(
      source: source, version: version, size: Self.sizes[(source + Int(version)) % Self.sizes.count], grid: grid)
  }

  private func token(source: Int, version: UInt64, size: Int, grid: BlockGrid) -> ChunkToken {
    let number = UInt64(source) * 2 + version
    let description = SourceDescription(id: "source \(source)", validator: Version(number: number), byteCount: size)
    let (token, retired) = store.sources.token(for: description, grid: grid, reading: true)
    for old in retired { store.eraseRetired(old) }
    return token
  }

  private mutating func someRange(of token: ChunkToken) -> ByteRange {
    let count = token.source.byteCount
    let lower = Int.random(in: 0..<count, using: &random)
    let longest = min(count - lower, 1 << Int.random(in: 0...17, using: &random))
    return lower..<lower + Int.random(in: 1...longest, using: &random)
  }

  private static func bytes(_ range: ByteRange, _ token: ChunkToken) -> Bytes {
    SyntheticSource.bytes(range, version: (token.source.validator as? Version)?.number ?? .max)
  }
}

/// Memory that a test can see let go.
private final class Lent: Sendable {
  private let memory: Bytes

  init(_ bytes: Bytes) { memory = bytes.contiguous() }

  /// Shows the memory, and keeps this object.
  var bytes: Bytes { memory.withUnsafeBytes { Bytes(unsafeShowing: $0, owner: self) } }
}
