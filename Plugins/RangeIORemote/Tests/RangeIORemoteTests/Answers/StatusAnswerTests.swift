import RangeIO
import Testing

@testable import RangeIORemote

/// Answers 1 to 14: what 200, 206 and 416 may mean, with the outcome that each must have.
struct StatusAnswerTests {
  @Test func `answer 1: of a small 200 for a range from offset 0 the prefix is taken`() throws {
    var run = try ReadRun(0..<1000)
    run.answer(200, ["Content-Length": "10000", "ETag": "\"a\""])
    #expect(run.action == .receive(1000, rest: 9000))
    run.ended(.stopped, 1000)
    #expect(run.action == .finish && run.machine.lessons == [.ignoresRanges])
  }

  @Test func `answer 1: a prefix that is cut is taken again, and what is there is skipped`() throws {
    var run = try ReadRun(0..<100_000, of: .tagged("\"a\"", size: 200_000))
    run.answer(200, ["Content-Length": "200000", "ETag": "\"a\""])
    run.ended(.fault(.reset), 40_000)
    #expect(run.request?.range == 40_000..<100_000)
    run.answer(200, ["Content-Length": "200000", "ETag": "\"a\""])
    #expect(run.action == .receive(skip: 40_000, 60_000, rest: 100_000))
    run.ended(.complete, 60_000)
    #expect(run.action == .finish)
  }

  @Test func `answer 1: a 200 for the whole object is taken, however long`() throws {
    var run = try ReadRun(0..<50_000_000, of: .tagged("\"a\"", size: 50_000_000))
    run.answer(200, ["Content-Length": "50000000", "ETag": "\"a\""])
    #expect(run.action == .receive(50_000_000, rest: 0))
  }

  @Test func `answer 1: of a 200 what comes before a range within the limit is passed over`() throws {
    var run = try ReadRun(5000..<6000, of: .tagged("\"a\"", size: 5_000_000))
    run.answer(200, ["Content-Length": "5000000", "ETag": "\"a\""])
    #expect(run.action == .receive(skip: 5000, 1000, rest: 4_994_000))
    run.ended(.fault(.reset), 400)
    run.answer(200, ["Content-Length": "5000000", "ETag": "\"a\""])
    #expect(run.action == .receive(skip: 5400, 600, rest: 4_994_000))
  }

  @Test(arguments: [2_000_000..<2_000_010, 0..<2_000_000]) func `answer 2: any other 200 is dropped, and fails`(
    _ range: Range<Int>
  ) throws {
    var run = try ReadRun(range, of: .tagged("\"a\"", size: 5_000_000))
    run.answer(200, ["Content-Length": "5000000", "ETag": "\"a\""])
    #expect(run.failure?.reason == .ignoresRanges && run.failure?.isTransient == false)
    #expect(run.failure?.text.contains("ignores ranges") == true && run.machine.lessons == [.ignoresRanges])
  }

  @Test func `answer 2: a small 200 of another version or length is not taken`() throws {
    var run = try ReadRun(0..<1000)
    run.answer(200, ["Content-Length": "10000", "ETag": "\"b\""])
    #expect(run.action == .describe)
    run = try ReadRun(0..<1000)
    run.answer(200, ["Content-Length": "9999", "ETag": "\"a\""])
    #expect(run.action == .describe)
  }

  @Test func `answer 2: a 200 without length is taken with a strong tag only`() throws {
    var run = try ReadRun(0..<1000)
    run.answer(200, ["ETag": "\"a\""])
    #expect(run.action == .receive(1000, rest: nil))
    run = try ReadRun(0..<1000, of: ObjectVersion(.unknown, size: 10_000))
    run.answer(200)
    #expect(run.failure?.reason == .sizeUnknown)
  }

