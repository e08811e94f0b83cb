/// Chunks on their way from one tier to the one below, in the order they came: bounded in bytes, and found by key while
/// they are here. A value: whoever has it under a lock acts on what it returns.
struct DemotionQueueState {
  struct Key: Hashable {
    let token: UInt64
    let block: Int
  }
  /// One chunk on its way.
  struct Entry: Sendable {
    let chunk: Chunk
    /// What it holds of memory, with this entry.
    let charge: Int
    /// Counts up from 1: tells entries of one key apart.
    let number: UInt64

    var key: Key { Key(token: chunk.token.number, block: chunk.block) }
  }

  /// The bytes that may be here.
  var limit: Int
  /// The bytes that are: of those that wait, and of those that are being moved.
  private(set) var bytes = 0
  private var entries: [Key: Entry] = [:]
  /// In order; entries that have left are passed over.
  private var order: [(key: Key, number: UInt64)] = []
  private var head = 0
  /// Of the entry that came last.
  private(set) var lastNumber: UInt64 = 0
  /// Entries that wait to be moved.
  private(set) var waitingCount = 0
  /// Those being moved, whether they can still be found or not.
  private(set) var moving: Set<UInt64> = []
  /// Those being moved that another chunk of their block has taken the place of: found until they have arrived, or what
  /// they hold would be fetched again, and rest in both tiers.
  private var overtaken: [UInt64: Entry] = [:]

  init(limit: Int) { self.limit = limit }

  /// Places in the order, those of entries that have left among them.
  var placesInOrder: Int { order.count - head }

  /// Chunks that can be found.
  var count: Int { entries.count + overtaken.count }

  /// Every chunk that can be found, to be compared with a recount.
  var all: [Entry] { Array(entries.values) + overtaken.values }

  /// What a chunk holds, with its entry here.
  static func charge(_ chunk: Chunk) -> Int {
    chunk.morePieces.reduce(MemoryStore.charge(of: chunk.piece.bytes.count)) {
      $0 + MemoryStore.charge(of: $1.bytes.count)
    } + 192
  }

  /// A chunk comes.
  ///
  /// - Returns: false if there is no room. And the chunk that it takes the place of, if that was still waiting.
  mutating func append(_ chunk: Chunk) -> (isTaken: Bool, replaced: Chunk?) {
    let charge = Self.charge(chunk)
    guard bytes + charge <= limit else { return (false, nil) }
    lastNumber += 1
    let entry = Entry(chunk: chunk, charge: charge, number: lastNumber)
    let old = entries.updateValue(entry, forKey: entry.key)
    var replaced: Chunk?
    // What is being moved is charged until that has ended.
    if let old, moving.contains(old.number) {
      overtaken[old.number] = old
    } else if let old {
      bytes -= old.charge
      waitingCount -= 1
      replaced = old.chunk
    }
    order.append((entry.key, entry.number))
    bytes += charge
    waitingCount += 1
    if order.count - head > 64 + 2 * waitingCount { forgetWhatLeft() }
    return (true, replaced)
  }

  /// Clears places of entries away that have left: chunks may come and go back up many times while one is moved.
  private mutating func forgetWhatLeft() {
    order = order[head...].filter { entries[$0.key]?.number == $0.number }
    head = 0
  }

  /// The next one to move: found here until ``finish(_:)``.
  mutating func next() -> Entry? {
    while head < order.count {
      let (key, number) = order[head]
      head += 1
      if head > 64, head * 2 > order.count {
        order.removeFirst(head)
        head = 0
      }
      guard let entry = entries[key], entry.number == number else { continue }
      waitingCount -= 1
      moving.insert(number)
      return entry
    }
    order = []
    head = 0
    return nil
  }

  /// One was moved, or given up.
  mutating func finish(_ entry: Entry) {
    guard moving.remove(entry.number) != nil else { return }
    bytes -= entry.charge
    if entries[entry.key]?.number == entry.number { entries[entry.key] = nil }
    overtaken[entry.number] = nil
  }

  /// Whether a chunk of a block is here.
  func has(token: UInt64, block: Int) -> Bool {
    let key = Key(token: token, block: block)
    return entries[key] != nil || overtaken.values.contains { $0.key == key }
  }

  /// The chunks of a token that hold bytes of `range`.
  func find(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [Entry] {
    let blocks = grid.blocks(covering: range)
    // Hardly any: a mover moves one chunk at a time.
    let passed = overtaken.values.filter { $0.key.token == token && blocks.contains($0.key.block) }
    let candidates: [Entry] =
      blocks.count <= entries.count * 2
      ? blocks.compactMap { entries[Key(token: token, block: $0)] }
      : entries.values.filter { $0.key.token == token && blocks.contains($0.key.block) }
    return (candidates + passed).filter { $0.chunk.pieces.contains { $0.range.overlaps(range) } }
  }

  /// Where a chunk was that is taken out.
  enum Removal {
    /// It will not be moved.
    case waited
    /// It is being moved, and not found here any more.
    case isMoving
    /// It had left.
    case gone
  }

  /// Takes a chunk out: it cannot be found any more, and is not moved if that has not begun.
  mutating func remove(_ entry: Entry) -> Removal {
    if overtaken.removeValue(forKey: entry.number) != nil { return .isMoving }
    guard entries[entry.key]?.number == entry.number else { return .gone }
    entries[entry.key] = nil
    guard !moving.contains(entry.number) else { return .isMoving }
    bytes -= entry.charge
    waitingCount -= 1
    return .waited
  }

  /// Takes out all chunks.
  ///
  /// - Returns: those that were not being moved.
  mutating func removeAll() -> [Chunk] {
    overtaken = [:]
    return entries.values.compactMap { remove($0) == .waited ? $0.chunk : nil }
  }
}
