/// What travels down the pipeline: which bytes of which version, and why.
public struct ReadRequest: Sendable {
  /// Why bytes are read.
  public enum Purpose: Hashable, Sendable {
    /// Somebody waits for them.
    case demand
    /// Somebody may want them soon. Goes after demand everywhere.
    case prefetch
  }

  /// The bytes asked for, from the start of the source as this stage sees it.
  public var range: ByteRange
  /// More ranges of a vectored read, in the order asked. Empty for a read of one range, and costs nothing then.
  public var moreRanges: [ByteRange]
  /// The pinned version, as this stage sees it: a stage below one that changes the size sees another description.
  public var source: SourceDescription
  /// Why the bytes are read.
  public var purpose: Purpose
  /// When the whole read must have ended, or `nil`.
  public var deadline: ReadInstant?

  /// A demand for `range` of `source`.
  public init(_ range: ByteRange, moreRanges: [ByteRange] = [], of source: SourceDescription) {
    self.range = range
    self.moreRanges = moreRanges
    self.source = source
    purpose = .demand
    deadline = nil
  }

  /// The bytes asked for in all.
  public var byteCount: Int { moreRanges.reduce(range.count) { $0 + $1.count } }
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
    guard !(request.moreRanges.isEmpty && moreBytes.isEmpty) else { return }
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
