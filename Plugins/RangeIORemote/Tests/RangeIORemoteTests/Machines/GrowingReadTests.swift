import Testing

@testable import RangeIORemote

/// Reads of an object that only grows, event by event.
struct GrowingReadTests {
  private static var rules: TransferRules {
    var rules = TransferRules()
    rules.isAppendOnly = true
    return rules
  }

  @Test func `a read names no version, and asks caches to let it pass`() throws {
    let run = try ReadRun(rules: Self.rules)
    #expect(run.request?.ifMatch == nil)
    #expect(run.request?.passesCaches == true)
  }

  @Test func `the version that is known needs no look`() throws {
    var run = try ReadRun(rules: Self.rules)
    run.deliver(0..<1000)
    #expect(run.action == .finish)
    #expect(run.machine.moved.isEmpty)
  }

  @Test func `answers of later versions are taken, and noted to be compared`() throws {
    var run = try ReadRun(rules: Self.rules)
    run.answer(.part(0..<1000, of: 10_500, tag: "\"b\""))
    run.ended(.fault(.reset), 400)
    #expect(run.request?.range == 400..<1000)
    run.answer(.part(400..<1000, of: 11_000, tag: "\"c\""))
    run.ended(.complete, 600)
    #expect(run.action == .finish)
    #expect(run.machine.moved == [.tagged("\"b\"", size: 10_500), .tagged("\"c\"", size: 11_000)])
  }

  @Test(arguments: ["W/\"a\"", nil]) func `an answer without the tag that was known is compared`(tag: String?) throws {
    var run = try ReadRun(rules: Self.rules)
    run.deliver(0..<1000, tag: tag)
    #expect(run.machine.moved.count == 1)
  }

  @Test func `without tag and date every read is compared`() throws {
    var run = try ReadRun(of: ObjectVersion(.unknown, size: 10_000), rules: Self.rules)
    run.deliver(0..<1000, tag: nil)
    #expect(run.machine.moved.count == 1)
  }

  @Test func `an answer that does not tell the size is compared`() throws {
    var run = try ReadRun(rules: Self.rules)
    run.answer(206, ["Content-Range": "bytes 0-999/*", "Content-Length": "1000", "ETag": "\"a\""])
    run.ended(.complete, 1000)
    #expect(run.action == .finish)
    #expect(run.machine.moved.count == 1)
  }

  @Test func `a shorter object is described anew, and told if it is`() throws {
    var run = try ReadRun(rules: Self.rules)
    run.answer(.part(0..<1000, of: 9000, tag: "\"b\""))
    run.described(.tagged("\"b\"", size: 9000))
    #expect(run.failure?.reason == .changed)
    run = try ReadRun(rules: Self.rules)
    run.answer(416, ["Content-Range": "bytes */500"])
    run.described(.tagged("\"c\"", size: 12_000))
    // One of several servers was behind.
    #expect(run.request?.range == 0..<1000)
  }

  @Test func `a mark vouches for its own version only, and only by what no other version has`() throws {
    let weak = ObjectVersion.tagged("W/\"a\"", size: 100)
    let strong = ObjectVersion.tagged("\"a\"", size: 100)
    let marks = try [weak, strong].map { try #require(GrowthMark([UInt8](repeating: 1, count: 100), from: 0, of: $0)) }
    #expect(marks[1].vouches(for: []))
    #expect(marks[1].vouches(for: [strong]))
    #expect(!marks[1].vouches(for: [strong, .tagged("\"b\"", size: 100)]))
    #expect(!marks[0].vouches(for: [weak]))
  }
}
