import RangeIO
import Testing

@testable import RangeIORemote

/// Answers 15 to 24: refusals, busy servers and portals.
struct RefusalAnswerTests {
  @Test func `answer 15: a 412 means that the object changed, after one description`() throws {
    var run = try ReadRun()
    run.answer(412)
    #expect(run.action == .describe)
    run.described(.tagged("\"b\"", size: 10_000))
    #expect(run.failure?.reason == .changed && run.requests.count == 1)
  }

  @Test(arguments: [400, 401, 403]) func `answer 17: a signed URL that has expired is told`(_ status: Int) throws {
    let url = { (end: Int) throws in try ObjectURL("https://h/x?Signature=1&Expires=\(end)") }
    let head = ResponseHead(status, [:])
    let expired = head.failure(from: Route(origin: try url(testNow)), at: testNow)
    #expect(expired.text.contains("has expired: sign") && expired.code == .permissionDenied)
    #expect(!head.failure(from: Route(origin: try url(testNow + 1)), at: testNow).text.contains("has expired: sign"))
    // By the answer's own clock.
    let dated = ResponseHead(status, ["Date": HTTPDate(secondsSince1970: testNow + 60).text])
    #expect(dated.failure(from: Route(origin: try url(testNow + 1)), at: testNow).text.contains("has expired: sign"))
  }

  @Test func `answer 16: a 401 asks for new credentials, once`() throws {
    var rules = TransferRules()
    rules.hasCredentials = true
    var run = try ReadRun(rules: rules)
    run.answer(401)
    #expect(run.action == .mend(.credentials))
    run.mended()
    #expect(run.request?.range == 0..<1000)
    run.answer(401)
    #expect(run.failure?.reason == .unauthorized && run.failure?.code == .permissionDenied)
    run = try ReadRun(rules: rules)
    run.answer(401)
    run.mendFailed()
    #expect(run.failure?.reason == .unauthorized)
    run = try ReadRun()
    run.answer(401)
    #expect(run.failure?.reason == .unauthorized)
    var description = try DescriptionRun(rules: rules)
    description.answer(401)
    #expect(description.action == .mend(.credentials))
    description.mended()
    #expect(description.request?.method == .head)
    description.answer(401)
    #expect(description.isProbing)
    description.answer(401)
    #expect(description.failure?.reason == .unauthorized)
  }

  @Test func `answer 17: a 403 on HEAD only leads to a GET of the first byte`() throws {
    var run = try DescriptionRun()
    #expect(run.request?.method == .head)
    run.answer(403)
    #expect(run.isProbing)
    run.answer(206, ["Content-Range": "bytes 0-0/10000", "ETag": "\"a\"", "Content-Length": "1"])
    #expect(run.description?.version == .tagged("\"a\"", size: 10_000) && run.machine.lessons == [.refusesHead])
    run = try DescriptionRun()
    run.answer(403)
    run.answer(403)
    #expect(run.failure?.reason == .forbidden && run.machine.lessons.isEmpty)
  }

  @Test(arguments: [405, 501, 400, 204]) func `answer 18: 405 and 501 on HEAD do the same`(_ status: Int) throws {
    var run = try DescriptionRun()
    run.answer(status)
    #expect(run.isProbing)
    run.answer(206, ["Content-Range": "bytes 0-0/10000", "ETag": "\"a\""])
    #expect(run.description?.size == 10_000 && run.machine.lessons == [.refusesHead])
  }

  @Test(arguments: [403, 410, 401, 400]) func `answer 19: 403 or 410 after a redirect resolves it again, once`(
    _ status: Int
  ) throws {
    var run = try ReadRun()
    run.answer(302, ["Location": "https://cdn.example/x?sig=1"])
    run.answer(status)
    #expect(run.request?.url.text == "https://example.org/data.bin" && run.request?.mayCarryCredentials == true)
    run.answer(302, ["Location": "https://cdn.example/x?sig=2"])
    #expect(run.request?.url.query == "sig=2")
    run.answer(status)
    #expect([400, 410].contains(status) ? run.action == .describe : run.failure?.text.contains("\(status)") == true)
  }

  @Test(arguments: [404, 410]) func `answer 20: a 404 in mid-read means that the object was removed`(
    _ status: Int
  ) throws {
    var run = try ReadRun()
    run.answer(.part(0..<500, of: 10_000))
    run.ended(.complete, 500)
    run.answer(status)
    #expect(run.action == .describe)
    run.describingFailed(Failure(.notFound, "the server answered 404"))
    #expect(run.failure?.reason == .changed && run.failure?.text.contains("removed") == true)
  }

