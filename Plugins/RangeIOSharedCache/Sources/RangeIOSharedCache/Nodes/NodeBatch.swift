#if SharedCache
  internal import NIOCore

  /// Replies that one caller waits for. On the event loop of its node only.
  final class NodeBatch {
    private(set) var replies: [NodeReply?]
    private(set) var missing: Int
    /// Whether a read waits for it.
    let isOfReads: Bool
    var timer: Scheduled<Void>?
    /// When it was sent; before that, when it began to wait for a connection.
    private(set) var began = NodeBatch.now
    /// The most time between two replies. Of values that are put: a second, since nothing waits for them.
    var limit: Int64 = 1_000_000_000
    /// When it is passed on as it is.
    var due: Int64 = 0
    /// The connection on which it was sent.
    private(set) var handler: NodeHandler?
    /// The longest time before a reply so far.
    private(set) var longestPause: Int64 = 0
    private var last = NodeBatch.now
    private var deliver: (([NodeReply?]) -> Void)?

    /// The time, in nanoseconds.
    static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    init(_ count: Int, isOfReads: Bool, _ deliver: @escaping ([NodeReply?]) -> Void) {
      replies = Array(repeating: nil, count: count)
      missing = count
      self.isOfReads = isOfReads
      self.deliver = deliver
    }

    var isFinished: Bool { deliver == nil }

    /// It is sent now: from here on the node is waited for.
    func sent(at now: Int64, on handler: NodeHandler) {
      (began, last, due) = (now, now, now + limit)
      self.handler = handler
    }

    /// Whether the node has sent nothing at all since.
    var isSilent: Bool { (handler?.lastBytes ?? 0) <= began }

    /// A reply has come. A node that answers a long batch without a pause is not late.
    func answered(at now: Int64) {
      longestPause = max(longestPause, now - last)
      last = now
      due = min(now + limit, began + limit * Int64(4 + replies.count / 16))
    }

    func answer(_ number: Int, _ reply: NodeReply?) {
      guard !isFinished else { return }
      replies[number] = reply
      missing -= 1
      if missing == 0 { finish() }
    }

    /// Passes on what is there.
    func finish() {
      timer?.cancel()
      let deliver = deliver
      self.deliver = nil
      deliver?(replies)
    }
  }
#endif
