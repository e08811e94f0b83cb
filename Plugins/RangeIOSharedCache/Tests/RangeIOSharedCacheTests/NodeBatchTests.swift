#if SharedCache
  import NIOCore
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  struct NodeBatchTests {
    private let key = SharedBlockKey(digest: [UInt8](repeating: 1, count: 32))
    private let millisecond: Int64 = 1_000_000

    private func batch(_ count: Int, isOfReads: Bool = true) -> NodeBatch {
      NodeBatch([CacheNode.Command](repeating: .get(key, lease: nil), count: count), isOfReads: isOfReads) { _ in }
    }

    @Test(arguments: [1, 64, 512])
    func
      `a node that answers drop by drop is waited for no longer than half of what the source takes, and the transfer`(
        _ count: Int
      )
    {
      let batch = batch(count)
      let worth = 10 * millisecond
      batch.limit = 5 * worth
      batch.maxTime = NodeBatch.maxTime(for: count, worth: worth)
      let handler = NodeHandler(MetaReplyParser(valueLimit: 100))
      let start = NodeBatch.now
      batch.sent(at: start, on: handler)
      var now = start
      while now + 40 * millisecond < batch.due {
        now += 40 * millisecond
        batch.answered(at: now)
      }
      #expect(batch.due - start <= 50 * millisecond + Int64(count) * millisecond / 5)
    }

    @Test func `values are kept no longer than they are waited for`() {
      let batch = NodeBatch([.set(key, Bytes([1, 2, 3]), lifetime: .seconds(1))], isOfReads: false) { _ in }
      #expect(batch.commands.count == 1)
      batch.finish()
      #expect(batch.commands.isEmpty)
      let read = self.batch(2)
      read.answer(0, .value(Bytes([1, 2, 3])))
      read.finish()
      #expect(read.replies.isEmpty)
      // What comes later is nothing.
      read.answer(1, .value(Bytes([1, 2, 3])))
      #expect(read.replies.isEmpty)
    }

    @Test func `one pause is one time, however many replies come after it`() {
      let batch = batch(100)
      batch.finish()
      batch.answered(at: NodeBatch.now + 50 * millisecond)
      #expect((batch.takeLateTime() ?? 0) >= 50 * millisecond)
      for _ in 1..<100 { #expect(batch.takeLateTime() == nil) }
      #expect(self.batch(1, isOfReads: false).takeLateTime() == nil)
    }

    @Test func `a node is not to blame while it answers what it was asked before`() {
      let batch = batch(2)
      batch.limit = 10 * millisecond
      let start = NodeBatch.now
      batch.sent(at: start, on: NodeHandler(MetaReplyParser(valueLimit: 100)))
      let due = start + 10 * millisecond
      #expect(batch.isBehindOthers(lastReply: due - millisecond, replyCount: 1, at: due))
      // It has answered nothing since, it has stopped to do so, or it has come to this one.
      #expect(!batch.isBehindOthers(lastReply: due - millisecond, replyCount: 0, at: due))
      #expect(!batch.isBehindOthers(lastReply: start, replyCount: 1, at: due))
      batch.answered(at: start + millisecond)
      #expect(!batch.isBehindOthers(lastReply: due - millisecond, replyCount: 1, at: due))
    }

    @Test func `a lifetime without an end is the longest that there is, and a login shows nothing`() {
      var commands = MetaCommands()
      for lifetime in [Duration.seconds(Int64.max), .seconds(Int64.max) * 1.1, .seconds(Int64.min), .zero] {
        var buffer = NodeHandler(MetaReplyParser(valueLimit: 100)).buffer(for: 100)
        commands.set(key, Bytes([1]), lifetime: lifetime, into: &buffer)
        #expect(String(buffer: buffer).contains(lifetime > .zero ? " T2591999\r\n" : " T1\r\n"))
      }
      var shown = ""
      let login = NodeLogin(user: "someone", password: "secret")
      dump([login], to: &shown)
      #expect(!shown.contains("secret") && !"\(login)".contains("secret"))
    }
  }
#endif
