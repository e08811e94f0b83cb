import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The limiter event by event, with numbers for those who wait.
struct AdmissionQueueTests {
  private typealias State = AdmissionQueue<Int>

  private func at(_ milliseconds: Int64) -> ReadClock.Instant {
    ReadClock.Instant(nanoseconds: milliseconds * 1_000_000)
  }

  /// One who comes: his ticket if he waits, and those who were let go.
  private func come(
    _ state: inout State, _ who: Int, _ purpose: ReadUrgency.Purpose = .demand, bytes: Int = 1,
    now: ReadClock.Instant = .init(nanoseconds: 0)
  ) -> State.Ticket? {
    switch state.arrived(bytes, purpose, now: now, waiter: { who }) {
    case .goes: return nil
    case .waits(let ticket, let waiter, let actions):
      #expect(waiter == who)
      #expect(!actions.admitted.contains(who), "who can go at once does not wait")
      return ticket
    }
  }

  private func end(_ state: inout State, now: ReadClock.Instant = .init(nanoseconds: 0)) -> [Int] {
    Array(state.ended(now: now).admitted)
  }

  @Test func `as many as there are permits go, the others in the order they came`() {
    var state = State(concurrentReads: 2, bucket: nil)
    #expect(come(&state, 1) == nil)
    #expect(come(&state, 2) == nil)
    for who in 3...6 { #expect(come(&state, who) != nil) }
    #expect(state.queueCount == 4)
    #expect((0..<4).map { _ in end(&state) } == [[3], [4], [5], [6]])
    #expect(state.underWay == 2)
    #expect(end(&state) == [] && end(&state) == [])
    #expect(state.underWay == 0 && state.queueCount == 0 && state.longestQueue == 4)
  }

  @Test func `demands go before prefetches, and one prefetch after eight demands`() {
    var state = State(concurrentReads: 1, bucket: nil)
    _ = come(&state, 0)
    for who in [-1, -2, -3] { _ = come(&state, who, .prefetch) }
    for who in 1...20 { _ = come(&state, who) }
    let order = (0..<23).flatMap { _ in end(&state) }
    #expect(order == Array(1...8) + [-1] + Array(9...16) + [-2] + Array(17...20) + [-3])
  }

  @Test func `demands that go while no prefetch waits are not counted against it`() {
    var state = State(concurrentReads: 1, bucket: nil)
    _ = come(&state, 0)
    for who in 1...20 { _ = come(&state, who) }
    for _ in 0..<10 { _ = end(&state) }
    _ = come(&state, -1, .prefetch)
    let order = (0..<11).flatMap { _ in end(&state) }
    #expect(order == Array(11...18) + [-1, 19, 20])
  }

  @Test func `a prefetch that is raised goes with the demands`() throws {
    var state = State(concurrentReads: 1, bucket: nil)
    _ = come(&state, 0)
    _ = come(&state, -1, .prefetch)
    let raised = try #require(come(&state, -2, .prefetch))
    for who in 1...3 { _ = come(&state, who) }
    #expect(state.raised(raised, now: at(0)).admitted.isEmpty)
    #expect(state.raised(raised, now: at(0)).admitted.isEmpty)
    _ = come(&state, 4)
    #expect((0..<6).flatMap { _ in end(&state) } == [1, 2, 3, -2, 4, -1])
    #expect(state.raised(raised, now: at(0)).admitted.isEmpty)
    #expect(end(&state) == [] && state.underWay == 0)
  }

  @Test func `who leaves the queue takes nothing, and who leaves too late gives it back`() throws {
    var state = State(concurrentReads: 1, bucket: RateBucket(bytesPerSecond: 1000, burst: 100))
    _ = come(&state, 0, bytes: 50)
    let first = try #require(come(&state, 1, bytes: 50))
    let second = try #require(come(&state, 2, bytes: 50))
    _ = come(&state, 3, bytes: 50)
    #expect(state.left(second, 50, now: at(0)).admitted.isEmpty)
    #expect(end(&state) == [1])
    // Cancelled while it was let go: its permit and its bytes are for the next one.
    #expect(Array(state.left(first, 50, now: at(0)).admitted) == [3])
    #expect(end(&state) == [] && state.underWay == 0 && state.queueCount == 0)
    #expect(state.bucket?.earliest(100) == at(100))
  }

  @Test func `the first who leaves lets those go who waited behind it`() throws {
    var state = State(concurrentReads: 5, bucket: RateBucket(bytesPerSecond: 1000, burst: 100))
    _ = come(&state, 0, bytes: 60)
    let large = try #require(come(&state, 1, bytes: 100))
    // There would be bytes for these; but nobody overtakes.
    #expect(come(&state, 2, bytes: 10) != nil)
    #expect(come(&state, 3, bytes: 10) != nil)
    #expect(Array(state.left(large, 100, now: at(0)).admitted) == [2, 3])
  }

  @Test(arguments: [ReadUrgency.Purpose.demand, .prefetch])
  func `the places of many who left are cleared, and those who stay keep their turn`(_ purpose: ReadUrgency.Purpose) {
    var state = State(concurrentReads: 1, bucket: nil)
    _ = come(&state, 0)
    let tickets = (1...400).map { come(&state, $0, purpose) }
    for (who, ticket) in zip(1...400, tickets) where who % 8 != 0 {
      if let ticket { #expect(state.left(ticket, 1, now: at(0)).admitted.isEmpty) }
    }
    #expect(state.queueCount == 50)
    #expect((0..<50).flatMap { _ in end(&state) } == (1...50).map { 8 * $0 })
  }

  @Test func `the alarm is set for the moment that the first may go, and only if it is another`() throws {
    var state = State(concurrentReads: 5, bucket: RateBucket(bytesPerSecond: 1000, burst: 100))
    _ = come(&state, 0, bytes: 100)
    guard case .waits(_, _, let actions) = state.arrived(30, .demand, now: at(0), waiter: { 1 }) else {
      Issue.record("there were no bytes left")
      return
    }
    #expect(actions.alarm?.at == at(30))
    guard case .waits(_, _, let more) = state.arrived(30, .demand, now: at(0), waiter: { 2 }) else { return }
    #expect(more.alarm == nil)
    let number = try #require(actions.alarm?.number)
    // Too early, as a clock of low resolution may be: it is set again.
    let early = state.rang(number, now: at(29))
    #expect(early.admitted.isEmpty && early.alarm?.at == at(30))
    let rang = state.rang(try #require(early.alarm?.number), now: at(30))
    #expect(Array(rang.admitted) == [1])
    #expect(rang.alarm?.at == at(60))
    // An old alarm does no harm.
    #expect(state.rang(number, now: at(31)).alarm == nil)
    let last = state.rang(try #require(rang.alarm?.number), now: at(60))
    #expect(Array(last.admitted) == [2] && last.alarm == nil)
  }

  @Test func `without a free permit no alarm is set`() throws {
    var state = State(concurrentReads: 1, bucket: RateBucket(bytesPerSecond: 1000, burst: 100))
    _ = come(&state, 0, bytes: 100)
    guard case .waits(_, _, let actions) = state.arrived(30, .demand, now: at(0), waiter: { 1 }) else { return }
    #expect(actions.alarm == nil)
    let ended = state.ended(now: at(10))
    #expect(ended.admitted.isEmpty && ended.alarm?.at == at(30))
  }

  /// Random events, with rules that hold after each.
  @Test(arguments: testSeeds)
  func `whatever happens, limits hold, no waiter is lost, and all go in the end`(seed: UInt64) {
    var random = TestRandom(seed)
    let limit = 1 + random.below(4)
    let bucket = random.below(2) == 0 ? nil : RateBucket(bytesPerSecond: 1000, burst: 50)
    var state = State(concurrentReads: limit, bucket: bucket)
    var now: Int64 = 0
    var waiting: [Int: (ticket: State.Ticket, bytes: Int)] = [:]
    var running: [Int] = []
    var alarm: State.Alarm?
    var wrong: String?
    var lastPrefetch = 0
    var prefetches: Set<Int> = []
    func perform(_ actions: State.Actions) {
      for who in actions.admitted {
        if prefetches.contains(where: { waiting[$0] != nil && $0 != who }), !prefetches.contains(who) {
          lastPrefetch += 1
          if lastPrefetch > State.demandsInARow { wrong = wrong ?? "a prefetch starves" }
        } else {
          lastPrefetch = 0
        }
        if waiting.removeValue(forKey: who) == nil { wrong = wrong ?? "\(who) was let go and did not wait" }
        prefetches.remove(who)
        running.append(who)
      }
      if let new = actions.alarm { alarm = new }
    }
    func ring() {
      guard let due = alarm, let instant = due.at, instant <= at(now) else { return }
      alarm = nil
      perform(state.rang(due.number, now: at(now)))
    }
    func step(_ event: Int, _ who: Int) {
      switch event {
      case 0...3:
        let bytes = random.below(80)
        let isPrefetch = random.below(3) == 0
        switch state.arrived(bytes, isPrefetch ? .prefetch : .demand, now: at(now), waiter: { who }) {
        case .goes: running.append(who)
        case .waits(let ticket, _, let actions):
          waiting[who] = (ticket, bytes)
          if isPrefetch { prefetches.insert(who) }
          perform(actions)
        }
      case 4, 5:
        guard !running.isEmpty else { return }
        running.remove(at: random.below(running.count))
        perform(state.ended(now: at(now)))
      case 6:
        guard let one = waiting.keys.sorted().randomElement(using: &random), let place = waiting[one] else { return }
        waiting[one] = nil
        prefetches.remove(one)
        perform(state.left(place.ticket, place.bytes, now: at(now)))
      case 7:
        guard let one = prefetches.sorted().randomElement(using: &random), let place = waiting[one] else { return }
        prefetches.remove(one)
        perform(state.raised(place.ticket, now: at(now)))
      default:
        now += Int64(random.below(30))
        ring()
      }
      let isWoken = waiting.isEmpty || running.count == limit || alarm?.at != nil
      if state.underWay != running.count || running.count > limit || state.queueCount != waiting.count || !isWoken {
        wrong = wrong ?? "\(state.underWay) of \(running.count) under way, \(waiting.count) wait, \(isWoken)"
      }
    }
    for who in 0..<2000 { step(random.below(9), who) }
    while !waiting.isEmpty || !running.isEmpty {
      now += 10
      ring()
      if !running.isEmpty { step(4, 0) }
    }
    #expect(wrong == nil, "seed \(seed)")
    #expect(state.underWay == 0 && state.queueCount == 0)
    #expect(alarm?.at == nil, "seed \(seed)")
  }
}
