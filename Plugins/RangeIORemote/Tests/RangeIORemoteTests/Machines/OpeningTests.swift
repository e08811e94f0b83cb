import RangeIO
import Testing

@testable import RangeIORemote

/// The first requests of descriptions, the bytes that come with them, and what decides where HEAD or a range is refused.
struct OpeningTests {
  private let beginning = Opening(.beginning)
  private let version = ObjectVersion.tagged("\"a\"", size: 100_000)

  // MARK: with a GET

  @Test func `one GET of the first 64 KiB tells size and version, and brings its bytes`() throws {
    var run = try DescriptionRun(opening: beginning)
    #expect(run.request?.method == .get && run.request?.fields["Range"] == "bytes=0-65535")
    run.answer(.part(0..<65_536, of: 100_000))
    #expect(run.body == BodyPlan(skip: 0, take: 65_536, rest: 0))
    #expect(run.description?.version == version && run.description?.bytes == 0..<65_536)
    #expect(run.description?.acceptsRanges == true && run.requests.count == 1)
  }

  @Test func `a small object comes whole`() throws {
    var run = try DescriptionRun(opening: beginning)
    run.answer(.part(0..<3000, of: 3000))
    #expect(run.description?.size == 3000 && run.description?.bytes == 0..<3000)
  }

  @Test(arguments: [
    (RemoteOpening.suffix(1000), "bytes=-1000", 99_000..<100_000), (.suffix(500_000), "bytes=-500000", 0..<100_000),
    (.range(5000..<6000), "bytes=5000-5999", 5000..<6000),
    (.range(90_000..<900_000), "bytes=90000-899999", 90_000..<100_000),
  ]) func `a hint names the bytes that come along`(_ wanted: RemoteOpening, _ field: String, _ answered: Range<Int>)
    throws
  {
    var run = try DescriptionRun(opening: Opening(wanted))
    #expect(run.request?.fields["Range"] == field)
    run.answer(.part(answered, of: 100_000))
    #expect(run.description?.version == version && run.description?.bytes == answered)
  }

  @Test func `no hint asks for more than 1 MiB, or for nothing`() {
    let most = Opening.maxBytes
    #expect(Opening(.range(100..<8_000_000)) == .range(100..<100 + most))
    #expect(Opening(.range(5..<5)) == .range(5..<6))
    #expect(Opening(.range(-5..<3)) == .range(0..<3))
    #expect(Opening(.suffix(.max)) == .suffix(most))
    #expect(Opening(.suffix(-1)) == .suffix(1))
    let last = Int.max - most
    #expect(Opening(.range(Int.max - 1..<Int.max)) == .range(last..<Int.max))
  }

  @Test func `the head alone makes the description, whose bytes follow it`() throws {
    var run = try DescriptionRun(opening: beginning)
    run.answer(.part(0..<65_536, of: 100_000))
    let found = try #require(run.description)
    #expect(run.action == .open(found, BodyPlan(skip: 0, take: 65_536, rest: 0)))
  }

  @Test func `a body is waited for where it tells the size, where all is wanted, and where it is compared`() throws {
    var rules = TransferRules()
    var run = try DescriptionRun(opening: beginning)
    run.answer(200, ["ETag": "\"a\""])
    #expect(run.description == nil && run.body?.rest == nil)
    run.ended(.complete, 300)
    #expect(run.description?.size == 300 && run.description?.bytes == 0..<300)
    run = try DescriptionRun(opening: .whole)
    run.answer(200, ["Content-Length": "300", "ETag": "\"a\""])
    #expect(run.description == nil && run.body == BodyPlan(skip: 0, take: 300, rest: 0))
    rules.isAppendOnly = true
    for (end, count) in [(BodyEnd.complete, 65_536), (.fault(.reset), 1000), (.fault(.stalled), 0)] {
      run = try DescriptionRun(rules: rules, opening: beginning)
      run.answer(.part(0..<65_536, of: 100_000))
      #expect(run.description == nil)
      run.ended(end, count)
      #expect(run.description?.version == version && run.description?.bytes == 0..<count)
    }
    run = try DescriptionRun(rules: rules, opening: beginning)
    run.answer(.part(0..<65_536, of: 100_000))
    run.ended(.overran, 65_536)
    #expect(run.failure?.reason == .lengthContradicted)
  }