  @Test func `answer 3: a 200 with Content-Range is judged by the range`() throws {
    var run = try ReadRun(5000..<6000)
    run.answer(200, ["Content-Range": "bytes 5000-5999/10000", "ETag": "\"a\""])
    #expect(run.action == .receive(1000, rest: 0))
    run.ended(.complete, 1000)
    #expect(run.action == .finish)
    run = try ReadRun(5000..<6000)
    run.answer(200, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\""])
    #expect(run.failure?.reason == .otherRange)
  }

  @Test func `answer 4: a 206 without Content-Range fails`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Length": "1000", "ETag": "\"a\""])
    #expect(run.failure?.reason == .missingContentRange)
    var description = try DescriptionRun(opening: .probe)
    description.answer(206, ["Content-Length": "1", "ETag": "\"a\""])
    #expect(description.failure?.reason == .missingContentRange)
  }

  @Test(arguments: ["bytes 0-999/10000", "bytes 5001-6000/10000", "bytes 6000-6999/10000", "bytes 0-4999/10000"])
  func `answer 5: a 206 with another start fails`(_ field: String) throws {
    var run = try ReadRun(5000..<6000)
    run.answer(206, ["Content-Range": field, "ETag": "\"a\""])
    #expect(run.failure?.reason == .otherRange && run.failure?.text.contains("5000-5999") == true)
    var description = try DescriptionRun(opening: .probe)
    description.answer(206, ["Content-Range": "bytes 1-1/10000", "ETag": "\"a\""])
    #expect(description.failure?.reason == .otherRange)
  }

  @Test func `answer 5: a 206 that begins a little earlier and has the range is skipped into`() throws {
    var run = try ReadRun(5000..<6000)
    run.answer(.part(4096..<8192, of: 10_000))
    #expect(run.action == .receive(skip: 904, 1000, rest: 2192))
    run = try ReadRun(100_000..<100_010, of: .tagged("\"a\"", size: 200_000))
    run.answer(.part(0..<200_000, of: 200_000))
    #expect(run.failure?.reason == .otherRange)
  }

  @Test func `answer 6: a 206 that is shorter is continued from where it stopped`() throws {
    var run = try ReadRun(0..<1000)
    run.answer(.part(0..<500, of: 10_000))
    #expect(run.action == .receive(500, rest: 0))
    run.ended(.complete, 500)
    #expect(run.request?.range == 500..<1000 && run.request?.ifMatch == "\"a\"")
    run.deliver(500..<1000)
    #expect(run.action == .finish && run.machine.taken == 1000)
  }

  @Test func `answer 7: a 206 that is longer is cut`() throws {
    var run = try ReadRun(5000..<6000)
    run.answer(.part(5000..<9000, of: 10_000))
    #expect(run.action == .receive(1000, rest: 3000))
    run.ended(.stopped, 1000)
    #expect(run.action == .finish)
  }

  @Test(arguments: ["bytes */*", "items 0-999/10000", "bytes 0-999", "bytes 999-0/10000", "bytes 0-10000/10000", "x"])
  func `answer 8: a 206 whose Content-Range says nothing fails`(_ field: String) throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": field, "ETag": "\"a\""])
    #expect(run.failure?.reason == .invalidContentRange)
  }

  @Test func `answer 8: a total of * is believed with a strong tag only`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/*", "ETag": "\"a\""])
    #expect(run.action == .receive(1000, rest: 0))
    run = try ReadRun(of: .tagged("W/\"a\"", size: 10_000))
    run.answer(206, ["Content-Range": "bytes 0-999/*", "ETag": "W/\"a\""])
    #expect(run.failure?.reason == .invalidContentRange)
    var description = try DescriptionRun(opening: .probe)
    description.answer(206, ["Content-Range": "bytes 0-0/*", "ETag": "\"a\""])
    #expect(description.failure?.reason == .sizeUnknown)
  }

  @Test func `answer 9: a 206 with another total means that the object changed`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/20000", "ETag": "\"a\""])
    #expect(run.action == .describe)
    run.described(.tagged("\"b\"", size: 20_000))
    #expect(run.failure?.reason == .changed && run.failure?.code == .sourceChanged)
    #expect(run.failure?.text.contains("20000 bytes where it had 10000") == true)
  }

  @Test func `a whole page of HTML without length is the object if its tag says so`() throws {
    for (tag, isObject) in [("\"a\"", true), ("\"b\"", false)] {
      var run = try ReadRun()
      run.answer(200, ["Content-Type": "text/html", "ETag": tag])
      #expect((run.failure?.reason == .html) == !isObject, "\(run.action)")
    }
  }

  @Test func `a status is judged by the URL that was sent`() throws {
    let ended = Route(origin: try ObjectURL("https://h/o?Expires=1&Signature=1&Key-Pair-Id=1"))
    let new = try ObjectURL("https://h/o?Expires=\(testNow + 3_600)&Signature=2&Key-Pair-Id=1")
    #expect(ResponseHead(403, [:]).failure(from: ended, at: testNow).text.contains("has expired"))
    let refused = ResponseHead(403, [:]).failure(from: ended, sentTo: new, isRenewed: true, at: testNow)
    #expect(refused.text.contains("refuses the new"))
    let other = ResponseHead(400, [:]).failure(from: ended, sentTo: new, isRenewed: true, at: testNow)
    #expect(other.reason == .unexpectedStatus(400))
  }

  @Test(arguments: ["multipart/form-data; boundary=x", "multipart/related", "Multipart/Mixed", "text/html"])
  func `answer 10: what type an object was stored with does not matter`(_ type: String) throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Range": "bytes 0-999/10000", "Content-Type": type, "ETag": "\"a\""])
    #expect(run.action == .receive(1000, rest: 0))
    var description = try DescriptionRun(opening: .probe)
    description.answer(206, ["Content-Range": "bytes 0-0/10000", "Content-Type": type, "ETag": "\"a\""])
    #expect(description.description?.size == 10_000)
    run = try ReadRun()
    run.answer(206, ["Content-Type": type, "ETag": "\"a\""])
    #expect(run.failure?.reason == .missingContentRange)
  }

  @Test func `answer 10: a multipart 206 fails, also of one part`() throws {
    var run = try ReadRun()
    run.answer(206, ["Content-Type": "multipart/byteranges; boundary=x", "ETag": "\"a\""])
    #expect(run.failure?.reason == .multipart)
    run = try ReadRun()
    run.answer(
      206, ["Content-Type": "Multipart/ByteRanges; boundary=x", "Content-Range": "bytes 0-999/10000", "ETag": "\"a\""])
    #expect(run.failure?.reason == .multipart)
    var description = try DescriptionRun(opening: .probe)
    description.answer(206, ["Content-Type": "multipart/byteranges; boundary=x"])
    #expect(description.failure?.reason == .multipart)
  }

  @Test(arguments: [204, 202, 304, 203, 100, 300, 400, 405, 409, 451, 501, 505])
  func `answer 11: an unexpected status fails`(_ status: Int) throws {
    var run = try ReadRun(of: .tagged("W/\"a\"", size: 10_000))
    run.answer(status, ["ETag": "W/\"a\""])
    #expect(run.failure?.reason == .unexpectedStatus(status) && run.failure?.isTransient == false)
    #expect(run.failure?.text.contains("\(status)") == true)
    var description = try DescriptionRun(opening: .probe)
    description.answer(status)
    if [204, 400, 501].contains(status) {
      #expect(description.request?.method == .get && description.request?.range == nil)
      description.answer(status)
    }
    #expect(description.failure?.reason == .unexpectedStatus(status))
  }

  @Test func `answer 12: a 416 that gives another size means that the object changed`() throws {
    var run = try ReadRun(9000..<10_000)
    run.answer(416, ["Content-Range": "bytes */5000"])
    #expect(run.action == .describe)
    run.described(.tagged("\"b\"", size: 5000))
    #expect(run.failure?.reason == .changed)
  }

  @Test(arguments: [[:], ["Content-Range": "bytes */10000"]]) func `answer 13: a bare 416 fails after one description`(
    _ fields: [String: String]
  ) throws {
    var run = try ReadRun()
    func refuse() {
      if let field = fields["Content-Range"] {
        run.answer(416, ["Content-Range": field])
      } else {
        run.answer(416)
      }
    }
    refuse()
    #expect(run.action == .describe)
    run.described()
    #expect(run.request?.passesCaches == true)
    refuse()
    #expect(run.failure?.reason == .rangeRefused && run.failure?.text.contains("416") == true)
  }

  @Test func `answer 13: a bare 416 is a change if the description shows one`() throws {
    var run = try ReadRun()
    run.answer(416)
    run.described(.tagged("\"b\"", size: 10_000))
    #expect(run.failure?.reason == .changed)
  }

  @Test func `answer 14: a 416 on an empty object is a size of 0`() throws {
    var run = try DescriptionRun(opening: .probe)
    run.answer(416, ["Content-Range": "bytes */0"])
    #expect(run.description?.size == 0)
    run = try DescriptionRun()
    run.answer(200, ["Content-Length": "0", "ETag": "\"a\""])
    #expect(run.isProbing)
    run.answer(416)
    #expect(run.description?.size == 0 && run.description?.version == .tagged("\"a\"", size: 0))
    run = try DescriptionRun(opening: .probe)
    run.answer(416)
    #expect(run.request?.range == nil && run.request?.method == .get)
    run.answer(200, ["Content-Length": "0"])
    #expect(run.description?.size == 0)
    run = try DescriptionRun(opening: .probe)
    run.answer(416, ["Content-Range": "bytes */7"])
    #expect(run.failure?.reason == .rangeRefused)
  }
}
