import Testing

@testable import RangeIORemote

/// Answers 39 to 43: where redirects may lead.
struct RedirectAnswerTests {
  @Test func `answer 39: http leads to https, and never back`() throws {
    var run = try ReadRun(url: "http://example.org/data.bin")
    run.answer(301, ["Location": "https://example.org/data.bin"])
    #expect(run.request?.url.scheme == .https)
    run.answer(302, ["Location": "http://example.org/other.bin"])
    #expect(run.failure?.reason == .insecureRedirect)
    var description = try DescriptionRun()
    description.answer(307, ["Location": "HTTP://example.org/data.bin"])
    #expect(description.failure?.reason == .insecureRedirect)
  }

  @Test func `answer 40: another origin gets no credentials, nor does any after it`() throws {
    var run = try ReadRun()
    run.answer(302, ["Location": "/moved.bin"])
    #expect(run.request?.mayCarryCredentials == true && run.request?.url.path == "/moved.bin")
    run.answer(302, ["Location": "https://example.org:8443/data.bin"])
    #expect(run.request?.mayCarryCredentials == false)
    run.answer(302, ["Location": "https://example.org/back.bin"])
    #expect(run.request?.mayCarryCredentials == false && run.request?.url.origin == run.requests[0].url.origin)
    #expect(run.request?.range == 0..<1000 && run.request?.ifMatch == "\"a\"")
    run = try ReadRun(url: "http://example.org/data.bin")
    run.answer(302, ["Location": "https://example.org/data.bin"])
    #expect(run.request?.mayCarryCredentials == false)
  }

  @Test func `answer 40: no credentials are asked for on behalf of another origin`() throws {
    var rules = TransferRules()
    rules.hasCredentials = true
    rules.hasAuthority = true
    var run = try ReadRun(rules: rules)
    run.answer(302, ["Location": "https://cdn.example/x"])
    run.answer(401)
    #expect(run.request?.url.text == "https://example.org/data.bin")
    run.answer(302, ["Location": "https://cdn.example/x"])
    run.answer(401)
    #expect(run.failure?.reason == .unauthorized && run.failure?.text.contains("https://cdn.example") == true)
  }

  @Test func `answer 40: another origin does not see which version of a store is read`() throws {
    var rules = TransferRules()
    rules.versionField = "x-amz-version-id"
    var run = try ReadRun(of: ObjectVersion(.versionID(ExactText("v1")), size: 10_000), rules: rules)
    #expect(run.request?.versionID == "v1" && run.request?.ifMatch == nil)
    run.answer(307, ["Location": "https://cdn.example/x"])
    #expect(run.request?.versionID == nil)
  }

  @Test func `answer 41: loops and long rows of redirects are refused`() throws {
    var run = try ReadRun()
    run.answer(302, ["Location": "/b"])
    run.answer(302, ["Location": "/c"])
    run.answer(302, ["Location": "/b"])
    #expect(run.failure?.reason == .redirectLoop)
    run = try ReadRun()
    run.answer(302, ["Location": "#top"])
    #expect(run.failure?.reason == .redirectLoop)
    var description = try DescriptionRun()
    for number in 1...11 { description.answer(302, ["Location": "/\(number)"]) }
    #expect(description.failure?.reason == .tooManyRedirects && description.requests.count == 11)
  }