  @Test func `bytes of an object that may change unseen are not kept`() throws {
    var run = try DescriptionRun(opening: beginning)
    let date = HTTPDate(secondsSince1970: testNow - 1).text
    run.answer(206, ["Content-Range": "bytes 0-65535/100000", "Last-Modified": date])
    #expect(run.description?.isSettled == false && run.description?.bytes.isEmpty == true)
  }

  @Test(arguments: [RemoteOpening.suffix(1000), .range(200_000..<201_000)])
  func `where a range elsewhere is refused the first byte decides`(_ wanted: RemoteOpening) throws {
    let answers: [ResponseHead] = [
      ResponseHead(416, ["Content-Range": "bytes */100000"]), ResponseHead(206, ["Content-Range": "bytes 0--1/5"]),
      ResponseHead(206, [:]), ResponseHead(206, ["Content-Range": "bytes 7-9/*"]),
    ]
    // Some say no more of what lies past the end.
    let bare = wanted == .suffix(1000) ? [] : [ResponseHead(416, [:])]
    for answer in answers + bare {
      var run = try DescriptionRun(opening: Opening(wanted))
      run.answer(answer)
      #expect(run.isProbing, "\(answer)")
      run.answer(.part(0..<1, of: 100_000))
      #expect(run.description?.version == version && run.description?.acceptsRanges == true)
      #expect(run.machine.lessons.isEmpty)
    }
  }

  @Test func `a server that says that it has ranges is asked once more where it answers with a large whole`() throws {
    let whole: KeyValuePairs = ["Content-Length": "3000000", "ETag": "\"a\"", "Accept-Ranges": "bytes"]
    for isRight in [true, false] {
      var run = try DescriptionRun(opening: beginning)
      run.answer(200, whole)
      #expect(run.isProbing)
      if isRight { run.answer(.part(0..<1, of: 3_000_000)) } else { run.answer(200, whole) }
      #expect(run.description?.acceptsRanges == isRight && run.description?.size == 3_000_000)
      #expect(run.machine.lessons == (isRight ? [] : [.ignoresRanges]) && run.requests.count == 2)
    }
  }

  @Test func `a server without ranges tells size and version by the same answer, with what is wanted of it`() throws {
    let rows: [(Int, RemoteOpening, Range<Int>)] = [
      (300_000, RemoteOpening.beginning, 0..<300_000), (1_048_576, .suffix(10), 0..<1_048_576),
      (3_000_000, .beginning, 0..<65_536), (3_000_000, .range(5000..<6000), 5000..<6000),
      (3_000_000, .range(2_000_000..<2_000_010), 0..<0), (3_000_000, .suffix(10), 0..<0),
    ]
    for (size, wanted, kept) in rows {
      var run = try DescriptionRun(opening: Opening(wanted))
      run.answer(200, ["Content-Length": "\(size)", "ETag": "\"a\""])
      if !kept.isEmpty {
        #expect(run.body == BodyPlan(skip: kept.lowerBound, take: kept.count, rest: size - kept.upperBound))
      }
      #expect(run.description?.version == .tagged("\"a\"", size: size) && run.description?.bytes == kept)
      #expect(run.description?.acceptsRanges == false && run.machine.lessons == [.ignoresRanges])
      #expect(run.requests.count == 1)
    }
  }

  @Test func `an object of no bytes is described, however its ranges are refused`() throws {
    let refusals: [ResponseHead] =
      [204, 400, 416, 500, 501].map { ResponseHead($0, [:]) } + [
        ResponseHead(206, ["Content-Range": "bytes 0--1/0", "Content-Length": "0"]),
        ResponseHead(416, ["Content-Range": "bytes */0"]), ResponseHead(200, ["Content-Length": "0", "ETag": "\"a\""]),
      ]
    for opening in [beginning, Opening(.suffix(100)), .probe] {
      for refusal in refusals {
        var run = try DescriptionRun(opening: opening)
        run.answer(refusal)
        if let request = run.request {
          #expect(request.method == .get && request.fields["Range"] == nil)
          run.answer(200, ["Content-Length": "0", "ETag": "\"a\""])
        }
        #expect(run.description?.size == 0, "\(opening) \(refusal)")
      }
    }
  }

