import Testing

@testable import RangeIOSupport

/// Which work is under way and who waits for it, event by event. Waiters are letters, work is a number.
struct SharedWorkStateTests {
  private typealias State = SharedWorkState<String, Character, Int>

  @Test func `the first begins the work, all get its end, and the next begins anew`() {
    var state = State(outlivesWaiters: false)
    let first = state.join("key", "a").begins
    #expect(first != nil && state.join("key", "b").begins == nil && state.join("key", "c").begins == nil)
    #expect(state.counts == (1, 3))
    #expect(state.began("key", first!, 1) == true)
    #expect(state.ended("key", first) == ["a", "b", "c"])
    #expect(state.ended("key", first) == [])
    #expect(state.join("key", "d").begins != nil && state.counts == (1, 1))
  }

  @Test func `each key has work of its own`() {
    var state = State(outlivesWaiters: false)
    let (one, other) = (state.join("one", "a").begins, state.join("other", "b").begins)
    #expect(one != nil && other != nil)
    #expect(state.ended("one", one) == ["a"] && state.ended("other", other) == ["b"])
  }

  @Test func `one who leaves takes nothing from the others, and the last one ends the work`() {
    var state = State(outlivesWaiters: false)
    let (one, other) = (state.join("key", "a"), state.join("key", "b"))
    #expect(state.began("key", one.begins!, 1) == true)
    #expect(state.left("key", one.waiter) == nil)
    #expect(state.left("key", one.waiter) == nil && state.counts == (1, 1))
    #expect(state.left("key", other.waiter) == 1 && state.counts == (0, 0))
    // The next begins anew. What was given up ends without effect.
    let next = state.join("key", "c")
    #expect(next.begins != nil && state.ended("key", one.begins) == [] && state.left("key", other.waiter) == nil)
    #expect(state.ended("key", next.begins) == ["c"])
  }

  @Test func `work that all have left before it has begun is not wanted`() {
    var state = State(outlivesWaiters: false)
    let one = state.join("key", "a")
    #expect(state.left("key", one.waiter) == nil && state.counts == (0, 0))
    #expect(state.began("key", one.begins!, 1) == false)
    // Nor is work that has ended before that was noted.
    let next = state.join("key", "b")
    #expect(state.ended("key", next.begins) == ["b"] && state.began("key", next.begins!, 2) == false)
  }

  @Test func `work that outlives its waiters goes on, and those who come later share it`() {
    var state = State(outlivesWaiters: true)
    let one = state.join("key", "a")
    #expect(state.began("key", one.begins!, 1) && state.left("key", one.waiter) == nil && state.counts == (1, 0))
    #expect(state.join("key", "b").begins == nil && state.ended("key", one.begins) == ["b"])
    // It needs no waiter to begin.
    let alone = state.join("key", nil)
    #expect(alone.begins != nil && state.counts == (1, 0) && state.join("key", nil).begins == nil)
    #expect(state.ended("key", alone.begins) == [] && state.counts == (0, 0))
  }

  @Test func `work that does not end is given up by the next who asks, and all wait for the new one`() {
    var state = State(outlivesWaiters: false, patience: .seconds(90))
    let first = state.join("key", "a", at: .seconds(1_000)).begins
    #expect(state.began("key", first!, 1) == true)
    #expect(state.join("key", "b", at: .seconds(1_089)).begins == nil)
    let second = state.join("key", "c", at: .seconds(1_090))
    #expect(second.begins != nil && second.begins != first && second.replaced == 1)
    #expect(state.began("key", first!, 3) == false && state.ended("key", first) == [])
    #expect(state.join("key", "d", at: .seconds(1_179)).begins == nil)
    #expect(state.began("key", second.begins!, 2) && state.ended("key", second.begins) == ["a", "b", "c", "d"])
    // What has ended is not given up.
    let fresh = state.join("key", "e", at: .seconds(9_000))
    #expect(fresh.begins != nil && fresh.replaced == nil)
    // Given up before it has begun, it is not wanted.
    let next = state.join("key", "f", at: .seconds(9_090))
    #expect(next.begins != nil && next.replaced == nil && state.began("key", fresh.begins!, 4) == false)
  }

  @Test func `work that a caller does is ended without its number`() {
    var state = State(outlivesWaiters: false)
    #expect(state.join("key", nil).begins != nil && state.join("key", "a").begins == nil)
    #expect(state.ended("key", nil) == ["a"] && state.ended("key", nil) == [])
  }

  @Test func `closing ends all waits and all work`() {
    struct Closed: Error {}
    var state = State(outlivesWaiters: true)
    #expect(state.closedWith == nil)
    let (one, other) = (state.join("one", "a"), state.join("other", "b"))
    _ = state.join("one", "c")
    #expect(state.began("one", one.begins!, 1) == true)
    let (waiters, works) = state.close(with: Closed())
    #expect(Set(waiters) == ["a", "b", "c"] && works == [1] && state.closedWith is Closed)
    #expect(
      state.began("other", other.begins!, 2) == false && state.ended("one", one.begins) == [] && state.counts == (0, 0))
  }

  /// Each waiter is told an end once, or has left; work is cancelled once, or ends; and no wanted work is cancelled.
  @Test(arguments: 0..<64) func `in any order of events nobody is forgotten`(seed: UInt64) {
    var random = Numbers(state: seed)
    let outlives = seed % 2 == 0
    var state = SharedWorkState<Int, Int, Int>(outlivesWaiters: outlives, patience: .seconds(8))
    var waiting: [Int: (key: Int, place: Int)] = [:]
    var (begun, running, cancelled): ([Int: Int], [Int: Int], Set<Int>) = ([:], [:], [])
    for step in 0..<400 {
      let key = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let joined = state.join(key, step, at: .seconds(step))
        waiting[step] = (key, joined.waiter)
        if let work = joined.replaced { #expect(cancelled.insert(work).inserted == true) }
        if let number = joined.begins { begun[number] = key }
      case 2:
        guard let (number, key) = begun.min(by: { $0.key < $1.key }) else { continue }
        begun[number] = nil
        running[number] = key
        if !state.began(key, number, number) { cancelled.insert(number) }
      case 3:
        guard let (waiter, (key, place)) = waiting.randomElement(using: &random) else { continue }
        waiting[waiter] = nil
        guard let work = state.left(key, place) else { continue }
        #expect(!outlives && cancelled.insert(work).inserted && !waiting.values.contains { $0.key == key })
      default:
        guard let (number, key) = running.randomElement(using: &random) else { continue }
        running[number] = nil
        let told = state.ended(key, number)
        if cancelled.contains(number) { #expect(told.isEmpty) }
        for waiter in told { #expect(waiting.removeValue(forKey: waiter)?.key == key) }
      }
      #expect(state.counts.waiters == waiting.count)
      #expect(outlives || state.counts.works == Set(waiting.values.map(\.key)).count)
    }
    #expect(Set(state.close(with: CancellationError()).waiters) == Set(waiting.keys))
  }
}

/// SplitMix64.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