  @Test func `answer 41: each request may be redirected anew`() throws {
    var run = try ReadRun()
    for part in 0..<5 {
      run.answer(302, ["Location": "/b", "Cache-Control": "no-store"])
      #expect(run.request?.url.path == "/b")
      run.deliver(part * 200..<(part + 1) * 200)
      if part < 4 { #expect(run.request?.url.path == "/data.bin") }
    }
    #expect(run.action == .finish)
  }

  @Test(arguments: [
    ("../other file.bin?x=ä b", "https://example.org/other%20file.bin?x=%C3%A4%20b"),
    ("//cdn.example/a//b/../c", "https://cdn.example/a//b/../c"), ("?v=2", "https://example.org/dir/data.bin?v=2"),
    ("sub/./x;y=1", "https://example.org/dir/sub/x;y=1"), ("https://EXAMPLE.net:443/%7eA", "https://example.net/%7eA"),
    (" /p?q#f ", "https://example.org/p?q"),
  ]) func `answer 42: a Location that is relative or not encoded is resolved`(_ location: String, _ expected: String)
    throws
  {
    var run = try ReadRun(url: "https://example.org/dir/data.bin?v=1")
    run.answer(307, ["Location": location])
    #expect(run.request?.url.text == expected)
  }

  @Test func `answer 41: cookies of redirects go back to the origin that set them, for that read`() throws {
    var run = try ReadRun()
    run.answer(302, ["Location": "/login"])
    #expect(run.request?.cookie == nil)
    run.answer(
      302, ["Location": "/data.bin", "Set-Cookie": "id=a=1; Path=/x; Secure; HttpOnly", "Set-Cookie": " seen = yes"])
    // The same place as at first, with cookies that it had not.
    #expect(run.request?.url.path == "/data.bin" && run.request?.fields["Cookie"] == "id=a=1; seen=yes")
    run.answer(302, ["Location": "https://cdn.example/x", "Set-Cookie": "id=2; Domain=example"])
    #expect(run.request?.fields["Cookie"] == nil)
    run.answer(302, ["Location": "https://example.org/y", "Set-Cookie": "of=cdn"])
    #expect(run.request?.fields["Cookie"] == "seen=yes; id=2" && run.request?.mayCarryCredentials == false)
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.fault(.reset), 400)
    // Each request of the read begins at the origin: the next read will not have the cookies.
    #expect(run.request?.url.path == "/data.bin" && run.request?.fields["Cookie"] == "seen=yes; id=2")
    run.deliver(400..<1000)
    #expect(run.action == .finish && run.machine.route.kept(at: testNow) == Route(origin: run.requests[0].url))
    var own = try #require(run.requests.last)
    own.additionalFields = HeaderFields(["Cookie": "mine=1"])
    #expect(own.fields.values(of: "Cookie") == ["mine=1; seen=yes; id=2"])
  }

  @Test func `answer 41: cookies that are over, too long or none do not count, and loops stay loops`() throws {
    let now = HTTPDate(secondsSince1970: testNow).text
    for (line, cookie): (String, String?) in [
      ("a=1; Max-Age=0", nil), ("a=1; max-age=-5", nil), ("a=1; Expires=\(oldDate)", nil), ("a=1; Expires=\(now)", nil),
      ("a=1; Max-Age=9; Expires=\(oldDate)", "a=1"), ("a=1; expires=Fri, 31-Dec-9999 23:59:59 GMT", "a=1"),
      ("a=", "a="),
      ("=1", nil), ("a", nil), ("", nil), (";", nil), ("a=1\u{1}", nil),
      ("a=" + String(repeating: "1", count: 4096), nil),
    ] {
      var run = try ReadRun()
      run.answer(302, ["Location": "/b", "Set-Cookie": "old=1"])
      run.answer(302, ["Location": "/c", "Set-Cookie": line, "Set-Cookie": "old=; Max-Age=0"])
      #expect(run.request?.fields["Cookie"] == cookie, "\(line)")
    }
    var run = try ReadRun()
    for _ in 0..<2 { run.answer(302, ["Location": "/data.bin", "Set-Cookie": "same=1"]) }
    #expect(run.failure?.reason == .redirectLoop)
    run = try ReadRun()
    for number in 1...11 { run.answer(302, ["Location": "/data.bin", "Set-Cookie": "n=\(number)"]) }
    #expect(run.failure?.reason == .tooManyRedirects)
  }

  @Test func `answer 42: a redirect to nowhere fails`() throws {
    var run = try ReadRun()
    run.answer(302)
    #expect(run.failure?.reason == .redirectWithoutLocation)
    for location in ["ftp://example.org/x", "https:///x", "https://a b/x", "https://exämple.org/", "javascript:1"] {
      run = try ReadRun()
      run.answer(302, ["Location": location])
      #expect(run.failure?.reason == .redirectWithoutLocation, "\(location)")
    }
  }

  private static func signed(at time: Int, for seconds: Int, _ path: String = "x") -> String {
    let text = HTTPDate(secondsSince1970: time).text.split(separator: " ")
    let clock = text[4].split(separator: ":").joined()
    return
      "https://cdn.example/\(path)?X-Amz-Date=202611\(text[1])T\(clock)Z&X-Amz-Expires=\(seconds)&X-Amz-Signature=s"
  }