  @Test func `a server that fails is not taken for one without ranges`() throws {
    var run = try DescriptionRun(opening: beginning)
    run.answer(500)
    run.answer(500)
    #expect(run.failure?.reason == .serverError(500) && run.failure?.isTransient == true && run.machine.lessons.isEmpty)
    run = try DescriptionRun(opening: beginning)
    run.answer(500)
    run.answer(200, ["Content-Length": "5000000", "ETag": "\"a\""])
    #expect(run.description?.size == 5_000_000 && run.machine.lessons.isEmpty)
  }

  // MARK: with HEAD

  @Test(arguments: [
    201, 202, 203, 204, 300, 304, 400, 401, 403, 404, 405, 406, 408, 410, 412, 425, 429, 500, 501, 502, 503, 504, 520,
  ]) func `where HEAD is refused GET decides, and it is remembered`(_ status: Int) throws {
    var run = try DescriptionRun()
    run.answer(status)
    #expect(run.isProbing)
    var missing = run
    run.answer(.part(0..<1, of: 100_000))
    #expect(run.description?.version == version && run.machine.lessons == [.refusesHead])
    missing.answer(404)
    #expect(missing.failure?.reason == .notFound && missing.machine.lessons.isEmpty)
  }

  @Test func `a page in place of the head of an object, or no answer to HEAD, is decided by GET too`() throws {
    for fields: KeyValuePairs<String, String> in [
      ["Content-Type": "text/html", "Content-Length": "0"], ["Content-Type": "text/html", "Content-Length": "1234"],
      ["Content-Type": "text/html; charset=UTF-8", "Transfer-Encoding": "chunked"],
    ] {
      var run = try DescriptionRun()
      run.answer(200, fields)
      #expect(run.isProbing)
      run.answer(.part(0..<1, of: 100_000))
      #expect(run.description?.version == version && run.machine.lessons == [.headLies])
    }
    var run = try DescriptionRun()
    run.failed(.headTimeout)
    #expect(run.isProbing)
    run.answer(.part(0..<1, of: 100_000))
    #expect(run.description?.version == version && run.machine.lessons == [.refusesHead])
  }

  // MARK: again

  @Test func `a HEAD that shows another version than the one that is known is confirmed by GET`() throws {
    // Unchanged, as HEAD says too.
    var run = try DescriptionRun(known: version)
    run.answer(200, ["Content-Length": "100000", "ETag": "\"a\""])
    #expect(run.description?.version == version && run.requests.count == 1)
    // HEAD shows another tag, always.
    run = try DescriptionRun(known: version)
    run.answer(200, ["Content-Length": "100000", "ETag": "W/\"a\""])
    #expect(run.isProbing)
    run.answer(.part(0..<1, of: 100_000))
    #expect(run.description?.version == version && run.machine.lessons == [.headLies])
    // It has changed: HEAD did not lie.
    run = try DescriptionRun(known: version)
    run.answer(200, ["Content-Length": "100000", "ETag": "\"b\""])
    run.answer(.part(0..<1, of: 100_000, tag: "\"b\""))
    #expect(run.description?.version == .tagged("\"b\"", size: 100_000) && run.machine.lessons.isEmpty)
    // Without a length the tag is enough.
    run = try DescriptionRun(known: version)
    run.answer(200, ["ETag": "\"a\""])
    #expect(run.description?.version == version && run.requests.count == 1)
  }

  @Test func `a read that finds another version than HEAD showed has descriptions begin with GET`() throws {
    var run = try ReadRun()
    run.answer(412)
    run.described(.tagged("\"b\"", size: 10_000))
    #expect(run.failure?.reason == .changed && run.machine.lessons == [.headLies])
  }
}
