import RangeIO
import Testing

@testable import RangeIORemote

/// The questions to an authority, and the results of its verdicts.
struct AuthorityTests {
  private var rules: TransferRules {
    var rules = TransferRules()
    rules.hasAuthority = true
    return rules
  }

  @Test(arguments: [301, 307, 308, 400, 401, 403, 409, 410, 503]) func `these answers are judged by the authority`(
    _ status: Int
  )
    throws
  {
    var run = try ReadRun(rules: rules)
    run.answer(status)
    #expect(run.action == .judge)
    run.judged(.fail(ReadError(.inputOutput, "the store answered SlowDown", isTransient: true)))
    #expect(run.failure?.code == .inputOutput && run.failure?.isTransient == true)
    var description = try DescriptionRun(rules: rules)
    description.answer(status)
    #expect(description.action == .judge)
  }

  @Test(arguments: [200, 206, 404, 412, 416, 429, 500, 302]) func `no other answers are`(_ status: Int) throws {
    var run = try ReadRun(rules: rules)
    run.answer(status)
    #expect(run.action != .judge)
  }

  @Test func `a missing object is judged when it is described, and is a removed one in mid-read`() throws {
    var description = try DescriptionRun(rules: rules)
    description.answer(404)
    #expect(description.action == .judge)
    description.judged(.none)
    #expect(description.isProbing)
    description.answer(404)
    description.judged(.fail(ReadError(.notFound, "there is no such bucket")))
    #expect(description.failure?.code == .notFound && description.failure?.text == "there is no such bucket")
    var read = try ReadRun(rules: rules)
    read.answer(404)
    #expect(read.action == .describe)
    read.describingFailed(Failure(ReadError(.notFound, "there is no such bucket")))
    #expect(read.failure?.code == .sourceChanged)
  }

  @Test(arguments: [Remedy.credentials, .region("eu-west-1"), .clock(offset: 900)])
  func `each kind of mend is tried once a read`(_ mend: Remedy) throws {
    var run = try ReadRun(rules: rules)
    run.answer(403)
    run.judged(.mend(mend))
    #expect(run.action == .mend(mend))
    run.mended()
    #expect(run.request?.range == 0..<1000)
    run.answer(403)
    run.judged(.mend(mend))
    #expect(run.failure?.reason == .forbidden)
    var description = try DescriptionRun(rules: rules)
    description.answer(400)
    description.judged(.mend(mend))
    description.mended()
    #expect(description.request?.method == .head)
    description.answer(400)
    description.judged(.mend(mend))
    #expect(description.isProbing)
  }

  @Test func `a mend that did not help fails with the authority's error, if it has one`() throws {
    let verdict = RefusalVerdict.mendOrFail(.credentials, ReadError(.permissionDenied, "ExpiredToken: sign in"))
    var run = try ReadRun(rules: rules)
    run.answer(401)
    run.judged(verdict)
    #expect(run.action == .mend(.credentials))
    run.mended()
    run.answer(401)
    run.judged(verdict)
    #expect(run.failure?.text == "ExpiredToken: sign in")
    var description = try DescriptionRun(rules: rules)
    description.answer(401)
    description.judged(.mend(.credentials))
    description.mended()
    description.answer(401)
    description.judged(.mend(.credentials))
    #expect(description.isProbing)
    description.answer(401)
    description.judged(verdict)
    #expect(description.failure?.text == "ExpiredToken: sign in")
  }

  @Test func `credentials are replaced again after progress, and what is refused again is said`() throws {
    var run = try ReadRun(0..<100_000, of: .tagged("\"a\"", size: 100_000), rules: rules)
    for start in [0, 20_000, 40_000] {
      run.answer(403)
      run.judged(.mend(.credentials))
      #expect(run.action == .mend(.credentials))
      run.mended()
      run.answer(.part(start..<100_000, of: 100_000))
      run.ended(.fault(.reset), 20_000)
      #expect(run.request?.range == start + 20_000..<100_000)
    }
    // Less than 16 KiB is no progress.
    run.answer(403)
    run.judged(.mend(.credentials))
    run.mended()
    run.answer(.part(60_000..<100_000, of: 100_000))
    run.ended(.fault(.reset), 1_000)
    run.answer(403)
    run.judged(.mend(.credentials))
    #expect(run.failure?.reason == .forbidden && run.failure?.text.contains("refuses the new") == true)
  }

