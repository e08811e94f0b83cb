/// What travels down the pipeline: which bytes of which version, and why.
public struct ReadRequest: Sendable {
  /// Why bytes are read.
  public enum Purpose: Hashable, Sendable {
    /// Somebody waits for them.
    case demand
    /// Somebody may want them soon. Goes after demand everywhere.
    case prefetch
  }

  /// What a cache may do for a read.
  public enum Caching: Hashable, Sendable {
    /// Answer what it has, and keep what it fetches.
    case normal
    /// Nothing: the bytes come from below, and are not kept.
    case bypass
    /// Answer what it has, and throw `ReadError.Code.notCached` if that is not all.
    case onlyIfCached
  }

  /// The bytes asked for, from the start of the source as this stage sees it.
  public var range: ByteRange
  /// The pinned version, as this stage sees it: a stage below one that changes the size sees another description.
  public var source: SourceDescription
  /// What most reads have none of, behind one pointer: a request is handed on with every asynchronous call, and four
  /// words fit into registers.
  private var extras: Extras?

  /// What a read has beyond a range of a source. Immutable: requests share it.
  private final class Extras: Sendable {
    let moreRanges: [ByteRange]
    let purpose: Purpose
    let caching: Caching
    let deadline: ReadInstant?
    let grid: BlockGrid?

    init(
      moreRanges: [ByteRange] = [], purpose: Purpose = .demand, caching: Caching = .normal,
      deadline: ReadInstant? = nil, grid: BlockGrid? = nil
    ) {
      self.moreRanges = moreRanges
      self.purpose = purpose
      self.caching = caching
      self.deadline = deadline
      self.grid = grid
    }
  }

  /// A demand for `range` of `source`.
  public init(_ range: ByteRange, moreRanges: [ByteRange] = [], of source: SourceDescription) {
    self.range = range
    self.source = source
    extras = moreRanges.isEmpty ? nil : Extras(moreRanges: moreRanges)
  }

  /// A demand for `range` of `source`, and nothing besides.
  @inline(__always) init(plain range: ByteRange, of source: SourceDescription) {
    self.range = range
    self.source = source
    extras = nil
  }

  /// A read that a cache makes.
  init(_ range: ByteRange, of source: SourceDescription, purpose: Purpose, grid: BlockGrid?) {
    self.range = range
    self.source = source
    extras = purpose == .demand && grid == nil ? nil : Extras(purpose: purpose, grid: grid)
  }

  /// More ranges of a vectored read, in the order asked. Empty for a read of one range, and costs nothing then.
  public var moreRanges: [ByteRange] {
    get { extras?.moreRanges ?? [] }
    set { change(moreRanges: newValue) }
  }

  /// Why the bytes are read.
  public var purpose: Purpose {
    get { extras?.purpose ?? .demand }
    set { change(purpose: newValue) }
  }

  /// What a cache may do for this read.
  public var caching: Caching {
    get { extras?.caching ?? .normal }
    set { change(caching: newValue) }
  }

  /// When the whole read must have ended, or `nil`.
  public var deadline: ReadInstant? {
    get { extras?.deadline }
    set { change(deadline: .some(newValue)) }
  }

  /// Asks for the bytes of each block in memory of their own, as pieces of one rope: for a cache that keeps them one by
  /// one. Whoever cannot do that answers as ever.
  var grid: BlockGrid? {
    get { extras?.grid }
    set { if newValue != extras?.grid { change(grid: .some(newValue)) } }
  }

  private mutating func change(
    moreRanges: [ByteRange]? = nil, purpose: Purpose? = nil, caching: Caching? = nil, deadline: ReadInstant?? = nil,
    grid: BlockGrid?? = nil
  ) {
    extras = Extras(
      moreRanges: moreRanges ?? self.moreRanges, purpose: purpose ?? self.purpose, caching: caching ?? self.caching,
      deadline: deadline ?? self.deadline, grid: grid ?? self.grid)
  }

  /// Whether this is a read of one range, to be cached as ever.
  var isPlain: Bool { extras == nil || moreRanges.isEmpty && caching == .normal }

  /// The bytes asked for in all.
  public var byteCount: Int { extras == nil ? range.count : moreRanges.reduce(range.count) { $0 + $1.count } }
}

/// What travels up: the bytes of each range asked for.
public struct ReadResponse: Sendable {
  /// The bytes of the request's `range`.
  public var bytes: Bytes
  /// The bytes of the request's `moreRanges`, in order.
  public var moreBytes: [Bytes]

  /// The answer to a request: one value for each of its ranges.
  public init(_ bytes: Bytes, moreBytes: [Bytes] = []) {
    self.bytes = bytes
    self.moreBytes = moreBytes
  }

  /// The bytes in all.
  public var byteCount: Int { moreBytes.reduce(bytes.count) { $0 + $1.count } }

  /// The response with each piece transformed: how a stage that decodes answers `request`.
  ///
  /// - Parameter transform: gets each range of the request with its bytes.
  public func map<E: Error>(
    _ request: ReadRequest, _ transform: (ByteRange, Bytes) throws(E) -> Bytes
  ) throws(E) -> ReadResponse {
    var response = ReadResponse(try transform(request.range, bytes))
    guard !moreBytes.isEmpty else { return response }
    response.moreBytes.reserveCapacity(moreBytes.count)
    for (range, piece) in zip(request.moreRanges, moreBytes) {
      response.moreBytes.append(try transform(range, piece))
    }
    return response
  }

  /// Throws `invalidResponse` unless this answers `request` with the right number of bytes throughout.
  func check(_ request: ReadRequest) throws(ReadError) {
    guard bytes.count == request.range.count else {
      throw .wrongCount(bytes.count, for: request.range, of: request.source)
    }
    guard !(moreBytes.isEmpty && request.moreRanges.isEmpty) else { return }
    guard request.moreRanges.count == moreBytes.count else {
      throw ReadError(
        .invalidResponse,
        "\(moreBytes.count + 1) answers to \(request.moreRanges.count + 1) ranges: a stage breaks its contract",
        context: .init(source: request.source.id))
    }
    for (range, piece) in zip(request.moreRanges, moreBytes) where piece.count != range.count {
      throw .wrongCount(piece.count, for: range, of: request.source)
    }
  }
}
