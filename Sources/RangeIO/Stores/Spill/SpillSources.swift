/// The sources of which a spill directory holds chunks: numbered by *slot*, which the index goes by, and what tokens
/// stand for them in this process. Lives under its store's lock.
struct SpillSources {
  struct Entry {
    let identity: SpillIdentity
    /// Of the identity.
    let check: UInt32
    /// Of which the index holds a place.
    var blocks = 0
    /// Their payloads.
    var bytes = 0
    /// The last segment in which a record of it may lie, found or not.
    var newestSegment: UInt64 = 0
    /// Tokens that are bound to it.
    var bindings = 0
    /// Chunks of it that wait to be written, or are being.
    var staged = 0
    /// Removals from it that are under way, or to be written down.
    var removals = 0
  }

  private(set) var entries: [Entry?] = []
  private var slots: [SpillIdentity: Int] = [:]
  private var slotsOfID: [String: [Int]] = [:]
  private var free: [Int] = []
  struct Binding {
    let token: ChunkToken
    /// `nil` if its source cannot be known on a disk.
    let slot: Int?
  }
  private(set) var bindings: [UInt64: Binding] = [:]
  private var sweepAt = 256
  private var sweepSourcesAt = 256

  subscript(slot: Int) -> Entry {
    get { entries[slot]! }
    set { entries[slot] = newValue }
  }

  /// What a slot stands for now, if anything: it may have been forgotten since somebody was told of it.
  func entry(_ slot: Int) -> Entry? { entries.indices.contains(slot) ? entries[slot] : nil }

  /// The sources.
  var count: Int { slots.count }
  /// The slots in use.
  var used: [Int] { entries.indices.filter { entries[$0] != nil } }

  func slot(of identity: SpillIdentity) -> Int? { slots[identity] }

  /// The slots of all versions of a source.
  func slots(ofID id: String) -> [Int] { slotsOfID[id] ?? [] }

  /// The slot of an identity, a new one if need be; `nil` if there are too many.
  mutating func enter(_ identity: SpillIdentity) -> Int? {
    if let slot = slots[identity] { return slot }
    let slot: Int
    if let last = free.popLast() {
      slot = last
    } else {
      guard entries.count < SpillTable.mostSources else { return nil }
      slot = entries.count
      entries.append(nil)
    }
    entries[slot] = Entry(identity: identity, check: identity.check)
    slots[identity] = slot
    slotsOfID[identity.id, default: []].append(slot)
    return slot
  }

  /// Whether a slot stands for a source.
  func has(_ slot: Int) -> Bool { slot < entries.count && entries[slot] != nil }

  /// Forgets a source of which nothing is here, nothing on the disk, and nobody reads.
  private mutating func forget(_ slot: Int) {
    guard let entry = entries[slot] else { return }
    slots[entry.identity] = nil
    let id = entry.identity.id
    slotsOfID[id]?.removeAll { $0 == slot }
    if slotsOfID[id]?.isEmpty == true { slotsOfID[id] = nil }
    entries[slot] = nil
    free.append(slot)
  }

  /// Forgets the sources that nobody needs: none of their records lies in a segment from `oldest` on.
  mutating func sweep(oldestSegment oldest: UInt64?) {
    sweepBindings()
    for slot in used {
      let entry = entries[slot]!
      guard entry.blocks == 0, entry.bindings == 0, entry.staged == 0, entry.removals == 0 else { continue }
      if let oldest, entry.newestSegment >= oldest { continue }
      forget(slot)
    }
  }

  /// As ``sweep(oldestSegment:)``, when there are twice as many as after the last time.
  mutating func sweepSometimes(oldestSegment oldest: UInt64?) {
    guard count > sweepSourcesAt else { return }
    sweep(oldestSegment: oldest)
    sweepSourcesAt = max(256, count * 2)
  }

  // MARK: tokens

  /// What a token stands for, once it is bound.
  func binding(of token: UInt64) -> (slot: Int?, token: ChunkToken)? { bindings[token].map { ($0.slot, $0.token) } }

  /// Binds a token to its source, or to none.
  ///
  /// - Returns: the slot; `nil` also if there are too many sources.
  @discardableResult mutating func bind(_ token: ChunkToken, to identity: SpillIdentity?) -> Int? {
    if let known = bindings[token.number] { return known.slot }
    if bindings.count >= sweepAt { sweepBindings() }
    let slot = identity.flatMap { enter($0) }
    bindings[token.number] = Binding(token: token, slot: slot)
    if let slot { entries[slot]!.bindings += 1 }
    return slot
  }

  /// Lets go of tokens that were retired.
  private mutating func sweepBindings() {
    for (number, binding) in bindings where !binding.token.isAlive { unbind(number) }
    sweepAt = max(256, bindings.count * 2)
  }

  /// Lets go of a token.
  ///
  /// - Returns: the slot that it stood for.
  @discardableResult mutating func unbind(_ token: UInt64) -> Int? {
    guard let slot = bindings.removeValue(forKey: token)?.slot else { return nil }
    entries[slot]!.bindings -= 1
    return slot
  }
}