  @Test func `a redirect leads on from where the authority has sent the request`() throws {
    var run = try ReadRun(rules: rules)
    run.machine.context.sent(to: try ObjectURL("https://new.example/a/b?sig=1"))
    run.answer(302, ["Location": "c", "Set-Cookie": "id=1"])
    #expect(run.request?.url.text == "https://new.example/a/c" && run.request?.mayCarryCredentials == true)
    #expect(run.request?.cookie == "id=1")
    run.answer(302, ["Location": "/d"])
    #expect(run.request?.url.text == "https://new.example/d")
    run.answer(403)
    #expect(run.action == .judge)
    run.judged(.none)
    #expect(run.request?.url == run.requests.first?.url)
    // It was sent by https.
    run.machine.context.sent(to: try ObjectURL("https://new.example/a"))
    run.answer(302, ["Location": "http://new.example/b"])
    #expect(run.failure?.reason == .insecureRedirect)
  }

  @Test func `all three kinds may be needed in one read`() throws {
    var run = try ReadRun(rules: rules)
    for mend in [Remedy.region("a"), .clock(offset: 1), .credentials] {
      run.answer(400)
      run.judged(.mend(mend))
      run.mended()
    }
    run.deliver(0..<1000)
    #expect(run.action == .finish)
  }

  @Test func `what cannot be mended fails with the answer's status`() throws {
    var run = try ReadRun(rules: rules)
    run.answer(403)
    run.judged(.mend(.credentials))
    run.mendFailed()
    #expect(run.failure?.reason == .forbidden)
  }

  @Test(arguments: [301, 400, 403]) func `a HEAD of which nothing is known is asked again by GET`(_ status: Int) throws
  {
    var run = try DescriptionRun(rules: rules)
    run.answer(status)
    run.judged(.none)
    #expect(run.isProbing)
    // Of a range, and where that may be why, of all.
    for _ in 0..<(status == 400 ? 2 : 1) {
      run.answer(status)
      #expect(run.action == .judge)
      run.judged(.none)
    }
    #expect(run.failure != nil)
  }

  @Test func `a redirect that the authority does not know is followed`() throws {
    var run = try ReadRun(rules: rules)
    run.answer(307, ["Location": "https://other.example/x"])
    run.judged(.none)
    #expect(run.request?.url.host == "other.example" && run.request?.mayCarryCredentials == false)
    // It is not asked about answers of others.
    run.answer(403)
    #expect(run.request?.url.host == "example.org")
  }

  @Test func `a version of a store is pinned`() throws {
    var rules = rules
    rules.versionField = "x-amz-version-id"
    var run = try DescriptionRun(rules: rules)
    run.answer(200, ["Content-Length": "10000", "ETag": "\"a\"", "x-amz-version-id": "v1"])
    let version = try #require(run.description?.version)
    #expect(version.identifier == .versionID(ExactText("v1")))
    var read = try ReadRun(of: version, rules: rules)
    #expect(read.request?.versionID == "v1")
    read.answer(206, ["Content-Range": "bytes 0-999/10000", "ETag": "\"a\"", "x-amz-version-id": "v1"])
    #expect(read.action == .receive(1000, rest: 0))
    run = try DescriptionRun(rules: rules)
    run.answer(200, ["Content-Length": "10000", "ETag": "\"a\"", "x-amz-version-id": "null"])
    #expect(run.description?.version == .tagged("\"a\"", size: 10_000))
  }
}
