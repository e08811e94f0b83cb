import RangeIO
import Testing

@testable import RangeIORemote

/// Answers 30 to 38: encodings, lengths, conditions and caches.
struct HeaderAnswerTests {
  private let strong = ObjectVersion.tagged("\"a\"", size: 10_000)

  @Test(arguments: ["gzip", "br", "gzip, identity", "deflate", "UTF-8, X-GZIP", "zstd"])
  func `answer 30: an encoded body fails`(
    _ coding: String
  ) throws {
    var run = try ReadRun()
    #expect(run.request?.fields["Accept-Encoding"] == "identity")
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "Content-Encoding": coding])
    #expect(run.failure?.reason == .contentEncoded)
    run = try ReadRun()
    run.answer(200, ["Content-Length": "10000", "ETag": "\"a\"", "Content-Encoding": coding])
    #expect(run.failure?.reason == .contentEncoded)
    var description = try DescriptionRun(opening: .probe)
    description.answer(206, ["Content-Range": "bytes 0-0/10000", "ETag": "\"a\"", "Content-Encoding": coding])
    #expect(description.failure?.reason == .contentEncoded)
  }

  @Test(arguments: [
    "Identity", "UTF-8", "utf-8, binary", "binary", "zip", "aws-chunked", "none", "", "text/plain", "application/gzip",
  ]) func `answer 30: what is no coding encodes nothing`(_ value: String) throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "Content-Encoding": value])
    #expect(run.action == .receive(1000, rest: 0))
    #expect(try described(["Content-Length": "10000", "ETag": "\"a\"", "Content-Encoding": value])?.size == 10_000)
  }

  @Test func `answer 30: stored encodings are read on request`() throws {
    var run = try ReadRun()
    var rules = TransferRules()
    rules.acceptsEncoded = true
    run = try ReadRun(rules: rules)
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "Content-Encoding": "gzip"])
    #expect(run.action == .receive(1000, rest: 0))
  }

  @Test(
    arguments: [
      ("gzip", "gzip", true), ("gzip", "identity", false), ("", "gzip", false), ("", "identity", true),
      ("br", "gzip", false), ("", "aws-chunked", true), ("x-gzip", "identity", false), ("GZIP", "gzip", true),
      ("gzip", nil, true),
    ] as [(String, String?, Bool)])
  func `answer 30: a coding that is not the store's fails, where the store names its own`(
    coding: String, stored: String?, isRight: Bool
  ) throws {
    var rules = TransferRules()
    (rules.acceptsEncoded, rules.codingField) = (true, "x-stored")
    var fields = HeaderFields([
      "Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "Content-Encoding": coding, "Content-Length": "1000",
    ])
    fields.set("X-Stored", stored)
    let head = ResponseHead(status: 206, fields: fields)
    var run = try ReadRun(rules: rules)
    run.answer(head)
    #expect((run.action == .receive(1000, rest: 0)) == isRight)
    #expect((run.failure?.reason == .contentEncoded) == !isRight)
    var description = try DescriptionRun(rules: rules, opening: .range(0..<1000))
    description.answer(head)
    #expect((description.failure?.reason == .contentEncoded) == !isRight)
  }

  @Test(arguments: [("gzip", ""), ("", "gzip"), ("gzip", "br")])
  func `answer 30: bytes of another encoding than those of the opening fail`(first: String, second: String) throws {
    func fields(_ range: String, _ coding: String) -> KeyValuePairs<String, String> {
      ["Content-Range": "bytes \(range)/10000", "ETag": "\"a\"", "Content-Encoding": coding]
    }
    var rules = TransferRules()
    rules.acceptsEncoded = true
    var description = try DescriptionRun(rules: rules, opening: .probe)
    description.answer(206, fields("0-0", first))
    let version = try #require(description.description?.version)
    for (coding, isSame) in [(first, true), (second, false)] {
      var run = try ReadRun(of: version, rules: rules)
      run.answer(206, fields("0-999", coding))
      #expect((run.failure?.reason == .contentEncoded) == !isSame)
      #expect((run.action == .receive(1000, rest: 0)) == isSame)
      run = try ReadRun(of: version, rules: rules)
      run.answer(200, ["Content-Length": "10000", "ETag": "\"a\"", "Content-Encoding": coding])
      #expect((run.failure?.reason == .contentEncoded) == !isSame)
    }
    // HEAD shows no bytes: their coding is not known.
    var head = try DescriptionRun(rules: rules, opening: .head)
    head.answer(200, ["Content-Length": "10000", "ETag": "\"a\"", "Content-Encoding": first])
    #expect(head.description?.version.coding == nil)
  }

  @Test func `answer 31: HEAD with the length of the encoded form is not believed`() throws {
    let encoded: [KeyValuePairs<String, String>] = [
      ["Content-Length": "4000", "ETag": "\"a\"", "Content-Encoding": "gzip"],
      ["Content-Length": "4000", "ETag": "\"a-gzip\""],
    ]
    for fields in encoded {
      var run = try DescriptionRun()
      run.answer(200, fields)
      #expect(run.isProbing)
      run.answer(206, ["Content-Range": "bytes 0-0/10000", "ETag": "\"a\""])
      #expect(run.description?.version == strong && run.machine.lessons == [.headLies])
    }
    // Where nothing shows it, the first range does.
    var run = try ReadRun(of: .tagged("\"a\"", size: 4000))
    run.answer(.part(0..<1000, of: 10_000))
    run.described(strong)
    #expect(run.failure?.reason == .changed && run.machine.lessons == [.headLies])
  }

  @Test func `answer 32: HEAD without a length leads to GET`() throws {
    var run = try DescriptionRun()
    run.answer(200, ["ETag": "\"a\"", "Transfer-Encoding": "chunked"])
    #expect(run.isProbing)
    run.answer(206, ["Content-Range": "bytes 0-0/10000", "ETag": "\"a\""])
    #expect(run.description?.version == strong && run.machine.lessons == [.headLies])
    var habits = Habits()
    run.machine.lessons.forEach { habits.learn($0) }
    #expect(try DescriptionRun(habits: habits).isProbing)
  }

  @Test func `answer 32: without any length the end of the body tells it, within the limit`() throws {
    func whole() throws -> DescriptionRun {
      var run = try DescriptionRun()
      run.answer(200, ["ETag": "\"a\""])
      run.answer(200, ["ETag": "\"a\"", "Transfer-Encoding": "chunked"])
      #expect(run.body == BodyPlan(skip: 0, take: 1_048_577, rest: nil))
      return run
    }
    var run = try whole()
    run.ended(.complete, 10_000)
    #expect(run.description?.version == strong && run.description?.bytes == 0..<10_000)
    #expect(run.description?.acceptsRanges == false)
    run = try whole()
    run.ended(.stopped, 1_048_577)
    #expect(run.failure?.reason == .sizeUnknown && run.failure?.code == .unsupportedSource)
    // What was cut is no whole.
    run = try whole()
    run.ended(.fault(.reset), 10_000)
    #expect(run.isProbing)
    run = try whole()
    run.ended(.fault(.stalled), 10_000)
    #expect(run.failure?.reason == .stalled)
  }

  @Test func `answer 33: a chunked 206 is read`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "Transfer-Encoding": "chunked"])
    #expect(run.action == .receive(1000, rest: 0))
    run.ended(.complete, 1000)
    #expect(run.action == .finish)
  }

  @Test func `answer 33: a chunked 206 that ends early is continued, and one that does not end is refused`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "Transfer-Encoding": "chunked"])
    run.ended(.complete, 300)
    #expect(run.request?.range == 300..<1000)
    run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "Transfer-Encoding": "chunked"])
    run.ended(.overran, 1000)
    #expect(run.failure?.reason == .lengthContradicted)
  }

  @Test func `answer 34: lengths that contradict each other fail`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "Content-Length": "1001", "ETag": "\"a\""])
    #expect(run.failure?.reason == .lengthContradicted)
    run = try ReadRun()
    run.answer(
      206,
      ["Content-Range": "bytes 0-999/10000", "Content-Length": "1000", "Content-Length": "500", "ETag": "\"a\""])
    #expect(run.failure?.reason == .lengthContradicted)
    run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "Content-Length": "1000, 1000", "ETag": "\"a\""])
    #expect(run.action == .receive(1000, rest: 0))
    run = try ReadRun()
    run.answer(
      206, ["Content-Range": "bytes 0-999/10000", "Content-Range": "bytes 0-998/10000", "ETag": "\"a\""])
    #expect(run.failure?.reason == .invalidContentRange)
    var description = try DescriptionRun()
    description.answer(200, ["Content-Length": "5", "Content-Length": "6"])
    #expect(description.isProbing)
    description.answer(200, ["Content-Length": "-6"])
    #expect(description.failure?.reason == .lengthContradicted)
    description = try DescriptionRun(opening: .probe)
    description.answer(206, ["Content-Range": "bytes 0-0/10000", "Content-Length": "10000"])
    #expect(description.failure?.reason == .lengthContradicted)
  }

  @Test func `answer 35: ranges are tried whatever Accept-Ranges says`() throws {
    let refused = try described(["Content-Length": "10000", "ETag": "\"a\"", "Accept-Ranges": "none"])
    #expect(refused?.size == 10_000 && refused?.acceptsRanges == nil)
    let unsaid = try described(["Content-Length": "10000", "ETag": "\"a\""])
    #expect(unsaid?.size == 10_000 && unsaid?.acceptsRanges == nil)
    let granted = try described(["Content-Length": "10000", "ETag": "\"a\"", "Accept-Ranges": "bytes"])
    #expect(granted?.acceptsRanges == true)
    var habits = Habits()
    habits.learn(.ignoresRanges)
    var run = try ReadRun(5000..<6000, habits: habits)
    #expect(run.request?.range == 5000..<6000)
    run.deliver(5000..<6000)
    #expect(run.action == .finish && run.machine.lessons == [.honoursRanges])
  }

  @Test func `answer 36: where If-Match is refused tags are compared here`() throws {
    var run = try ReadRun()
    #expect(run.request?.ifMatch == "\"a\"" && run.request?.fields["If-Match"] == "\"a\"")
    run.answer(412)
    run.described()
    #expect(run.request != nil && run.request?.ifMatch == nil && run.machine.lessons == [.refusesIfMatch])
    run.answer(.part(0..<1000, of: 10_000))
    #expect(run.action == .receive(1000, rest: 0))
    var habits = Habits()
    habits.learn(.refusesIfMatch)
    run = try ReadRun(habits: habits)
    #expect(run.request?.ifMatch == nil)
    run.answer(412)
    run.described()
    run.answer(412)
    #expect(run.failure?.reason == .unexpectedStatus(412))
  }

  @Test(arguments: [400, 501]) func `answer 36: a request may be refused because it has If-Match`(
    _ status: Int
  ) throws {
    var run = try ReadRun()
    run.answer(status)
    #expect(run.action == .describe)
    run.described()
    #expect(run.request != nil && run.request?.ifMatch == nil && run.machine.lessons == [.refusesIfMatch])
    var other = run
    run.deliver(0..<1000)
    #expect(run.action == .finish)
    other.answer(status)
    #expect(other.failure?.reason == .unexpectedStatus(status))
  }

  @Test func `answer 36: where If-Match is ignored another tag is seen all the same`() throws {
    var run = try ReadRun()
    run.answer(.part(0..<1000, of: 10_000, tag: "\"b\""))
    #expect(run.action == .describe)
    run.described(.tagged("\"b\"", size: 10_000))
    #expect(run.failure?.reason == .changed)
  }

  @Test func `answer 37: a stale 206 under an old tag is asked for once more, past caches`() throws {
    var run = try ReadRun(of: .tagged("\"new\"", size: 10_000))
    #expect(run.request?.passesCaches == false && run.request?.fields["Cache-Control"] == nil)
    run.answer(.part(0..<1000, of: 10_000, tag: "\"old\""))
    #expect(run.action == .describe)
    run.described()
    #expect(run.request?.fields["Cache-Control"] == "no-cache" && run.request?.fields["Pragma"] == "no-cache")
    run.deliver(0..<1000, tag: "\"new\"")
    #expect(run.action == .finish && run.machine.lessons == [.servesStale])
    var habits = Habits()
    habits.learn(.servesStale)
    #expect(try ReadRun(habits: habits).request?.passesCaches == true)
  }

  @Test func `answer 38: Vary that flips changes nothing`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-499/10000", "ETag": "\"a\"", "Vary": "Accept-Encoding"])
    run.ended(.complete, 500)
    run.answer(206, ["Content-Range": "bytes 500-999/10000", "ETag": "\"a\"", "Vary": "*"])
    run.ended(.complete, 500)
    #expect(run.action == .finish)
  }
}
