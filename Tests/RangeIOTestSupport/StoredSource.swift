import RangeIOTesting

@testable import RangeIO

/// A source of which a test keeps parts in a store by hand, without a reader.
struct StoredSource {
  let store: MemoryStore
  let source: SourceDescription
  let token: ChunkToken
  private let version: Int

  init(
    _ store: MemoryStore, id: String = "source", version: Int = 0, byteCount: Int = 1 << 20, blockSize: Int = 4096,
    reading: Bool = false
  ) {
    self.store = store
    self.version = version
    source = SourceDescription(
      id: id, validator: ModelValidator(number: version), byteCount: byteCount, preferredBlockSize: .bytes(blockSize))
    let (token, retired) = store.sources.token(
      for: source, grid: BlockGrid(blockSize: blockSize)!, reading: reading)
    self.token = token
    for old in retired { store.erase(.retired(old)) }
  }

  /// The right bytes.
  func expected(_ range: ByteRange) -> Bytes { SyntheticSource.bytes(range, version: UInt64(version)) }

  /// A block of the grid.
  func block(_ number: Int) -> ByteRange { token.grid.range(of: number, in: source.byteCount) }

  var ticket: ChunkTicket { token.ticket(fetchedAt: store.now) }

  func reserve(_ range: ByteRange) -> ChunkReservation? {
    store.reserve(range, ofRun: range.count, for: token)
  }

  /// Stores the right bytes, for which room was reserved.
  @discardableResult func insert(_ range: ByteRange, _ reservation: ChunkReservation, _ ticket: ChunkTicket) -> Bool {
    store.insert(expected(range), at: range, ticket: ticket, reservation: reservation)
  }

  /// Reserves room and stores the right bytes.
  ///
  /// - Returns: whether there was room, and they were published.
  @discardableResult func put(_ range: ByteRange) -> Bool {
    guard let reservation = reserve(range) else { return false }
    return insert(range, reservation, ticket)
  }

  /// The bytes of `range`, if all of them are there.
  func read(_ range: ByteRange) -> Bytes? {
    if case .hit(let bytes) = look(range) { bytes } else { nil }
  }

  func look(_ range: ByteRange) -> ChunkLookup { store.lookUp(range, token: token.number, grid: token.grid) }

  /// Whether all of `range` is there, and right.
  func holds(_ range: ByteRange) -> Bool { read(range) == expected(range) }

  func contains(_ range: ByteRange) -> Bool { store.contains(range, of: source) }
}

extension MemoryStore {
  /// What one whole block is charged.
  static func charge(blocks: Int, of blockSize: Int = 4096) -> ByteCount { .bytes(blocks * charge(of: blockSize)) }
}
