/// What a stage gets: which bytes of which version to read, and why.
public struct ReadRequest: Sendable {
  /// The range to read, from the start of the source as this stage sees it.
  public var range: ByteRange
  /// The pinned version as this stage sees it. A stage below one that changes the size sees another description.
  public var source: SourceDescription
  /// The rare parts, behind one pointer: most reads have none. A request is passed with every asynchronous call, and
  /// four words fit into registers.
  private var extras: Extras?

  /// What a read has besides a range and a source. Immutable: requests share it.
  private final class Extras: Sendable {
    let moreRanges: [ByteRange]
    let urgency: ReadUrgency?
    let caching: CachePolicy
    let deadline: ReadInstant?
    let grid: BlockGrid?
    let isOneOfMany: Bool

    init(
      moreRanges: [ByteRange] = [], urgency: ReadUrgency? = nil, caching: CachePolicy = .normal,
      deadline: ReadInstant? = nil, grid: BlockGrid? = nil, isOneOfMany: Bool = false
    ) {
      self.moreRanges = moreRanges
      self.urgency = urgency
      self.caching = caching
      self.deadline = deadline
      self.grid = grid
      self.isOneOfMany = isOneOfMany
    }
  }

  /// Creates a demand for `range` of `source`.
  public init(_ range: ByteRange, moreRanges: [ByteRange] = [], of source: SourceDescription) {
    self.range = range
    self.source = source
    extras = moreRanges.isEmpty ? nil : Extras(moreRanges: moreRanges)
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
    extras = urgency == nil && grid == nil ? nil : Extras(urgency: urgency, grid: grid)
  }

  /// More ranges of a vectored read, in the order requested. Empty for a read of one range, and then costs nothing.
  public var moreRanges: [ByteRange] {
    get { extras?.moreRanges ?? [] }
    set { change(moreRanges: newValue) }
  }

  /// Whether the bytes are prefetched: they may be needed soon, and demand has priority everywhere. A prefetch becomes a
  /// demand when a read starts to wait for it, so this is what is known now.
  ///
  /// Setting it starts over: the new value does not follow earlier waiters.
  public var isPrefetch: Bool {
    get { purpose == .prefetch }
    set { purpose = newValue ? .prefetch : .demand }
  }

  /// Why the bytes are read: what ``isPrefetch`` says, by name.
  package var purpose: ReadUrgency.Purpose {
    get { extras?.urgency?.purpose ?? .demand }
    set { change(urgency: .some(newValue == .demand ? nil : ReadUrgency())) }
  }

  /// The urgency of a prefetch, which rises when a read starts to wait for it. `nil` for a demand from the start.
  var urgency: ReadUrgency? {
    get { extras?.urgency }
    set { change(urgency: .some(newValue)) }
  }

  /// Whether this is one of several requests that a cache makes for one read. Some stages run only a limited number of
  /// those at once.
  var isOneOfMany: Bool {
    get { extras?.isOneOfMany ?? false }
    set { if newValue != isOneOfMany { change(isOneOfMany: newValue) } }
  }

  /// What a cache may do for this read.
  public var caching: CachePolicy {
    get { extras?.caching ?? .normal }
    set { change(caching: newValue) }
  }

  /// The time by which the whole read must end, or `nil`.
  public var deadline: ReadInstant? {
    get { extras?.deadline }
    set { change(deadline: .some(newValue)) }
  }

  /// Asks for the bytes of each block in separate memory, as pieces of one rope, for a cache that keeps the blocks
  /// separately. A stage that cannot do that ignores it.
  var grid: BlockGrid? {
    get { extras?.grid }
    set { if newValue != extras?.grid { change(grid: .some(newValue)) } }
  }

  private mutating func change(
    moreRanges: [ByteRange]? = nil, urgency: ReadUrgency?? = nil, caching: CachePolicy? = nil,
    deadline: ReadInstant?? = nil, grid: BlockGrid?? = nil, isOneOfMany: Bool? = nil
  ) {
    extras = Extras(
      moreRanges: moreRanges ?? self.moreRanges, urgency: urgency ?? self.urgency, caching: caching ?? self.caching,
      deadline: deadline ?? self.deadline, grid: grid ?? self.grid, isOneOfMany: isOneOfMany ?? self.isOneOfMany)
  }

  /// Whether this is a read of one range with normal caching.
  var isPlain: Bool { extras == nil || moreRanges.isEmpty && caching == .normal }

  /// The number of bytes requested, in all.
  public var byteCount: Int {
    let count = ByteRanges.count(range)
    return extras == nil ? count : moreRanges.reduce(count) { ByteRanges.sum($0, ByteRanges.count($1)) }
  }
}
