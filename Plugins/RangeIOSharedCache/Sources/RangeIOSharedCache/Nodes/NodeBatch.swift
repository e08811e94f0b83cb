#if SharedCache
  internal import NIOCore

  /// Commands whose replies one caller waits for. On the event loop of its node only.
  final class NodeBatch {
    /// The commands to send; none once it is passed on, so that values which wait for a connection are not kept longer.
    private(set) var commands: [CacheNode.Command]
    private(set) var replies: [NodeReply?]
    private(set) var missing: Int
    /// A read waits for it.
    let isOfReads: Bool
    var timer: Scheduled<Void>?
    /// When it was sent; before that, when it began to wait for a connection.
    private(set) var began = NodeBatch.now
    /// The most time between two replies. Of values that are put: a second, since nothing waits for them.
    var limit: Int64 = 1_000_000_000
    /// The most time for all of them.
    var maxTime: Int64 = 60_000_000_000
    /// When it is passed on as it is.
    var due: Int64 = 0
    /// The connection on which it was sent.
    private(set) var handler: NodeHandler?
    /// The longest time before a reply so far.
    private(set) var longestPause: Int64 = 0
    private var last = NodeBatch.now
    private var isUnanswered = true
    /// Whole replies on the connection before it was sent.
    private var repliesBefore = 0
    private var isLateTold = false
    private var deliver: (([NodeReply?]) -> Void)?

    /// The time, in nanoseconds.
    static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    init(_ commands: [CacheNode.Command], isOfReads: Bool, _ deliver: @escaping ([NodeReply?]) -> Void) {
      self.commands = commands
      replies = Array(repeating: nil, count: commands.count)
      missing = commands.count
      self.isOfReads = isOfReads
      self.deliver = deliver
    }

    var isFinished: Bool { deliver == nil }

    /// It is sent now: from here on the node is waited for.
    func sent(at now: Int64, on handler: NodeHandler) {
      (began, last, due) = (now, now, now + limit)
      repliesBefore = handler.replyCount
      self.handler = handler
    }

    /// The node has sent nothing at all since the batch was sent.
    var isSilent: Bool { (handler?.lastBytes ?? 0) <= began }

    /// The most time for a batch of `count` commands, in nanoseconds: half of what the source takes, and for each value as long
    /// as 64 KiB take at 320 MB a second.
    ///
    /// - Parameter worth: the time that an answer is worth, a tenth of what the source takes.
    static func maxTime(for count: Int, worth: Int64) -> Int64 { 5 * worth + 200_000 * Int64(count) }

    /// True if none of it is answered because the node is still answering earlier commands on the same connection.
    ///
    /// - Parameters:
    ///   - lastReply: when the last whole reply came on it.
    ///   - replyCount: how many have come.
    func isBehindOthers(lastReply: Int64, replyCount: Int, at now: Int64) -> Bool {
      isUnanswered && replyCount > repliesBefore && now - lastReply < limit
    }

    /// A reply has come. A node that answers a long batch without a pause is not late.
    func answered(at now: Int64) {
      isUnanswered = false
      longestPause = max(longestPause, now - last)
      last = now
      due = min(now + limit, began + max(limit, maxTime))
    }

    /// The longest pause so far, once, at the first late reply to a read; then `nil`, so that one pause counts once.
    func takeLateTime() -> Int64? {
      guard isOfReads, !isLateTold else { return nil }
      isLateTold = true
      return longestPause
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
      let (deliver, replies) = (deliver, replies)
      self.deliver = nil
      // The connection may keep it until the last reply has come.
      commands = []
      self.replies = []
      deliver?(replies)
    }
  }
#endif
