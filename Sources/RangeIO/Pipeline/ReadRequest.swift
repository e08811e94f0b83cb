/// A request for bytes on its way down: the ranges, the version, and the purpose.
public struct ReadRequest: Sendable {
  /// The range to read, from the start of the source as this stage sees it.
  public var range: ByteRange
  /// The pinned version as this stage sees it. A stage below one that changes the size sees another description.
  public var source: SourceDescription
  /// The rare parts, behind one pointer: most reads have none. A request is passed with every asynchronous call, and
  /// four words fit into registers.
  private var extras: Extras?

  /// The rarer parts of a read, besides a range and a source.
  private struct Rest {
    var moreRanges: [ByteRange] = []
    var urgency: ReadUrgency?
    var caching = CachePolicy.normal
    var deadline: ReadClock.Instant?
    var grid: BlockGrid?
    var isOneOfMany = false
    var isKept = false
    var sequenceEnd: Int?
    var hold: ReadAheadHold?
  }

  /// Immutable: requests share it.
  private final class Extras: Sendable {
    let rest: Rest
    init(_ rest: Rest) { self.rest = rest }
  }

  private mutating func change(_ change: (inout Rest) -> Void) {
    var rest = extras?.rest ?? Rest()
    change(&rest)
    extras = Extras(rest)
  }

  /// Creates a demand for `range` of `source`.
  init(_ range: ByteRange, moreRanges: [ByteRange] = [], of source: SourceDescription) {
    self.range = range
    self.source = source
    extras = moreRanges.isEmpty ? nil : Extras(Rest(moreRanges: moreRanges))
  }

  init(_ ranges: OneOrMore<ByteRange>, of source: SourceDescription) {
    self.init(ranges.head, moreRanges: ranges.more, of: source)
  }

  /// Creates a demand for `range` of `source`, and nothing else.
  @inline(__always) init(plain range: ByteRange, of source: SourceDescription) {
    self.range = range
    self.source = source
    extras = nil
  }

  /// Creates a read by a cache.
  ///
  /// - Parameter urgency: `nil` for a demand.
  init(_ range: ByteRange, of source: SourceDescription, urgency: ReadUrgency?, grid: BlockGrid?) {
    self.range = range
    self.source = source
    extras = urgency == nil && grid == nil ? nil : Extras(Rest(urgency: urgency, grid: grid))
  }

  /// More ranges of a vectored read, in the order requested. Empty for a read of one range, and then costs nothing.
  public var moreRanges: [ByteRange] {
    get { extras?.rest.moreRanges ?? [] }
    set { change { $0.moreRanges = newValue } }
  }

  /// `true` for a read of one range. Cheaper than to ask for the others.
  var isOfOneRange: Bool { extras == nil || moreRanges.isEmpty }

  /// All ranges, in the order requested.
  var ranges: OneOrMore<ByteRange> { OneOrMore(range, more: moreRanges) }

  /// A copy of this request for other ranges, of which there must be at least one.
  func asking(for ranges: [ByteRange]) -> ReadRequest {
    var request = self
    request.range = ranges[0]
    request.moreRanges = Array(ranges.dropFirst())
    request.dropGrid()
    return request
  }

  /// `true` for prefetched bytes: they may be needed soon, and demand has priority everywhere. A prefetch becomes a demand when a
  /// read starts to wait for it, so this is what is known now.
  ///
  /// Setting it starts over: the new value does not follow earlier waiters.
  public var isPrefetch: Bool {
    get { purpose == .prefetch }
    set { purpose = newValue ? .prefetch : .demand }
  }

  /// Why the bytes are read: what ``isPrefetch`` says, by name.
  var purpose: ReadUrgency.Purpose {
    get { extras?.rest.urgency?.purpose ?? .demand }
    set { change { $0.urgency = newValue == .demand ? nil : ReadUrgency() } }
  }

  /// The urgency of a prefetch, which rises when a read starts to wait for it. `nil` for a demand from the start.
  var urgency: ReadUrgency? {
    get { extras?.rest.urgency }
    set { change { $0.urgency = newValue } }
  }

  /// `true` for one of several requests that a cache makes for one read. Some stages run only a limited number of those at once.
  var isOneOfMany: Bool {
    get { extras?.rest.isOneOfMany ?? false }
    set { if newValue != isOneOfMany { change { $0.isOneOfMany = newValue } } }
  }

  /// The use that this read may make of a cache.
  public var caching: CachePolicy {
    get { extras?.rest.caching ?? .normal }
    set { change { $0.caching = newValue } }
  }

  /// The time by which the whole read must end, or `nil`.
  public var deadline: ReadClock.Instant? {
    get { extras?.rest.deadline }
    set { change { $0.deadline = newValue } }
  }

  /// Where the reader of this range will stop, if it is known to read everything until there, as a stream does.
  var sequenceEnd: Int? {
    get { extras?.rest.sequenceEnd }
    set { if newValue != sequenceEnd { change { $0.sequenceEnd = newValue } } }
  }

  /// Keeps what a prefetch brings from being evicted until its reader has passed it. The nearest cache below uses it.
  var hold: ReadAheadHold? {
    get { extras?.rest.hold }
    set { change { $0.hold = newValue } }
  }

  /// Asks for the bytes of each block in separate memory, as pieces of one rope, for a cache that keeps the blocks
  /// separately. A stage that cannot do that ignores it.
  var grid: BlockGrid? {
    get { extras?.rest.grid }
    set { if newValue != grid { change { $0.grid = newValue } } }
  }

  /// A cache will keep the bytes, though they do not come in the blocks of its ``grid``. They must then be memory that nothing else
  /// writes to.
  var isKept: Bool { extras?.rest.isKept ?? false }

  /// Removes the grid, which belongs to other ranges or to other bytes than this request now asks for.
  mutating func dropGrid() {
    guard grid != nil else { return }
    change { ($0.grid, $0.isKept) = (nil, true) }
  }

  /// `true` for a read of one range with normal caching.
  var isPlain: Bool { extras == nil || moreRanges.isEmpty && caching == .normal }

  /// The number of bytes requested, in all.
  package var byteCount: Int {
    let count = ByteRanges.count(range)
    return extras == nil ? count : moreRanges.reduce(count) { ByteRanges.sum($0, ByteRanges.count($1)) }
  }
}

extension ReadRequest {
  /// The use that a read may make of a cache.
  @nonexhaustive
  public enum CachePolicy: Hashable, Sendable {
    /// Return what it has, and keep what it fetches.
    case normal
    /// Nothing: the bytes come from below and are not kept.
    case bypass
    /// Return what it has, and throw `ReadError.Code.notCached` if that is not everything.
    case onlyIfCached
  }
}
