/// An answer on its way up: the bytes of each requested range.
public struct ReadResponse: Sendable {
  /// The bytes of the request's `range`.
  public var bytes: Bytes
  /// The rare parts, behind one pointer: most responses have none.
  private var extras: Extras?

  /// The rarer parts of a response, besides the bytes of one range. Immutable: responses share it.
  private final class Extras: Sendable {
    let moreBytes: [Bytes]
    let overRead: [RangedBytes]

    init(moreBytes: [Bytes], overRead: [RangedBytes]) {
      self.moreBytes = moreBytes
      self.overRead = overRead
    }
  }

  /// Creates the response to a request: one value for each of its ranges.
  public init(_ bytes: Bytes, moreBytes: [Bytes] = []) {
    self.bytes = bytes
    extras = moreBytes.isEmpty ? nil : Extras(moreBytes: moreBytes, overRead: [])
  }

  init(_ pieces: OneOrMore<Bytes>) { self.init(pieces.head, moreBytes: pieces.more) }

  /// The bytes of each of the request's ranges, in order.
  var pieces: OneOrMore<Bytes> { OneOrMore(bytes, more: moreBytes) }

  /// The bytes of the request's `moreRanges`, in order.
  public var moreBytes: [Bytes] {
    get { extras?.moreBytes ?? [] }
    set { change(newValue, overRead) }
  }

  /// Bytes read in addition to those requested, of the same version: a cache above keeps them. They do not overlap what
  /// was requested. A stage that cannot use them drops them.
  ///
  /// A stage that changes or checks bytes returns a new response, as ``map(_:_:)`` does. That leaves out the over-read
  /// bytes, which it has not changed or checked.
  package var overRead: [RangedBytes] {
    get { extras?.overRead ?? [] }
    set { change(moreBytes, newValue) }
  }

  private mutating func change(_ moreBytes: [Bytes], _ overRead: [RangedBytes]) {
    extras = moreBytes.isEmpty && overRead.isEmpty ? nil : Extras(moreBytes: moreBytes, overRead: overRead)
  }

  /// The number of requested bytes, in all.
  public var byteCount: Int { extras == nil ? bytes.count : moreBytes.reduce(bytes.count) { $0 + $1.count } }

  /// The response with each piece transformed, without over-read bytes. A stage that decodes uses it to answer
  /// `request`.
  ///
  /// - Parameters:
  ///   - request: the request that the stage was asked.
  ///   - transform: called with each range of the request and its bytes.
  public func map<E: Error>(
    _ request: ReadRequest, _ transform: (ByteRange, Bytes) throws(E) -> Bytes
  ) throws(E) -> ReadResponse {
    let first = try transform(request.range, bytes)
    guard !moreBytes.isEmpty else { return ReadResponse(first) }
    var more: [Bytes] = []
    more.reserveCapacity(moreBytes.count)
    for (range, piece) in zip(request.moreRanges, moreBytes) { more.append(try transform(range, piece)) }
    return ReadResponse(first, moreBytes: more)
  }

  /// Throws `invalidResponse` unless every range of `request` got the right number of bytes.
  func check(_ request: ReadRequest) throws(ReadError) {
    guard bytes.count == request.range.count else {
      throw .wrongCount(bytes.count, for: request.range, of: request.source)
    }
    guard extras != nil || !request.moreRanges.isEmpty else { return }
    for part in overRead where part.bytes.count != part.range.count || part.range.upperBound > request.source.byteCount
    {
      throw .wrongCount(part.bytes.count, for: part.range, of: request.source)
    }
    guard request.ranges.count == pieces.count else {
      throw ReadError(
        .invalidResponse,
        "\(pieces.count) answers to \(request.ranges.count) ranges: a stage breaks its contract",
        context: .init(source: request.source.name))
    }
    for (range, piece) in zip(request.ranges, pieces) where piece.count != range.count {
      throw .wrongCount(piece.count, for: range, of: request.source)
    }
  }
}
