/// Checks what a connection of HTTP/1.1 brings, and suspects what may be left over from a request before. A value.
///
/// Nothing in HTTP/1.1 ties an answer to its request but their order. A server that gives one answer too many shifts all
/// that follow.
struct AnswerWatch<Head: Equatable> {
  /// The parts that tell requests apart.
  struct Request: Equatable {
    let method: String
    let target: String
    let range: String?
    /// It names the version that it wants.
    var isPinned = false
  }

  enum Fault: Equatable {
    /// Bytes without a request.
    case unasked
    /// Too many bytes that are no body: an endless reason phrase, extensions of chunks, blank lines, interim answers.
    case overhead
  }

  /// The most bytes of an answer that are no body, beside six for each byte of the body: a chunk of one byte takes five.
  static var maxOverhead: Int { 262_144 }

  /// The request that is under way.
  private(set) var request: Request?
  private var before: (request: Request, head: Head)?
  private var received = 0
  private var body = 0

  /// A request is under way.
  var isAnswering: Bool { request != nil }

  mutating func sent(_ request: Request) {
    self.request = request
    (received, body) = (0, 0)
  }

  /// Bytes came from the network.
  mutating func received(_ count: Int) -> Fault? {
    guard isAnswering else { return .unasked }
    received += count
    return received - body > Self.maxOverhead + 6 * body ? .overhead : nil
  }

  /// A head came, and no interim one.
  ///
  /// - Parameter isStrong: whether it names a version by a strong tag.
  /// - Returns: whether the head says all that the head before said, though that was the answer to another request: it
  ///   may have come twice.
  mutating func answered(_ head: Head, _ status: Int, isStrong: Bool) -> Bool {
    guard let request else { return false }
    defer { before = (request, head) }
    guard let before, before.request != request, before.head == head else { return false }
    switch status {
    case ..<300:
      // A tag vouches for its object where it is known, and that is so only of a version that was asked for.
      return !isStrong || before.request.method != request.method
        || !request.isPinned && before.request.target != request.target
    // HEAD and GET of one object lead to the same place.
    case ..<400: return before.request.target != request.target
    // What is refused brings no bytes.
    default: return false
    }
  }

  /// Bytes of the body came.
  mutating func took(_ count: Int) { body += count }

  /// The answer is over.
  mutating func ended() { request = nil }
}

/// Decides whether an answer that may have come twice is believed: at the second time, from another connection. A value.
///
/// Objects of one size that were stored in the same second look alike, so this costs each of them a request. Where that has
/// happened 16 times in a row, connections had better bring one answer each.
struct RepeatedAnswers<Head: Equatable> {
  static var maxAlike: Int { 16 }

  /// The request whose answer was refused last, until it is answered again.
  private(set) var refused: (request: AnswerWatch<Head>.Request, head: Head)?
  private var alike = 0

  /// The objects of this server look alike.
  var areAlike: Bool { alike >= Self.maxAlike }

  mutating func believes(_ head: Head, to request: AnswerWatch<Head>.Request, isSuspected: Bool) -> Bool {
    if let last = refused, last.request == request {
      alike = last.head == head ? alike + 1 : 0
      refused = nil
      return true
    }
    if isSuspected { refused = (request, head) }
    return !isSuspected
  }
}
