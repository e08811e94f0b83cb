/// When a connection is closed because nothing comes of it: a value, told of events and of the time.
///
/// A client has so long for the head of a request, and so long to take what it is sent. A request that is being
/// answered, with nothing to take just now, has no deadline here: the source has its own. A client that has closed its
/// side has most likely left; it may also wait for the rest, and gets it as long as there is some every few seconds.
struct ConnectionDeadline: Equatable {
  let headTimeout: Duration
  let stallTimeout: Duration

  /// Since when the client owes us the head of a request; `nil` while an answer is under way.
  private var awaitingHeadSince: Duration?
  /// Parts of an answer that the connection has not taken, and since when none was taken.
  private var pendingWrites = 0
  private var stalledSince = Duration.zero
  /// Requests whose answer has not ended. A client may send the next ones early.
  private var unanswered = 0
  /// Since when the client has closed its side and taken nothing.
  private var leftSince: Duration?

  /// The time to wait for a client that has closed its side.
  static let leavingTime = Duration.seconds(5)

  /// - Parameter now: the time since any fixed moment, as in all calls.
  init(headTimeout: Duration, stallTimeout: Duration, now: Duration) {
    self.headTimeout = headTimeout
    self.stallTimeout = stallTimeout
    awaitingHeadSince = now
  }

  mutating func headArrived() {
    unanswered += 1
    awaitingHeadSince = nil
  }

  mutating func writeBegan(now: Duration) {
    if pendingWrites == 0 { stalledSince = now }
    pendingWrites += 1
  }

  mutating func writeEnded(now: Duration) {
    pendingWrites -= 1
    stalledSince = now
    if leftSince != nil { leftSince = now }
    // The client can ask again only when it has the answer.
    if pendingWrites == 0, awaitingHeadSince != nil { awaitingHeadSince = now }
  }

  mutating func clientClosed(now: Duration) { leftSince = now }

  mutating func answerEnded(now: Duration) {
    unanswered -= 1
    if unanswered == 0 { awaitingHeadSince = now }
  }

  /// When to close the connection, if nothing happens until then; `nil`: not by itself.
  var deadline: Duration? {
    guard let leftSince else { return presentDeadline }
    return min(leftSince + Self.leavingTime, presentDeadline ?? .seconds(Int64.max))
  }

  private var presentDeadline: Duration? {
    let stall = pendingWrites > 0 ? stalledSince + stallTimeout : nil
    // An answer that has ended may still be on its way to a slow client.
    guard let head = awaitingHeadSince, pendingWrites == 0 else { return stall }
    return head + headTimeout
  }
}
