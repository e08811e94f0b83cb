internal import RangeIO

/// Decides what the loading requests of one resource get: a value that is told of events, and whose effects a shell executes in
/// their order.
///
/// It decides which request reads next and how much, what is answered, and when a request ends. It holds no bytes and reads
/// none. A request has one piece in flight, and all of them have four; the next piece of a request is read when the one
/// before has been answered, at the end of the line. So a player that stops taking, and cancels, has caused one piece too much at
/// most, and a long request does not keep a short one waiting.
///
/// A number names a request once and for all. Events of a request that has ended do nothing.
struct LoadingRequests<Failure: Error> {
  private struct Request {
    /// The first byte that has not been answered.
    var next: Int
    /// The first byte that is not asked for; `Int.max`: all there will be.
    let end: Int
    /// The piece in flight.
    var reading: ByteRange?
    /// The size of the next piece.
    var pieceBytes: Int
  }

  private let limits: LoadingLimits
  /// The size now.
  private(set) var byteCount: Int
  /// The size in the end; `Int.max` if it is not known.
  private var finalByteCount: Int
  private var requests: [Int: Request] = [:]
  private var lastRequest = 0
  /// Requests that can read, in the order of their turns.
  private var turns: [Int] = []
  private var readsInFlight = 0
  /// Requests that have to wait for the resource to grow, in order.
  private var waiting: [Int] = []
  private var watch: Int?
  private var lastWatch = 0

  /// - Parameter finalByteCount: the size in the end, if the resource still grows; `nil` if it is not known.
  init(byteCount: Int, growingTo finalByteCount: Int?, _ limits: LoadingLimits = LoadingLimits()) {
    self.limits = limits
    self.finalByteCount = max(0, finalByteCount ?? .max)
    self.byteCount = min(byteCount, self.finalByteCount)
  }

  /// No growth.
  init(byteCount: Int, _ limits: LoadingLimits = LoadingLimits()) {
    self.init(byteCount: byteCount, growingTo: byteCount, limits)
  }

  /// The requests that have not ended.
  var openRequests: [Int] { requests.keys.sorted() }

  // MARK: what players do

  /// A request arrives.
  mutating func begin(_ span: Span, asksForInformation: Bool) -> (request: Int, effects: [Effect]) {
    lastRequest += 1
    let id = lastRequest
    let announced = finalByteCount == .max ? byteCount : finalByteCount
    let (start, end) = span.bounds(announced)
    var effects: [Effect] = []
    if asksForInformation {
      let last = max(start, min(end, announced))
      effects.append(.inform(id, Information(byteCount: announced, range: start..<last)))
    }
    requests[id] = Request(next: start, end: end, pieceBytes: limits.firstPieceBytes)
    effects += goOn(id) + next()
    return (id, effects)
  }

  /// A request is cancelled.
  mutating func cancel(_ id: Int) -> [Effect] {
    guard let request = requests.removeValue(forKey: id) else { return [] }
    turns.removeAll { $0 == id }
    waiting.removeAll { $0 == id }
    guard request.reading != nil else { return next() }
    readsInFlight -= 1
    return [.stopReading(id)] + next()
  }

  // MARK: what the reader does

  /// The resource has so many bytes now, or had.
  mutating func saw(_ byteCount: Int) { self.byteCount = max(self.byteCount, min(byteCount, finalByteCount)) }

  /// The read of a request has ended. The reader returns what it was asked for, or an error.
  mutating func read(_ id: Int, _ result: Result<Bytes, Failure>) -> [Effect] {
    guard let range = requests[id]?.reading else { return [] }
    readsInFlight -= 1
    switch result {
    case .success(let bytes):
      precondition(bytes.count == range.count, "a reader returns what it is asked for")
      requests[id]?.reading = nil
      requests[id]?.next = range.upperBound
      return [.answer(id, bytes)] + goOn(id) + next()
    case .failure(let failure):
      requests[id] = nil
      return [.fail(id, failure)] + next()
    }
  }

  /// A watch has seen that the resource is longer, or (`isOver`) that it will not become longer than this.
  mutating func grew(_ watch: Int, to byteCount: Int, isOver: Bool) -> [Effect] {
    guard watch == self.watch else { return [] }
    self.watch = nil
    saw(byteCount)
    if isOver { finalByteCount = self.byteCount }
    let awake = waiting
    waiting = []
    return awake.flatMap { goOn($0) } + next()
  }

  /// A watch has failed, and so do the requests that wait for it.
  mutating func watchFailed(_ watch: Int, _ failure: Failure) -> [Effect] {
    guard watch == self.watch else { return [] }
    self.watch = nil
    let failed = waiting
    waiting = []
    for id in failed { requests[id] = nil }
    return failed.map { .fail($0, failure) }
  }

  // MARK: turns

  /// A request ends if it has got all, waits if it has got all there is, and else lines up.
  private mutating func goOn(_ id: Int) -> [Effect] {
    guard let request = requests[id] else { return [] }
    if request.next >= min(request.end, finalByteCount) {
      requests[id] = nil
      return [.finish(id)]
    }
    if request.next < byteCount { turns.append(id) } else { waiting.append(id) }
    return []
  }

  /// Starts what can be started, and watches as long as a request waits.
  private mutating func next() -> [Effect] {
    var effects: [Effect] = []
    while readsInFlight < limits.maxReads, !turns.isEmpty {
      let id = turns.removeFirst()
      guard var request = requests[id] else { continue }
      let end = min(request.end, byteCount)
      let piece = request.next..<request.next + min(request.pieceBytes, end - request.next)
      request.reading = piece
      request.pieceBytes = min(request.pieceBytes * 2, limits.maxPieceBytes)
      requests[id] = request
      readsInFlight += 1
      effects.append(.read(id, piece))
    }
    if waiting.isEmpty, watch != nil {
      watch = nil
      effects.append(.stopWatching)
    } else if !waiting.isEmpty, watch == nil {
      lastWatch += 1
      watch = lastWatch
      effects.append(.watch(lastWatch, at: byteCount))
    }
    return effects
  }
}
