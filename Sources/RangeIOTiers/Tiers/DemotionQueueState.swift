import RangeIO

/// Chunks moving from one tier to the tier below, in the order they came: bounded in bytes, and found by key while they
/// are here. A value: its owner has it under a lock, and acts on what it returns.
struct DemotionQueueState {
  struct Key: Hashable {
    let token: UInt64
    let block: Int
  }
  struct Entry: Sendable {
    let chunk: Chunk
    /// The memory that it uses, including this entry.
    let charge: Int
    /// Counts up from 1. Distinguishes entries with the same key.
    let number: UInt64

    var key: Key { Key(token: chunk.token.number, block: chunk.block) }
  }

  /// The number of bytes that may be here.
  var limit: Int
  /// The number of bytes that are here: of waiting entries, and of entries that are being moved.
  private(set) var bytes = 0
  private var entries: [Key: Entry] = [:]
  /// The entries that wait.
  private var order = TicketQueue<(key: Key, number: UInt64)>()
  private(set) var lastNumber: UInt64 = 0
  /// Entries that are being moved, whether or not they can still be found.
  private(set) var moving: Set<UInt64> = []
  /// Entries that are being moved, but were replaced by another chunk of their block. Found until they have arrived;
  /// otherwise their bytes would be fetched again, and rest in both tiers.
  private var overtaken: [UInt64: Entry] = [:]

  init(limit: Int) { self.limit = limit }

  var waitingCount: Int { order.count }
  /// The length of the order, including entries that have left.
  var placesInOrder: Int { order.placeCount }

  var count: Int { entries.count + overtaken.count }

  /// Every chunk that can be found, to compare with a recount.
  var all: [Entry] { Array(entries.values) + overtaken.values }

  /// The memory that a chunk uses, including its entry here.
  static func charge(_ chunk: Chunk) -> Int {
    let more = chunk.morePieces.reduce(0) { $0 + $1.bytes.count }
    return chunk.morePieces.reduce(MemoryStore.charge(of: chunk.byteCount - more)) {
      $0 + MemoryStore.charge(of: $1.bytes.count)
    } + 192
  }

  /// Adds a chunk. Returns whether there was room, and the chunk that it replaces, if that one was still waiting.
  mutating func append(_ chunk: Chunk) -> (isTaken: Bool, replaced: Chunk?) {
    let charge = Self.charge(chunk)
    guard bytes + charge <= limit else { return (false, nil) }
    lastNumber += 1
    let entry = Entry(chunk: chunk, charge: charge, number: lastNumber)
    let old = entries.updateValue(entry, forKey: entry.key)
    var replaced: Chunk?
    // A chunk that is being moved stays charged until the move ends.
    if let old, moving.contains(old.number) {
      overtaken[old.number] = old
    } else if let old {
      bytes -= old.charge
      order.removed()
      replaced = old.chunk
    }
    order.append((entry.key, entry.number))
    bytes += charge
    // Chunks may come and be promoted again many times while one is being moved.
    order.compact { [entries] in entries[$0.key]?.number == $0.number }
    return (true, replaced)
  }

  /// The next entry to move. It can be found here until ``finish(_:)``.
  mutating func next() -> Entry? {
    guard let (key, _) = order.first(where: { [entries] in entries[$0.key]?.number == $0.number }) else { return nil }
    order.removeFirst()
    let entry = entries[key]!
    moving.insert(entry.number)
    return entry
  }

  /// An entry was moved, or given up.
  mutating func finish(_ entry: Entry) {
    guard moving.remove(entry.number) != nil else { return }
    bytes -= entry.charge
    if entries[entry.key]?.number == entry.number { entries[entry.key] = nil }
    overtaken[entry.number] = nil
  }

  func has(token: UInt64, block: Int) -> Bool {
    let key = Key(token: token, block: block)
    return entries[key] != nil || overtaken.values.contains { $0.key == key }
  }

  /// The chunks of a token that hold bytes of `range`.
  func find(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [Entry] {
    let blocks = grid.blocks(covering: range)
    // Hardly any: the queue moves one chunk at a time.
    let passed = overtaken.values.filter { $0.key.token == token && blocks.contains($0.key.block) }
    let candidates: [Entry] =
      blocks.count <= entries.count * 2
      ? blocks.compactMap { entries[Key(token: token, block: $0)] }
      : entries.values.filter { $0.key.token == token && blocks.contains($0.key.block) }
    return (candidates + passed).filter { $0.chunk.ranges.contains { $0.overlaps(range) } }
  }

  enum Removal {
    /// It was waiting, and will not be moved.
    case waited
    /// It is being moved, and can no longer be found here.
    case isMoving
    /// It had already left.
    case gone
  }

  /// Removes a chunk. It can no longer be found, and is not moved unless the move has started.
  mutating func remove(_ entry: Entry) -> Removal {
    if overtaken.removeValue(forKey: entry.number) != nil { return .isMoving }
    guard entries[entry.key]?.number == entry.number else { return .gone }
    entries[entry.key] = nil
    guard !moving.contains(entry.number) else { return .isMoving }
    bytes -= entry.charge
    order.removed()
    return .waited
  }

  /// Removes all chunks. Returns the chunks that were not being moved.
  mutating func removeAll() -> [Chunk] {
    overtaken = [:]
    return entries.values.compactMap { remove($0) == .waited ? $0.chunk : nil }
  }
}
