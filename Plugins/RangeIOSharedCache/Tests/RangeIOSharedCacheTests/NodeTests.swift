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

    /// Expects that a request may be sent, or may not.
    private func expect(
      _ health: inout NodeHealth, at now: Int64, _ admits: Bool, at location: SourceLocation = #_sourceLocation
    ) {
      let found = health.admits(at: now)
      #expect(found == admits, sourceLocation: location)
    }

    @Test func `three failures in a row take a node out, and one request at a time looks for it`() {
      var health = NodeHealth()
      for _ in 0..<2 {
        expect(&health, at: 0, true)
        health.failed(at: 0, random: 1)
      }
      health.answered(after: 1000)
      for _ in 0..<3 {
        expect(&health, at: 0, true)
        health.failed(at: 0, random: 1)
      }
      #expect(!health.isUp)
      expect(&health, at: second / 10 - 1, false)
      expect(&health, at: second / 10, true)
      expect(&health, at: second / 10, false)
      health.failed(at: second / 10, random: 1)
      // Twice as long.
      expect(&health, at: 3 * second / 10 - 1, false)
      expect(&health, at: 3 * second / 10, true)
      health.answered(after: 1000)
      #expect(health.isUp)
      for _ in 0..<2 { expect(&health, at: second, true) }
    }

    @Test func `the pause grows to ten seconds, and is at least half of that`() {
      var health = NodeHealth()
      var now: Int64 = 0
      for _ in 0..<100 {
        health.lost(at: now, random: 0)
        var pause: Int64 = 0
        while !health.admits(at: now + pause) { pause += second / 100 }
        now += pause
        #expect(pause <= 10 * second)
      }
      health.lost(at: now, random: 0)
      expect(&health, at: now + 5 * second - 1, false)
      expect(&health, at: now + 5 * second, true)
    }

    @Test func `the limit is three times what 99 of 100 answers take, within bounds`() {
      var health = NodeHealth()
      #expect(health.timeLimit == second / 10 && health.usualTime == nil)
      for _ in 0..<1000 { health.answered(after: 1_000_000) }
      #expect(health.timeLimit >= 3_000_000 && health.timeLimit <= 3_800_000, "\(health.timeLimit)")
      for _ in 0..<100 { health.late(after: 100_000_000) }
      #expect(health.timeLimit >= 300_000_000 && health.timeLimit <= 500_000_000, "\(health.timeLimit)")
      for _ in 0..<20_000 { health.answered(after: 20_000) }
      #expect(health.timeLimit == 1_000_000)
      for _ in 0..<20_000 { health.answered(after: .max) }
      #expect(health.timeLimit == second / 2)
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
