/// The tokens of a ``ChunkSources``, by their numbers and by the ids of their sources. The tokens have these keys, so that
/// none is stored a second time.
struct TokenTable: ~Copyable {
  /// Each with one retain.
  private var byNumber = BlockTable<NumberedToken>(capacity: 16)
  private var byID = BlockTable<IdentifiedToken>(capacity: 16)

  var count: Int { byNumber.count }

  deinit {
    for token in all { Unmanaged.passUnretained(token).release() }
  }

  func token(_ number: UInt64) -> ChunkToken? {
    let slot = byNumber.first(number, hash: NumberedToken.hash(number))
    return slot == 0 ? nil : byNumber[slot].token
  }

  /// The tokens of one source, in the order of their numbers.
  func tokens(_ id: SourceID) -> [ChunkToken] {
    var tokens: [ChunkToken] = []
    var slot = byID.first(id, hash: IdentifiedToken.hash(id))
    while slot != 0 {
      if let token = byID[slot].token { tokens.append(token) }
      slot = byID[slot].next
    }
    // A chain begins with the last one. Usually there is only one.
    if tokens.count > 1 { tokens.sort { $0.number < $1.number } }
    return tokens
  }

  var all: [ChunkToken] { (1..<max(1, byNumber.slotsUsed)).compactMap { byNumber[UInt32($0)].token } }

  /// Adds a token that is not in the table.
  mutating func add(_ token: ChunkToken) {
    _ = Unmanaged.passRetained(token)
    _ = byNumber.add(NumberedToken(token), hash: NumberedToken.hash(token.number))
    let record = IdentifiedToken(token)
    _ = byID.add(record, hash: IdentifiedToken.hash(record.key))
  }

  /// Removes a token, if it is in the table.
  mutating func remove(_ token: ChunkToken) {
    let place = byNumber.first(token.number, hash: NumberedToken.hash(token.number))
    guard place != 0 else { return }
    var slot = byID.first(SourceID(token.source.id), hash: IdentifiedToken.hash(SourceID(token.source.id)))
    while slot != 0, byID[slot].token !== token { slot = byID[slot].next }
    byID.remove(slot)
    byNumber.remove(place)
    Unmanaged.passUnretained(token).release()
  }

  /// Gives back the room of a table that is nearly empty: with many more places than `least`.
  mutating func shrink(least: Int) {
    guard byNumber.slotsUsed > 4 * max(count, least) else { return }
    let tokens = all
    self = TokenTable()
    for token in tokens { add(token) }
  }
}

/// A token by its number, in eight bytes.
private struct NumberedToken: BlockRecord {
  /// The address of a token. In a free record: the next free one, beside a bit that no address has.
  private var bits: UInt = 0

  init() {}
  init(_ token: ChunkToken) { bits = UInt(bitPattern: Unmanaged.passUnretained(token).toOpaque()) }

  var token: ChunkToken? { bits & 1 == 0 ? ChunkToken.at(UnsafeRawPointer(bitPattern: bits)) : nil }
  var key: UInt64 { token?.number ?? 0 }
  /// A number has one token.
  var next: UInt32 {
    get { bits & 1 == 0 ? 0 : UInt32(bits >> 1) }
    set { bits = UInt(newValue) << 1 | 1 }
  }

  static func hash(_ number: UInt64) -> UInt64 { ChunkToken.hash(number) }
}

/// A token by the id of its source.
private struct IdentifiedToken: BlockRecord {
  private var address: UnsafeRawPointer?
  var next: UInt32 = 0

  init() {}
  init(_ token: ChunkToken) { address = UnsafeRawPointer(Unmanaged.passUnretained(token).toOpaque()) }

  var token: ChunkToken? { ChunkToken.at(address) }
  var key: SourceID { SourceID(token?.entry.first.id ?? "") }

  static func hash(_ id: SourceID) -> UInt64 {
    var hasher = Hasher()
    id.hash(into: &hasher)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }
}

extension ChunkToken {
  /// The token at an address, which its table retains.
  static func at(_ address: UnsafeRawPointer?) -> ChunkToken? {
    address.map { Unmanaged<ChunkToken>.fromOpaque($0).takeUnretainedValue() }
  }

  static func hash(_ number: UInt64) -> UInt64 {
    let hash = number &* 0x9E37_79B9_7F4A_7C15
    return hash ^ hash >> 32
  }
}
