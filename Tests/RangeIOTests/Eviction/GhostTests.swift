import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct GhostTests {
  /// A list of what was remembered, with nothing clever about it.
  private struct Model {
    var fingerprints: [UInt32] = []
    mutating func insert(_ fingerprint: UInt32, limit: Int) {
      fingerprints.append(fingerprint)
      fingerprints.removeFirst(max(0, fingerprints.count - limit))
    }
    mutating func remove(_ fingerprint: UInt32) -> Bool {
      guard let index = fingerprints.firstIndex(of: fingerprint) else { return false }
      fingerprints.remove(at: index)
      return true
    }
  }

  @Test(arguments: testSeeds.prefix(20), [1, 2, 15, 16, 17, 64, 65, 300])
  func `the ghost remembers what a list does, but for few of the oldest`(seed: UInt64, limit: Int) {
    var random = TestRandom(seed)
    var ghost = Ghost()
    var model = Model()
    // Keys far apart enough that none comes twice within the ghost's memory but by `remove`.
    var (next, asked, missed) = (UInt64(0), 0, 0)
    for step in 0..<6000 {
      if random.below(3) > 0 || model.fingerprints.isEmpty {
        next += 1
        ghost.insert(Ghost.fingerprint(of: next), limit: limit)
        model.insert(Ghost.fingerprint(of: next), limit: limit)
      } else if random.below(2) == 0 {
        let place = random.below(model.fingerprints.count)
        let fingerprint = model.fingerprints[place]
        asked += 1
        if !ghost.remove(fingerprint) { missed += 1 }
        _ = model.remove(fingerprint)
        if ghost.remove(fingerprint) { Issue.record("seed \(seed), step \(step): what came back is still remembered") }
      } else {
        // Never stored, or long forgotten. In between the two may differ: what a bucket gave up makes room elsewhere.
        let key = random.below(2) == 0 ? next + 1 : next - min(next, UInt64(4 * limit + random.below(1000)))
        if ghost.remove(Ghost.fingerprint(of: key)) {
          Issue.record("seed \(seed), step \(step): \(key) of \(next) is remembered")
          return
        }
      }
      guard ghost.count <= limit else {
        Issue.record("seed \(seed), step \(step): \(ghost.count) are remembered")
        return
      }
    }
    // Within a tick of the limit, and one bucket in twelve is full when something comes.
    #expect(limit > 16 ? missed * 12 <= asked : missed == 0, "seed \(seed): \(missed) of \(asked)")
  }

  @Test func `a limit that changes is kept to, and the young survive it`() {
    var ghost = Ghost()
    var random = TestRandom(5)
    for key in 1...5000 as ClosedRange<UInt64> { ghost.insert(Ghost.fingerprint(of: key), limit: 1000) }
    for (round, limit) in [900, 300, 80, 20, 400, 3000, 1].enumerated() {
      let first = UInt64(10_000 * (round + 1))
      let count = UInt64(limit * 3 + 10 + random.below(100))
      for key in first..<first + count { ghost.insert(Ghost.fingerprint(of: key), limit: limit) }
      #expect(ghost.count <= limit)
      var copy = ghost
      let youngest = first + count - UInt64((limit + 1) / 2)..<first + count
      let young = youngest.map { copy.remove(Ghost.fingerprint(of: $0)) }
      #expect(young.count { !$0 } * 50 <= young.count, "limit \(limit)")
      let isOldRemembered = copy.remove(Ghost.fingerprint(of: first + 1))
      #expect(!isOldRemembered, "limit \(limit)")
    }
  }

  @Test func `a ghost whose chunks all come back does not mistake old ticks for new`() {
    var ghost = Ghost()
    var lost = 0
    for key in 1...50_000 as ClosedRange<UInt64> {
      ghost.insert(Ghost.fingerprint(of: key), limit: 100)
      // One in seven stays away.
      if key % 7 != 0, !ghost.remove(Ghost.fingerprint(of: key)) { lost += 1 }
      if key > 10_000, key % 1000 == 0 {
        let old = (key - 10_000..<key - 2000).filter { ghost.remove(Ghost.fingerprint(of: $0)) }
        #expect(old == [])
      }
    }
    #expect(lost == 0)
  }

  @Test func `fingerprints of neighbouring keys differ, and fill buckets evenly`() {
    for base in [0, 1 << 32, 7 << 40, UInt64.max - 70_000] as [UInt64] {
      let fingerprints = (0..<65_536).map { Ghost.fingerprint(of: base + $0) }
      #expect(Set(fingerprints).count > 65_530)
      #expect(!fingerprints.contains(0))
      let buckets = fingerprints.reduce(into: [Int](repeating: 0, count: 1024)) { $0[Int($1 >> 22)] += 1 }
      // 64 each on average; the standard deviation of chance is 8.
      #expect(buckets.max()! < 64 + 6 * 8 && buckets.min()! > 64 - 6 * 8)
    }
  }
}
