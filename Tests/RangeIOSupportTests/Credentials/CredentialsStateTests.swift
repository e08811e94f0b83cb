import Testing

@testable import RangeIOSupport

/// Credentials of a test.
struct Keys: Hashable {
  var name: String
  var expiry: Int?

  init(_ name: String, expiry: Int? = nil) {
    self.name = name
    self.expiry = expiry
  }
}

struct CredentialsStateTests {
  private func keys(_ name: String, until expiry: Int? = nil) -> Keys { Keys(name, expiry: expiry) }

  @Test func `who asks waits until there are some, which are then used`() {
    var state = CredentialsState<Keys>(expiry: \.expiry)
    #expect(state.ask(.sign, at: 0) == .wait)
    #expect(state.ask(.sign, at: 0) == .wait)
    state.fetched(keys("a"), at: 1)
    #expect(state.ask(.sign, at: 1_000_000) == .use(keys("a"), fetches: false))
  }

  @Test func `new ones are fetched early, while the old ones are used`() {
    var state = CredentialsState<Keys>(expiry: \.expiry)
    _ = state.ask(.sign, at: 0)
    state.fetched(keys("a", until: 3_600), at: 0)
    #expect(state.ask(.sign, at: 3_299) == .use(keys("a", until: 3_600), fetches: false))
    #expect(state.ask(.sign, at: 3_300) == .use(keys("a", until: 3_600), fetches: true))
    state.fetched(keys("b", until: 7_200), at: 3_301)
    #expect(state.ask(.sign, at: 3_302) == .use(keys("b", until: 7_200), fetches: false))
  }

  @Test func `keys of five minutes are fetched again as early as is asked for`() {
    var state = CredentialsState<Keys>(expiry: \.expiry, early: 60)
    _ = state.ask(.sign, at: 0)
    state.fetched(keys("a", until: 300), at: 0)
    #expect(state.ask(.sign, at: 239) == .use(keys("a", until: 300), fetches: false))
    #expect(state.ask(.sign, at: 240) == .use(keys("a", until: 300), fetches: true))
    state.fetched(keys("b", until: 540), at: 241)
    #expect(state.ask(.sign, at: 242) == .use(keys("b", until: 540), fetches: false))
  }

  @Test func `a fetch that fails while the old ones are good is repeated after a pause`() {
    var state = CredentialsState<Keys>(expiry: \.expiry)
    _ = state.ask(.sign, at: 0)
    let old = keys("a", until: 1_000)
    state.fetched(old, at: 0)
    #expect(state.ask(.sign, at: 800) == .use(old, fetches: true))
    state.fetched(nil, at: 801)
    #expect(state.ask(.sign, at: 830) == .use(old, fetches: false))
    #expect(state.ask(.sign, at: 831) == .use(old, fetches: true))
    state.fetched(nil, at: 832)
    // So close to their end they are not used any more.
    #expect(state.ask(.sign, at: 970) == .wait)
  }

  @Test func `no end is too early or too late`() {
    for (expiry, isGood) in [(Int.min, false), (0, false), (Int.max, true)] {
      var state = CredentialsState<Keys>(expiry: \.expiry)
      _ = state.ask(.sign, at: 1_000_000)
      state.fetched(keys("a", until: expiry), at: 1_000_000)
      let expected =
        isGood ? CredentialsState<Keys>.Answer.use(keys("a", until: expiry), fetches: false) : .wait
      #expect(state.ask(.sign, at: 1_000_000) == expected)
    }
  }

  @Test func `credentials of little time are not asked for with every request`() {
    var state = CredentialsState<Keys>(expiry: \.expiry)
    _ = state.ask(.sign, at: 0)
    state.fetched(keys("a", until: 200), at: 0)
    var fetches = 0
    for now in 0..<170 {
      if case .use(_, true) = state.ask(.sign, at: now) {
        fetches += 1
        state.fetched(keys("a", until: 200), at: now)
      }
    }
    #expect((1...6).contains(fetches))
  }

  @Test func `credentials that are renewed may be used on, those that were refused not`() {
    for question in [CredentialsState<Keys>.Question.renew(keys("a")), .replace(keys("a"))] {
      var state = CredentialsState<Keys>(expiry: \.expiry)
      #expect(state.need(for: .sign) == .sign && state.need(for: nil) == .sign)
      state.fetched(keys("a"), at: 0)
      #expect(state.need(for: nil) == .renew(keys("a")) && state.need(for: question) == question)
      #expect(state.ask(question, at: 1) == .wait)
      state.fetched(nil, at: 2)
      let isRefused = question == .replace(keys("a"))
      #expect(state.ask(.sign, at: 3) == (isRefused ? .wait : .use(keys("a"), fetches: false)))
    }
  }

  @Test func `refused credentials are replaced once, whichever read was refused`() {
    var state = CredentialsState<Keys>(expiry: \.expiry)
    _ = state.ask(.sign, at: 0)
    state.fetched(keys("a"), at: 0)
    #expect(state.ask(.replace(keys("a")), at: 1) == .wait)
    #expect(state.ask(.replace(keys("a")), at: 1) == .wait)
    // Who begins now does not use them any more.
    #expect(state.ask(.sign, at: 1) == .wait)
    state.fetched(keys("b"), at: 2)
    // A late one, refused with the old ones.
    #expect(state.ask(.replace(keys("a")), at: 3) == .use(keys("b"), fetches: false))
  }

  @Test func `the same again is used again: the caller compares`() {
    var state = CredentialsState<Keys>(expiry: \.expiry)
    _ = state.ask(.sign, at: 0)
    state.fetched(keys("a"), at: 0)
    #expect(state.ask(.replace(keys("a")), at: 1) == .wait)
    state.fetched(keys("a"), at: 2)
    #expect(state.ask(.sign, at: 3) == .use(keys("a"), fetches: false))
  }

  @Test func `credentials may end at any time`() {
    for expiry in [Int.min, -1, 0, .max] {
      var state = CredentialsState<Keys>(expiry: \.expiry)
      _ = state.ask(.sign, at: 0)
      state.fetched(keys("a", until: expiry), at: 0)
      let expected: CredentialsState<Keys>.Answer =
        expiry == .max ? .use(keys("a", until: .max), fetches: false) : .wait
      #expect(state.ask(.sign, at: 1) == expected)
    }
  }

  @Test func `after a fetch that fails with nothing to use the next who asks waits for another`() {
    var state = CredentialsState<Keys>(expiry: \.expiry)
    #expect(state.ask(.sign, at: 0) == .wait)
    state.fetched(nil, at: 1)
    #expect(state.ask(.sign, at: 1) == .wait)
  }
}
