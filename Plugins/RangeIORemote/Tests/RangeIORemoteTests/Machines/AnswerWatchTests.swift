import Testing

@testable import RangeIORemote

/// Answers that a connection of HTTP/1.1 may bring, as values. Heads are texts here.
struct AnswerWatchTests {
  private typealias Watch = AnswerWatch<String>

  private func request(
    _ target: String, _ range: String? = "bytes=0-9", method: String = "GET", isPinned: Bool = false
  ) -> Watch.Request {
    Watch.Request(method: method, target: target, range: range, isPinned: isPinned)
  }

  /// The suspicion about an answer to `request` with `head`, on a connection that has answered `before` with "head".
  private func suspected(
    _ request: Watch.Request, _ head: String, after before: Watch.Request, status: Int = 206, isStrong: Bool = false
  ) -> Bool {
    var watch = Watch()
    watch.sent(before)
    _ = watch.answered("head", status, isStrong: isStrong)
    watch.ended()
    watch.sent(request)
    return watch.answered(head, status, isStrong: isStrong)
  }

  private func expectFault(_ fault: Watch.Fault?, _ count: Int, _ watch: inout Watch) {
    let seen = watch.received(count)
    #expect(seen == fault)
  }

  @Test func `bytes are permitted from the request to the end of its answer`() {
    var watch = Watch()
    expectFault(.unasked, 1, &watch)
    watch.sent(request("/a"))
    expectFault(nil, 100, &watch)
    expectFault(nil, 100, &watch)
    watch.ended()
    expectFault(.unasked, 1, &watch)
  }

  @Test func `an answer that shows what the one before showed is suspected, if it is to another request`() {
    let others = [request("/b"), request("/a", nil), request("/a", "bytes=10-19"), request("/a", method: "HEAD")]
    for other in others {
      #expect(suspected(other, "head", after: request("/a")))
    }
    #expect(!suspected(request("/a"), "head", after: request("/a")))
    #expect(!suspected(request("/b"), "other head", after: request("/a")))
  }

  @Test func `a strong tag vouches for the object that is asked for by it, but not for an answer to another method`() {
    #expect(!suspected(request("/b", isPinned: true), "head", after: request("/a"), isStrong: true))
    #expect(suspected(request("/b"), "head", after: request("/a"), isStrong: true), "it may be the tag of /a")
    #expect(!suspected(request("/a", "bytes=10-19"), "head", after: request("/a"), isStrong: true))
    let afterHead = suspected(request("/a", nil), "head", after: request("/a", nil, method: "HEAD"), isStrong: true)
    #expect(afterHead)
  }

  @Test func `redirects of different objects are suspected, those of one are not, and refusals never`() {
    #expect(suspected(request("/b"), "head", after: request("/a"), status: 302))
    #expect(!suspected(request("/a"), "head", after: request("/a", method: "HEAD"), status: 302))
    #expect(!suspected(request("/b"), "head", after: request("/a", method: "HEAD"), status: 403))
  }

  @Test func `bytes that are no body are bounded, with as much again for the body that they frame`() {
    var watch = Watch()
    watch.sent(request("/a"))
    expectFault(nil, Watch.maxOverhead, &watch)
    expectFault(.overhead, 1, &watch)
    watch.sent(request("/a"))
    // Chunks of one byte.
    let faults = (0..<200_000).compactMap { _ in
      defer { watch.took(1) }
      return watch.received(6)
    }
    #expect(faults.isEmpty)
  }

  @Test func `a suspected answer is believed at the second time, and 16 that were right show that objects look alike`()
  {
    var repeats = RepeatedAnswers<String>()
    let most = RepeatedAnswers<String>.maxAlike
    let verdicts = (0..<2 * most).map { turn in
      repeats.believes("head", to: request("/\(turn / 2)"), isSuspected: turn % 2 == 0)
    }
    #expect(verdicts == (0..<2 * most).map { $0 % 2 == 1 } && repeats.areAlike)
  }

  @Test func `one that was another's begins the count anew`() {
    var repeats = RepeatedAnswers<String>()
    for turn in 0..<20 {
      _ = repeats.believes("head", to: request("/\(turn)"), isSuspected: true)
      _ = repeats.believes(turn == 10 ? "other head" : "head", to: request("/\(turn)"), isSuspected: false)
    }
    #expect(!repeats.areAlike)
  }
}
