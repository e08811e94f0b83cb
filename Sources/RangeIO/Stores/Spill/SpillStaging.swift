/// What waits to be written to a spill directory, bounded in bytes: chunks, found by key until they are found on the
/// disk; and removals. Lives under its store's lock.
struct SpillStaging {
  struct Entry {
    let chunk: Chunk
    let slot: Int
    /// Counts up from 1: tells entries of one key apart.
    let number: UInt64
    /// What it holds of memory, with this entry.
    let charge: Int
    var isBeingWritten = false
  }

  /// A removal that is to be written down.
  struct Removal {
    let slot: Int
    let blocks: Range<UInt64>
    /// Counts up from 1, as they are noted: what is put together has the lowest.
    var number: UInt64 = 0
  }

  /// The bytes that may be here. Lowered, it binds what comes.
  var limit: Int
  private(set) var bytes = 0
  private var entries: [UInt64: Entry] = [:]
  /// In the order they came. Those that have left are passed over.
  private var order: [(key: UInt64, number: UInt64)] = []
  private var head = 0
  private var lastNumber: UInt64 = 0
  /// The bytes of those that nobody writes yet.
  private(set) var waitingBytes = 0
  private(set) var removals: [Removal] = []
  /// Whether everything on the disk is to be removed before anything else is written.
  private(set) var clears = false
  /// Of the last removal that was noted.
  private(set) var lastRemoval: UInt64 = 0
  /// When ``clears`` was noted, by the same numbers.
  private var clearing: UInt64 = 0

  /// So many removals wait at most, as long as one source has most of them: beyond that all of it is removed, which costs
  /// time only.
  static let mostRemovals = 16_384
  /// What an entry takes beside its bytes.
  static let overhead = 192

  init(limit: Int) { self.limit = limit }

  var count: Int { entries.count }
  var isIdle: Bool { entries.isEmpty && removals.isEmpty && !clears }
  /// Whether there is something to begin to write.
  var hasWork: Bool { waitingBytes > 0 || hasRemovals }
  /// Whether there is something to remove on the disk.
  var hasRemovals: Bool { clears || !removals.isEmpty }

  subscript(key: UInt64) -> Entry? { entries[key] }

  func hasRoom(for chunk: Chunk) -> Bool { chunk.byteCount + Self.overhead <= limit - bytes }

  /// Enters a chunk.
  ///
  /// - Precondition: there is none of the same key.
  /// - Returns: false if it finds no room.
  mutating func append(_ chunk: Chunk, slot: Int, key: UInt64) -> Bool {
    let charge = chunk.byteCount + Self.overhead
    guard hasRoom(for: chunk) else { return false }
    lastNumber += 1
    entries[key] = Entry(chunk: chunk, slot: slot, number: lastNumber, charge: charge)
    order.append((key, lastNumber))
    bytes += charge
    waitingBytes += charge
    return true
  }

  /// The chunks to be written next: up to so many bytes, sorted by source and block.
  mutating func nextBatch(upTo most: Int) -> [(key: UInt64, entry: Entry)] {
    var batch: [(key: UInt64, entry: Entry)] = []
    var sum = 0
    while head < order.count, batch.isEmpty || sum < most {
      let (key, number) = order[head]
      head += 1
      guard let entry = entries[key], entry.number == number, !entry.isBeingWritten else { continue }
      entries[key]!.isBeingWritten = true
      waitingBytes -= entry.charge
      sum += entry.charge
      batch.append((key, entry))
    }
    if head > 256, head * 2 > order.count {
      order.removeFirst(head)
      head = 0
    }
    batch.sort { $0.key < $1.key }
    return batch
  }

  /// Takes an entry out, since it is on the disk, or cannot be.
  ///
  /// - Returns: it, unless it was taken out before.
  @discardableResult mutating func finish(_ key: UInt64, _ number: UInt64) -> Entry? {
    guard let entry = entries[key], entry.number == number else { return nil }
    return take(key, entry)
  }

  private mutating func take(_ key: UInt64, _ entry: Entry) -> Entry {
    entries[key] = nil
    bytes -= entry.charge
    if !entry.isBeingWritten { waitingBytes -= entry.charge }
    return entry
  }

  /// Takes out the entries that `isMeant`.
  mutating func remove(where isMeant: (UInt64, Entry) -> Bool) -> [Entry] {
    entries.filter { isMeant($0.key, $0.value) }.map { take($0.key, $0.value) }
  }

  /// Takes out the entry of one key.
  mutating func remove(_ key: UInt64) -> Entry? { entries[key].map { take(key, $0) } }

  // MARK: removals

  /// Notes a removal, together with its neighbour if they touch.
  ///
  /// - Returns: whether it is one more, and those that it replaces.
  mutating func note(_ removal: Removal) -> (isOneMore: Bool, replaced: [Removal]) {
    lastRemoval += 1
    if let last = removals.last, last.slot == removal.slot, last.blocks.lowerBound <= removal.blocks.upperBound,
      removal.blocks.lowerBound <= last.blocks.upperBound
    {
      let lower = min(last.blocks.lowerBound, removal.blocks.lowerBound)
      let upper = max(last.blocks.upperBound, removal.blocks.upperBound)
      removals[removals.count - 1] = Removal(slot: last.slot, blocks: lower..<upper, number: last.number)
      return (false, [])
    }
    guard removals.count >= Self.mostRemovals else {
      removals.append(Removal(slot: removal.slot, blocks: removal.blocks, number: lastRemoval))
      return (true, [])
    }
    let replaced = removals.filter { $0.slot == removal.slot }
    removals.removeAll { $0.slot == removal.slot }
    let number = replaced.map(\.number).min() ?? lastRemoval
    removals.append(Removal(slot: removal.slot, blocks: 0..<SpillTable.largestBlock + 1, number: number))
    return (true, replaced)
  }

  /// Notes that everything is to be removed.
  ///
  /// - Returns: the removals that need not be written down then.
  mutating func noteClearing() -> [Removal] {
    lastRemoval += 1
    clearing = oldestRemoval ?? lastRemoval
    defer { (clears, removals) = (true, []) }
    return removals
  }

  /// The number of the first removal that is not on the disk.
  var oldestRemoval: UInt64? {
    let oldest = removals.lazy.map(\.number).min()
    return clears ? min(clearing, oldest ?? clearing) : oldest
  }

  /// Every chunk, to be compared with a recount.
  var all: [UInt64: Entry] { entries }

  /// What is to be removed on the disk, to be written now.
  mutating func takeRemovals() -> (clears: Bool, removals: [Removal]) {
    defer { (clears, removals) = (false, []) }
    return (clears, removals)
  }

  /// It could not be written.
  mutating func putBack(_ taken: (clears: Bool, removals: [Removal])) {
    // Before whatever was noted since.
    if taken.clears { (clears, clearing) = (true, 0) }
    removals = taken.removals + removals
  }
}
