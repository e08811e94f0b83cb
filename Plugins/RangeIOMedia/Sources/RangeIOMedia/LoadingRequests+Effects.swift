internal import RangeIO

/// How much is read for loading requests at once: 4 MiB at most.
struct LoadingLimits: Sendable {
  /// The first piece of a request: short, so that a seek soon shows a picture. Each following piece is twice as long.
  var firstPieceBytes = 64 * 1024
  /// The longest piece.
  var maxPieceBytes = 1024 * 1024
  /// The most pieces in flight, of all requests.
  var maxReads = 4
}

extension LoadingRequests {
  /// The bytes that a request asks for.
  enum Span: Equatable, Sendable {
    /// None: it asks for information only.
    case nothing
    /// These, as far as the resource has them.
    case bytes(offset: Int, count: Int)
    /// All bytes from an offset on, also bytes that are still to come.
    case from(Int)
    /// The last ones.
    case suffix(Int)
  }

  /// What a request is told of the resource.
  struct Information: Equatable, Sendable {
    /// The size that the resource will have; of one whose end is not known, its size now.
    let byteCount: Int
    /// The bytes that will follow. Empty if the resource has none of the requested bytes.
    let range: ByteRange
  }

  /// What the shell has to do.
  enum Effect {
    case inform(Int, Information)
    case read(Int, ByteRange)
    /// Cancel the read of a request, whose result no longer matters.
    case stopReading(Int)
    case answer(Int, Bytes)
    /// The last effect of a request, as is ``fail(_:_:)``.
    case finish(Int)
    case fail(Int, Failure)
    /// Wait for bytes at an offset. The first number names the watch.
    case watch(Int, at: Int)
    case stopWatching
  }
}

extension LoadingRequests.Effect: Equatable where Failure: Equatable {}

extension LoadingRequests.Span {
  /// The first byte, and the first byte after them, of a resource that is said to have `byteCount` bytes. Hostile numbers make a
  /// span that is empty, or that ends where numbers do.
  func bounds(_ byteCount: Int) -> (start: Int, end: Int) {
    switch self {
    case .nothing: return (0, 0)
    case .bytes(let offset, let count):
      guard offset >= 0, count > 0 else { return (max(0, offset), max(0, offset)) }
      let (end, overflows) = offset.addingReportingOverflow(count)
      return (offset, overflows ? .max : end)
    case .from(let offset): return offset < 0 ? (0, 0) : (offset, .max)
    case .suffix(let count): return (byteCount - min(max(0, count), byteCount), byteCount)
    }
  }
}
