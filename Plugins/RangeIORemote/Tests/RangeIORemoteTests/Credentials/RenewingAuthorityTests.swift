#if HTTP
  import RangeIO
  import RangeIOSupport
  import Testing

  @testable import RangeIORemote

  /// When a URL is replaced, by the clock of a test.
  @Suite(.timeLimit(.minutes(1))) struct RenewingAuthorityTests {
    /// This machine's clock, in seconds.
    private let clock = Guarded(testNow)
    private let asked = Guarded(0)
    private static let first = "https://h/object?Expires=\(testNow + 3_600)&Signature=1&Key-Pair-Id=1"

    /// URLs of which each ends an hour after it was asked for, by a server's clock that is ahead by `offset`.
    private func authority(_ first: String = Self.first, offset: Int = 0) throws -> RenewingAuthority {
      RenewingAuthority(try ObjectURL(first), now: { [clock] in clock.withLock { $0 } }) { [clock, asked] in
        let number = asked.withLock { asked in
          asked += 1
          return asked
        }
        let end = clock.withLock { $0 } + offset + 3_600
        return "https://h/object?Expires=\(end)&Signature=new\(number)&Key-Pair-Id=1"
      }
    }

    private func plan(_ url: String = Self.first, _ method: RequestPlan.Method = .get) throws -> RequestPlan {
      RequestPlan(method, try ObjectURL(url), range: 0..<10)
    }

    private func signature(_ request: PreparedRequest) -> String? {
      request.url.queryItems.first { $0.name == "Signature" }?.value
    }

    private func mends(
      _ authority: RenewingAuthority, _ status: Int, _ fields: KeyValuePairs<String, String> = [:], body: String = "",
      of plan: RequestPlan
    ) async throws -> Bool {
      let sent = try await authority.prepare(plan)
      let verdict = authority.judge(ResponseHead(status, fields), body: Array(body.utf8), of: plan, sent: sent)
      if case .mend(.credentials) = verdict { return true }
      return false
    }

    @Test func `a URL is asked for five minutes before the old one ends, in the background`() async throws {
      let authority = try authority()
      for time in [0, 3_299] {
        clock.withLock { $0 = testNow + time }
        #expect(signature(try await authority.prepare(plan())) == "1")
      }
      #expect(asked.withLock { $0 } == 0)
      clock.withLock { $0 = testNow + 3_300 }
      #expect(signature(try await authority.prepare(plan())) == "1")
      while signature(try await authority.prepare(plan())) == "1" { await Task.yield() }
      #expect(signature(try await authority.prepare(plan())) == "new1" && asked.withLock { $0 } == 1)
      authority.close()
    }

    @Test func `a URL that is about to end is waited for`() async throws {
      let authority = try authority()
      _ = try await authority.prepare(plan())
      clock.withLock { $0 = testNow + 3_570 }
      #expect(signature(try await authority.prepare(plan())) == "new1" && asked.withLock { $0 } == 1)
      authority.close()
    }

    @Test(arguments: [-7_200, 7_200]) func `the clock of this machine may be wrong`(offset: Int) async throws {
      // By our clock the URL has ended two hours ago, or lasts for three.
      let authority = try authority(
        "https://h/object?Expires=\(testNow + offset)&Signature=1&Key-Pair-Id=1", offset: offset)
      let plan = try plan("https://h/object?Expires=\(testNow + offset)&Signature=1&Key-Pair-Id=1")
      for _ in 0..<3 { #expect(signature(try await authority.prepare(plan)) == "1") }
      #expect(asked.withLock { $0 } == 0)
      let date = HTTPDate(secondsSince1970: testNow + offset).text
      #expect(try await mends(authority, 403, ["Date": date], of: plan))
      try await authority.mend(.credentials)
      for _ in 0..<3 { #expect(signature(try await authority.prepare(plan)) == "new1") }
      // Now the server's clock counts.
      clock.withLock { $0 = testNow + 3_571 }
      #expect(signature(try await authority.prepare(plan)) == "new2" && asked.withLock { $0 } == 2)
      authority.close()
    }

    @Test func `a new signature may help after these answers only`() async throws {
      for status in [200, 301, 307, 404, 409, 500, 503] {
        #expect(try await !mends(authority(), status, of: plan()), "\(status)")
      }
      for status in [401, 403, 410] {
        #expect(try await mends(authority(), status, of: plan()), "\(status)")
        // A URL may be signed for GET alone.
        #expect(try await mends(authority(), status, of: plan(Self.first, .head)) == (status == 401), "\(status)")
        // Where a redirect has led, a new redirect may help.
        #expect(try await !mends(authority(), status, of: plan("https://h/other?Signature=1")), "\(status)")
      }
      let expired = "<Error><Code>ExpiredToken</Code></Error>"
      #expect(try await mends(authority(), 400, body: expired, of: plan()))
      #expect(try await !mends(authority(), 400, body: "<Error><Code>InvalidArgument</Code></Error>", of: plan()))
      let late = HTTPDate(secondsSince1970: testNow + 3_601).text
      #expect(try await mends(authority(), 400, ["Date": late], of: plan()))
    }

    @Test(arguments: [true, false]) func `http does not take the place of https, though all began with http`(
      hasFirst: Bool
    ) async throws {
      let urls = Guarded(["http", "https", "http", "https"].enumerated().map { "\($1)://h/object?number=\($0)" })
      let bring: @Sendable () -> String = { urls.withLock { $0.removeFirst() } }
      let authority = try RenewingAuthority(hasFirst ? ObjectURL(bring()) : nil) { bring() }
      let plan = try await plan(authority.named().text)
      #expect(try await mends(authority, 403, of: plan))
      try await authority.mend(.credentials)
      #expect(try await authority.prepare(plan).url.scheme == .https)
      #expect(try await mends(authority, 403, of: plan))
      let error = await #expect(throws: ReadError.self) { try await authority.mend(.credentials) }
      #expect(error?.code == .invalidConfiguration && error?.message.contains("of https") == true)
      #expect(try await authority.prepare(plan).url.scheme == .https && urls.withLock { $0.isEmpty })
      authority.close()
    }

    @Test func `the same URL again is noticed, though it ends soon by the server's clock`() async throws {
      let url = "https://h/object?Expires=\(testNow + 120)&Signature=1&Key-Pair-Id=1"
      let authority = RenewingAuthority(try ObjectURL(url), now: { testNow }) { url }
      let date = HTTPDate(secondsSince1970: testNow + 100).text
      #expect(try await mends(authority, 403, ["Date": date], of: plan(url)))
      let error = await #expect(throws: ReadError.self) { try await authority.mend(.credentials) }
      #expect(error?.message.contains("the same again") == true)
      authority.close()
    }

    @Test func `a user stays with the server that it is for, also where that redirects`() async throws {
      let first = "https://u:p@h/object"
      let authority = RenewingAuthority(try ObjectURL(first), now: { testNow }) { first }
      let sent = try await authority.prepare(plan(first)).fields["Authorization"]
      #expect(sent == "Basic dTpw")
      #expect(try await authority.prepare(plan("https://h/other")).fields["Authorization"] == sent)
      #expect(try await authority.prepare(plan("https://other/object")).fields["Authorization"] == nil)
      authority.close()
    }

    @Test func `where a redirect has led nothing is changed`() async throws {
      let elsewhere = try plan("https://h/other?x=1")
      let sent = try await authority().prepare(elsewhere)
      #expect(sent.url == elsewhere.url && sent.fields == elsewhere.fields)
    }
  }
#endif