  @Test func `answer 43: a signed redirect is kept until shortly before it expires`() throws {
    var run = try ReadRun()
    run.answer(302, ["Location": Self.signed(at: testNow, for: 1000)])
    run.deliver(0..<500)
    #expect(run.request?.url.host == "cdn.example")
    let route = run.machine.route
    #expect(route.expiry == testNow + 970)
    #expect(try ReadRun(route: route, at: testNow + 969).request?.url.host == "cdn.example")
    let late = try ReadRun(route: route, at: testNow + 970)
    #expect(late.request?.url.text == "https://example.org/data.bin" && late.request?.mayCarryCredentials == true)
  }

  @Test func `answer 43: a redirect that expires within a read is resolved again`() throws {
    var run = try ReadRun()
    run.answer(302, ["Location": Self.signed(at: testNow, for: 100)])
    run.answer(.part(0..<1000, of: 10_000))
    run.ended(.fault(.reset), 400, at: testNow + 120)
    #expect(run.request?.url.host == "example.org" && run.request?.range == 400..<1000)
    run.answer(302, ["Location": Self.signed(at: testNow + 120, for: 100)], at: testNow + 120)
    #expect(run.request?.url.host == "cdn.example")
    run.deliver(400..<1000)
    #expect(run.action == .finish)
  }

  @Test func `answer 43: what expires again and again is resolved again after each progress`() throws {
    var run = try ReadRun(0..<100_000, of: .tagged("\"a\"", size: 100_000))
    for part in 0..<5 {
      if run.request?.url.host == "cdn.example" { run.answer(403) }
      #expect(run.request?.url.host == "example.org")
      run.answer(302, ["Location": "https://cdn.example/x?sig=\(part)"])
      run.answer(.part(part * 20_000..<100_000, of: 100_000))
      run.ended(.fault(.reset), 20_000)
    }
    #expect(run.action == .finish)
  }

  @Test func `answer 43: temporary redirects are kept for a while, permanent ones for good`() throws {
    func route(_ status: Int, _ control: String?) throws -> Route {
      var run = try ReadRun()
      let location = "https://cdn.example/x"
      run.answer(status, control.map { ["Location": location, "Cache-Control": $0] } ?? ["Location": location])
      return run.machine.route
    }
    #expect(try route(302, nil).expiry == testNow + 300)
    #expect(try route(302, "private, max-age=60").expiry == testNow + 60)
    #expect(try route(307, "no-store").expiry == testNow)
    #expect(try route(308, nil).expiry == nil)
    #expect(try route(301, "max-age=60").expiry == testNow + 60)
    #expect(try route(301, "max-age=99999999999999999999").expiry == nil)
  }

  @Test func `a redirect that led to a failure is not kept, whatever it said`() throws {
    let kept = Route(origin: try ObjectURL("https://example.org/data.bin"))
      .redirected(to: try ObjectURL("https://portal.example/x"), isPermanent: true, lifetime: nil, at: testNow)
    for status in [500, 503, 204, 300] {
      var run = try ReadRun(route: kept)
      run.answer(status)
      #expect(run.failure != nil && run.machine.route == Route(origin: kept.origin))
    }
    var run = try ReadRun(route: kept)
    run.failed(.refused)
    #expect(run.failure?.reason == .refused && !run.machine.route.isRedirected)
    run = try ReadRun(route: kept)
    run.answer(200, ["Content-Type": "text/html"])
    #expect(run.failure?.text.contains("portal.example") == true && !run.machine.route.isRedirected)
    run = try ReadRun(route: kept)
    run.deliver(0..<1000)
    #expect(run.action == .finish && run.machine.route == kept)
  }

  @Test func `a description begins at the origin, and its GET too`() throws {
    var run = try DescriptionRun()
    run.answer(302, ["Location": "https://cdn.example/x"])
    #expect(run.request?.method == .head && run.request?.url.host == "cdn.example")
    run.answer(403)
    #expect(run.isProbing && run.request?.url.host == "example.org")
    run.answer(302, ["Location": "https://cdn.example/y"])
    run.answer(206, ["Content-Range": "bytes 0-0/10000", "ETag": "\"a\""])
    #expect(run.description?.route.target.text == "https://cdn.example/y")
    #expect(run.description?.route.mayCarryCredentials == false)
  }
}
