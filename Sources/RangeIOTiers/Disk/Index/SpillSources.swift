import RangeIO

/// The sources of which a spill directory holds chunks, or soon will. Each has a number, its *slot*, which the index
/// uses, and the tokens that stand for it in this process. Protected by its store's lock.
///
/// A source is entered with its first chunk, or with what an earlier process has left of it. A source that is only
/// looked up takes only its token's binding, which is removed with the token.
package struct SpillSources {
  package struct Entry {
    package let identity: SpillIdentity
    let check: UInt32
    /// Its version is no longer read: its blocks are being removed from the index.
    fileprivate(set) var isOutdated = false
    /// The number of its blocks in the index.
    package fileprivate(set) var blocks = 0
    /// The payload bytes of those blocks.
    package fileprivate(set) var bytes = 0
    /// The last segment that may hold a record of it, whether or not it can be found.
    var newestSegment: UInt64 = 0
    var bindings = 0
    /// The number of its chunks that wait to be written, or are being written.
    var staged = 0
    /// The number of its removals that are in progress or still to be written down.
    var removals = 0
    /// Blocks whose removal is noted or written down, and that were not added again since.
    var removed = SpillRemovedSpans()
    /// The next slot of the same list in ``Versions``, and the previous one.
    fileprivate var next = -1
    fileprivate var previous = -1
  }

  /// The slots of one source's versions, in two lists, each given by its first slot; -1 for none.
  private struct Versions {
    var present = -1
    var outdated = -1

    subscript(isOutdated: Bool) -> Int {
      get { isOutdated ? outdated : present }
      set { if isOutdated { outdated = newValue } else { present = newValue } }
    }
  }

  private(set) var entries: [Entry?] = []
  private var slots: [SpillIdentity: Int] = [:]
  /// By the hash of the id. Sources whose ids have the same hash share their lists.
  private var versions: [Int: Versions] = [:]
  private var free: [Int] = []
  private var identityBytes = 0
  private(set) var outdatedBlocks = 0
  private var entered: UInt64 = 0
  private(set) var bindings: [UInt64: Binding] = [:]
  private var sweepBindingsAt = 256
  private var sweepAt = 256

  package subscript(slot: Int) -> Entry {
    get { entries[slot]! }
    _modify { yield &entries[slot]! }
  }

  /// The source in a slot now, if any: it may have been forgotten since the caller got the slot.
  func entry(_ slot: Int) -> Entry? { entries.indices.contains(slot) ? entries[slot] : nil }

  var count: Int { slots.count }
  package var used: [Int] { entries.indices.filter { entries[$0] != nil } }

  /// The memory of all this in bytes, as far as it is known here.
  var byteCount: Int {
    // A dictionary fills three quarters of its capacity.
    func places(_ capacity: Int, _ stride: Int) -> Int { capacity * stride * 4 / 3 }
    return entries.capacity * MemoryLayout<Entry?>.stride + free.capacity * 8 + identityBytes
      + places(slots.capacity, 16) + places(versions.capacity, 24)
      + places(bindings.capacity, 8 + MemoryLayout<Binding>.stride)
  }

  /// The slots of all versions of a source.
  func slots(ofID id: String) -> [Int] {
    var text = id
    let hash = text.withUTF8 { SpillIdentity.idHash(UnsafeRawBufferPointer($0)) }
    guard let versions = versions[hash] else { return [] }
    return (list(from: versions.present) + list(from: versions.outdated)).filter {
      self[$0].identity.idBytes.elementsEqual(id.utf8)
    }
  }

  private func list(from first: Int) -> [Int] {
    var all: [Int] = []
    var slot = first
    while slot >= 0 {
      all.append(slot)
      slot = self[slot].next
    }
    return all
  }

  /// The slot of an identity; a new one if necessary. `nil` if there are too many sources.
  mutating func enter(_ identity: SpillIdentity) -> Int? {
    if let slot = slots[identity] { return slot }
    let slot: Int
    if let last = free.popLast() {
      slot = last
    } else {
      guard entries.count < SpillTable.maxSources else { return nil }
      slot = entries.count
      entries.append(nil)
    }
    entries[slot] = Entry(identity: identity, check: identity.check)
    slots[identity] = slot
    identityBytes += identity.footprint
    entered += 1
    link(slot)
    return slot
  }

  func has(_ slot: Int) -> Bool { slot < entries.count && entries[slot] != nil }

  // MARK: versions

  private mutating func link(_ slot: Int) {
    let isOutdated = self[slot].isOutdated
    let hash = self[slot].identity.idHash
    let first = versions[hash, default: Versions()][isOutdated]
    (self[slot].previous, self[slot].next) = (-1, first)
    if first >= 0 { self[first].previous = slot }
    versions[hash, default: Versions()][isOutdated] = slot
  }

  private mutating func unlink(_ slot: Int) {
    let (previous, next) = (self[slot].previous, self[slot].next)
    if next >= 0 { self[next].previous = previous }
    guard previous < 0 else {
      self[previous].next = next
      return
    }
    let hash = self[slot].identity.idHash
    versions[hash]![self[slot].isOutdated] = next
    if versions[hash]!.present < 0, versions[hash]!.outdated < 0 { versions[hash] = nil }
  }

  /// Notes that a version is no longer read, or read again.
  mutating func setOutdated(_ slot: Int, _ isOutdated: Bool) {
    guard self[slot].isOutdated != isOutdated else { return }
    unlink(slot)
    self[slot].isOutdated = isOutdated
    outdatedBlocks += isOutdated ? self[slot].blocks : -self[slot].blocks
    link(slot)
  }

  /// Counts a block of a source that was added to the index.
  mutating func add(_ slot: Int, stored: Int, segment: UInt64) {
    self[slot].blocks += 1
    self[slot].bytes += stored
    self[slot].newestSegment = max(self[slot].newestSegment, segment)
    if self[slot].isOutdated { outdatedBlocks += 1 }
  }

  /// Counts a block of a source that was removed from the index.
  mutating func remove(_ slot: Int, stored: Int) {
    self[slot].blocks -= 1
    self[slot].bytes -= stored
    if self[slot].isOutdated { outdatedBlocks -= 1 }
  }

  /// The other versions of a source that are not read, except those already known to be outdated.
  func unreadVersions(besides identity: SpillIdentity) -> [Int] {
    guard let first = versions[identity.idHash]?.present, first >= 0 else { return [] }
    return list(from: first).filter { slot in
      let entry = self[slot]
      return entry.bindings == 0 && entry.identity.hasSameID(as: identity) && !entry.identity.isVersion(of: identity)
    }
  }

  // MARK: forgetting

  private mutating func forget(_ slot: Int) {
    unlink(slot)
    let identity = self[slot].identity
    slots[identity] = nil
    identityBytes -= identity.footprint
    entries[slot] = nil
    free.append(slot)
  }

  /// `true` with more than 256 sources, and more than twice as many as after the last sweep.
  var isTimeToSweep: Bool { count > sweepAt }

  /// Examines this many slots from `first` on, and forgets sources that are not needed: nothing of them is here, no
  /// token stands for them, and no segment from `oldest` on has a record of them. Returns where to continue; `nil` at
  /// the end.
  mutating func sweep(from first: Int, _ most: Int = .max, oldestSegment oldest: UInt64?) -> Int? {
    if first == 0 { sweepBindings() }
    let end = first + min(most, entries.count - first)
    for slot in first..<end {
      guard let entry = entries[slot], entry.blocks == 0, entry.bindings == 0, entry.staged == 0, entry.removals == 0
      else { continue }
      if let oldest, entry.newestSegment >= oldest { continue }
      forget(slot)
    }
    guard end == entries.count else { return end }
    sweepAt = max(256, count * 2)
    return nil
  }

  // MARK: tokens

  /// The source that a token stands for.
  struct Binding {
    let token: ChunkToken
    /// `nil` if the source cannot be identified on a disk.
    let identity: SpillIdentity?
    /// Also `nil` if nothing of the source is here.
    fileprivate(set) var slot: Int?
    /// The value of `entered` when there was nothing of this source.
    fileprivate var asOf: UInt64 = 0
  }

  /// The source that a token stands for, if it is bound.
  mutating func binding(of token: UInt64) -> Binding? {
    guard let known = bindings[token] else { return nil }
    guard known.slot == nil, let identity = known.identity, known.asOf != entered else { return known }
    bindings[token]!.asOf = entered
    if let slot = slots[identity] { bind(token, to: slot) }
    return bindings[token]
  }

  private mutating func bind(_ token: UInt64, to slot: Int) {
    bindings[token]!.slot = slot
    self[slot].bindings += 1
    setOutdated(slot, false)
  }

  /// Binds a token to its source, or to none.
  mutating func bind(_ token: ChunkToken, to identity: SpillIdentity?) {
    guard bindings[token.number] == nil else { return }
    if bindings.count >= sweepBindingsAt { sweepBindings() }
    bindings[token.number] = Binding(token: token, identity: identity, slot: nil, asOf: entered &- 1)
    _ = binding(of: token.number)
  }

  /// The slot of a token's source, which is entered if necessary. `nil` if the token is not bound, its source cannot be
  /// identified on a disk, or there are too many sources.
  mutating func enter(sourceOf token: UInt64) -> Int? {
    guard let binding = binding(of: token), let identity = binding.identity else { return nil }
    if let slot = binding.slot { return slot }
    guard let slot = enter(identity) else { return nil }
    bind(token, to: slot)
    return slot
  }

  private mutating func sweepBindings() {
    for (number, binding) in bindings where !binding.token.isAlive { unbind(number) }
    sweepBindingsAt = max(256, bindings.count * 2)
  }

  /// Removes a token. Returns the slot that it stood for.
  @discardableResult mutating func unbind(_ token: UInt64) -> Int? {
    guard let slot = bindings.removeValue(forKey: token)?.slot else { return nil }
    self[slot].bindings -= 1
    return slot
  }
}

extension SpillIdentity {
  /// A hash that is the same for all versions of a source.
  fileprivate var idHash: Int { idBytes.withUnsafeBytes { Self.idHash($0) } }

  fileprivate static func idHash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  fileprivate func hasSameID(as other: SpillIdentity) -> Bool { idBytes.elementsEqual(other.idBytes) }

  /// The memory it takes in bytes, rounded up as the allocator does.
  fileprivate var footprint: Int { (32 + bytes.count + 8 + 15) & ~15 }
}
