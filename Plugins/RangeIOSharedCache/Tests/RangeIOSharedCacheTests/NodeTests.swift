#if SharedCache
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  struct RendezvousTests {
    private func keys(_ count: Int) -> [SharedBlockKey] {
      var numbers = SeededNumbers(1)
      return (0..<count).map { _ in SharedBlockKey(digest: numbers.bytes(32)) }
    }

    @Test func `keys spread evenly, and by names alone`() {
      let names = (0..<5).map { "cache-\($0):11211" }
      let (one, other) = (Rendezvous(names), Rendezvous(names.reversed()))
      var counts = [Int](repeating: 0, count: 5)
      for key in keys(20_000) {
        counts[one.node(of: key)] += 1
        #expect(names[one.node(of: key)] == Array(names.reversed())[other.node(of: key)])
      }
      #expect(counts.allSatisfy { $0 > 3700 && $0 < 4300 }, "\(counts)")
    }

    @Test func `a new node takes its share from all, and nothing else moves`() {
      let names = (0..<5).map { "cache-\($0)" }
      let (before, after) = (Rendezvous(names), Rendezvous(names + ["cache-5"]))
      var moved = 0
      for key in keys(12_000) where before.node(of: key) != after.node(of: key) {
        moved += 1
        #expect(after.node(of: key) == 5)
      }
      #expect(moved > 1800 && moved < 2200, "\(moved)")
    }

    @Test func `every process chooses the same node, in every version of the library`() {
      let choice = Rendezvous(["a:1", "b:2", "c:3"])
      let chosen = keys(12).map { choice.node(of: $0) }
      #expect(chosen == [0, 1, 0, 0, 0, 2, 1, 2, 0, 1, 2, 2])
    }
  }

  struct NodeHealthTests {
    private let second: Int64 = 1_000_000_000

    private let half: Int64 = 500_000_000

    /// Expects what becomes of a request.
    private func expect(
      _ health: inout NodeHealth, at now: Int64, _ admission: NodeHealth.Admission, reads isOfReads: Bool = true,
      at location: SourceLocation = #_sourceLocation
    ) {
      let found = health.admits(isOfReads, at: now)
      #expect(found == admission, sourceLocation: location)
    }

    @Test func `once an answer is late, reads do not wait until there is a sign, and values are still put`() {
      var health = NodeHealth()
      expect(&health, at: 0, .ask)
      health.failed(isSilent: true, at: 0, random: 1)
      #expect(health.isUp)
      expect(&health, at: 0, .skip)
      expect(&health, at: 0, .ask, reads: false)
      // Others that waited for the same sign say nothing new.
      for _ in 0..<10 { health.failed(isSilent: true, at: 0, random: 1) }
      #expect(health.isUp)
      health.late(after: 1000)
      expect(&health, at: 0, .ask)
      health.failed(isSilent: true, at: 0, random: 1)
      health.connected()
      expect(&health, at: 0, .ask)
    }

    @Test func `a node that answers others is asked further after a late answer`() {
      var health = NodeHealth()
      health.failed(isSilent: false, at: 0, random: 1)
      expect(&health, at: 0, .ask)
    }

    @Test(arguments: [true, false])
    func `three late answers in a row take a node out, and a probe looks for it`(_ isSilent: Bool) {
      var health = NodeHealth()
      func fail(_ count: Int) {
        for _ in 0..<count {
          expect(&health, at: 0, .ask)
          health.failed(isSilent: isSilent, at: 0, random: 1)
          health.late(after: nil)
        }
      }
      fail(2)
      health.answered(after: 1000)
      fail(2)
      expect(&health, at: 0, .ask)
      health.failed(isSilent: isSilent, at: 0, random: 1)
      #expect(!health.isUp)
      // What comes late now is no reason to ask.
      health.late(after: 1000)
      health.connected()
      expect(&health, at: second / 10 - 1, .skip)
      expect(&health, at: second / 10 - 1, .skip, reads: false)
      expect(&health, at: second / 10, .probe)
      expect(&health, at: second / 10, .skip)
      health.lost(at: second / 10, random: 1)
      // Twice as long.
      expect(&health, at: 3 * second / 10 - 1, .skip)
      expect(&health, at: 3 * second / 10, .probe)
      health.answered(after: nil)
      #expect(health.isUp)
      for _ in 0..<2 { expect(&health, at: second, .ask) }
    }

    @Test func `a node that answers probes, and reads too late, rests longer each time`() {
      var health = NodeHealth()
      var (now, pauses): (Int64, [Int64]) = (0, [])
      for _ in 0..<5 {
        for _ in 0..<3 { health.failed(isSilent: false, at: now, random: 1) }
        var pause: Int64 = 0
        while health.admits(true, at: now + pause) != .probe { pause += second / 100 }
        health.probeAnswered()
        pauses.append(pause)
        now += pause
        expect(&health, at: now, .ask)
      }
      #expect(pauses == [1, 2, 4, 8, 16].map { $0 * second / 10 })
      // An answer in time ends that.
      health.answered(after: 1000)
      for _ in 0..<3 { health.failed(isSilent: false, at: now, random: 1) }
      expect(&health, at: now + second / 10, .probe)
    }

    @Test func `what is put says nothing of a node that refuses look-ups`() {
      var health = NodeHealth()
      for _ in 0..<3 {
        health.refused(at: 0, random: 1)
        health.answered(after: nil)
      }
      #expect(!health.isUp)
      health.answered(after: nil)
      #expect(!health.isUp)
      expect(&health, at: second / 10, .probe)
      health.probeAnswered()
      health.answered(after: 1000)
      health.lost(at: 0, random: 1)
      // It refuses no more.
      health.answered(after: nil)
      #expect(health.isUp)
    }

    @Test func `the pause grows to ten seconds, and is at least half of that`() {
      var health = NodeHealth()
      var now: Int64 = 0
      for _ in 0..<100 {
        health.lost(at: now, random: 0)
        var pause: Int64 = 0
        while health.admits(true, at: now + pause) != .probe { pause += second / 100 }
        now += pause
        #expect(pause <= 10 * second)
      }
      health.lost(at: now, random: 0)
      expect(&health, at: now + 5 * second - 1, .skip)
      expect(&health, at: now + 5 * second, .probe)
    }

    @Test func `the limit is three times what 99 of 100 answers take, within bounds`() {
      var health = NodeHealth()
      let (worth, tiny) = (2 * second / 1000, second / 1_000_000)
      #expect(health.limit(worth: worth) == 5 * worth)
      #expect(health.limit(worth: .max) == 3600 * second)
      for _ in 0..<1000 { health.answered(after: 1_000_000) }
      let limit = health.limit(worth: worth)
      #expect(limit >= 3_000_000 && limit <= 3_800_000, "\(limit)")
      // Never less than an answer is worth, or than what any process may be late; never more than five times its worth.
      #expect(health.limit(worth: 4_000_000) == 4_000_000)
      #expect(health.limit(worth: second) == 10_000_000)
      #expect(health.limit(worth: tiny) == 5 * tiny)
      for _ in 0..<100 { health.late(after: 100_000_000) }
      let late = health.limit(worth: second)
      #expect(late >= 300_000_000 && late <= half, "\(late)")
      for _ in 0..<20_000 { health.answered(after: .max) }
      #expect(health.limit(worth: second / 5) == half)
    }

    @Test func `percentiles are those of the times, to a quarter of a doubling`() {
      for seed in 1...50 as ClosedRange<UInt64> {
        var (numbers, times) = (SeededNumbers(seed), ReplyTimes())
        let all = (0..<1000).map { _ in Int64(20_000) << Int64(numbers.below(12)) + Int64(numbers.below(20_000)) }
        for time in all { times.record(time) }
        let right = all.sorted()[989]
        let found = times.percentile99 ?? 0
        #expect(found >= right && Double(found) <= 1.3 * Double(right) + 8192, "seed \(seed): \(found) for \(right)")
      }
    }
  }
#endif