  @Test func `answer 20: a 404 of one server of several is tried again once, past caches`() throws {
    var run = try ReadRun()
    run.answer(404)
    run.described()
    #expect(run.request?.passesCaches == true)
    run.answer(404)
    #expect(run.failure?.reason == .notFound && run.failure?.isTransient == true)
  }

  @Test(arguments: [429, 503]) func `answer 21: a busy server is transient, with the seconds that it asks for`(
    _ status: Int
  ) throws {
    var run = try ReadRun()
    run.answer(status, ["Retry-After": "7"])
    #expect(run.failure?.reason == .busy(status) && run.failure?.isTransient == true)
    #expect(run.failure?.retryAfter == .seconds(7))
    var description = try DescriptionRun(opening: .probe)
    description.answer(status, ["Retry-After": "99999999999"])
    #expect(description.failure?.retryAfter == .seconds(86_400) && description.requests.count == 1)
  }

  @Test func `answer 22: a date to retry after is judged by the answer's own clock`() throws {
    var run = try ReadRun()
    run.answer(503, ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT", "Date": oldDate])
    #expect(run.failure?.retryAfter == .seconds(60))
    run = try ReadRun()
    run.answer(503, ["Retry-After": HTTPDate(secondsSince1970: testNow + 30).text])
    #expect(run.failure?.retryAfter == .seconds(30))
    run = try ReadRun()
    run.answer(503, ["Retry-After": oldDate])
    #expect(run.failure?.retryAfter == .zero)
    run = try ReadRun()
    run.answer(503, ["Retry-After": "soon"])
    #expect(run.failure?.retryAfter == nil && run.failure?.isTransient == true)
  }

  @Test(arguments: [408, 425, 500, 502, 504, 520, 599]) func `answer 23: a server that failed is tried again`(
    _ status: Int
  ) throws {
    var run = try ReadRun()
    run.answer(status)
    #expect(run.failure?.reason == .serverError(status) && run.failure?.isTransient == true)
  }

  @Test func `a list of names that rangeio serve sends is no object, and its objects are`() throws {
    for url in ["https://example.org/folder", "https://example.org/folder/", "https://example.org/a.html/"] {
      for opening in [Opening.range(0..<65_536), .whole] {
        var run = try DescriptionRun(url, opening: opening)
        run.answer(200, ["Content-Type": "text/html", "Content-Length": "812", "Server": "rangeio"])
        #expect(run.failure?.reason == .listing && run.failure?.code == .unsupportedSource)
      }
    }
    var run = try DescriptionRun("https://example.org/a.html", opening: .probe)
    run.answer(
      200, ["Content-Type": "text/html", "Content-Length": "812", "Server": "rangeio", "Accept-Ranges": "bytes"])
    #expect(run.description?.size == 812)
    for (status, reason) in [(403, Failure.Reason.forbidden), (404, .notFound)] {
      var run = try DescriptionRun(opening: .probe)
      run.answer(status, ["Server": "rangeio"])
      #expect(run.failure?.reason == reason && run.failure?.text.contains("rangeio serve") == true)
    }
  }

  @Test func `answer 24: a page of HTML from a portal is not the object`() throws {
    var run = try DescriptionRun()
    run.answer(200, ["Content-Type": "text/html; charset=utf-8", "Content-Length": "812"])
    #expect(run.isProbing)
    run.answer(200, ["Content-Type": "text/html; charset=utf-8", "Content-Length": "812"])
    #expect(run.failure?.reason == .html && run.failure?.text.contains("login") == true)
    run = try DescriptionRun(opening: .probe)
    run.answer(200, ["Content-Type": "text/html", "Content-Length": "812"])
    #expect(run.failure?.reason == .html)
    var read = try ReadRun(0..<100, of: .tagged("\"a\"", size: 10_000))
    read.answer(200, ["Content-Type": "text/html", "Content-Length": "812"])
    #expect(read.failure?.reason == .html)
    read = try ReadRun(0..<100, of: ObjectVersion(.unknown, size: 10_000))
    read.answer(200, ["Content-Type": "text/html"])
    #expect(read.failure?.reason == .html)
    run = try DescriptionRun("https://example.org/index.html")
    run.answer(200, ["Content-Type": "text/html", "Content-Length": "812"])
    #expect(run.description?.size == 812)
    read = try ReadRun()
    read.answer(511)
    #expect(read.failure?.reason == .html)
  }
}
