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

  // MARK: Borders

  /// What the ghost promises of its ticks, with a list: exact as long as no bucket is full.
  private struct Ticks {
    var remembered: [(fingerprint: UInt32, tick: Int)] = []
    private var (now, oldest, inTick, size) = (0, 0, 0, 0)

    mutating func insert(_ fingerprint: UInt32, limit: Int) {
      if limit > size + size / 4 || limit < size / 4 { size = max(limit, 16) }
      if inTick >= (size + 63) / 64 {
        if now - oldest >= 192 { forget() }
        now += 1
        inTick = 0
      }
      remembered.append((fingerprint, now))
      inTick += 1
      while remembered.count > limit, oldest != now { forget() }
    }

    mutating func remove(_ fingerprint: UInt32) -> Bool {
      guard let index = remembered.firstIndex(where: { $0.fingerprint == fingerprint }) else { return false }
      remembered.remove(at: index)
      return true
    }

    private mutating func forget() {
      remembered.removeAll { $0.tick == oldest }
      oldest += 1
    }
  }

  /// Fingerprints that are spread over all buckets, so that none fills up.
  private func spread(_ number: Int) -> UInt32 { UInt32(truncatingIfNeeded: number &* 0x9E37_79B1) | 1 }

  @Test func `whole ticks are forgotten, as many as the limit demands, for each limit`() {
    var ghost = Ghost()
    var ticks = Ticks()
    // Each limit grows or shrinks the table, or just does not.
    for (round, limit) in [640, 641, 800, 801, 1001, 1002, 251, 250, 249, 62, 61, 65, 129].enumerated() {
      for number in 0..<1500 {
        let fingerprint = spread(round * 1500 + number)
        ghost.insert(fingerprint, limit: limit)
        ticks.insert(fingerprint, limit: limit)
        guard ghost.count == ticks.remembered.count else {
          Issue.record("limit \(limit), after \(number): \(ghost.count) instead of \(ticks.remembered.count)")
          return
        }
      }
    }
  }

  @Test func `what stays away is forgotten after 192 ticks, though there is room`() {
    var ghost = Ghost()
    var ticks = Ticks()
    for number in 0..<3000 {
      ghost.insert(spread(number), limit: 640)
      ticks.insert(spread(number), limit: 640)
      // One of a hundred stays away.
      if number % 100 != 0 {
        let (isRemembered, isExpected) = (ghost.remove(spread(number)), ticks.remove(spread(number)))
        #expect(isRemembered == isExpected)
      }
      guard ghost.count == ticks.remembered.count else {
        Issue.record("after \(number): \(ghost.count) instead of \(ticks.remembered.count)")
        return
      }
    }
    #expect(ghost.count < 30)
  }

  @Test func `the first place of the table is swept as often as the others`() {
    var ghost = Ghost()
    ghost.insert(1, limit: 640)
    // The others lie in other buckets, so that the place of the first is not used again; ticks come round after 2,560.
    for number in 1...6000 {
      ghost.insert(spread(number) | 1 << 31, limit: 640)
      if number > 2100, ghost.remove(1) {
        Issue.record("after \(number) others the first is remembered again")
        return
      }
    }
  }

  @Test func `a table that grows takes along what is remembered, and nothing else`() {
    var ghost = Ghost()
    // All in the first bucket, which is full.
    for fingerprint in 1...16 as ClosedRange<UInt32> { ghost.insert(fingerprint, limit: 16) }
    #expect(ghost.count == 16)
    ghost.insert(.max, limit: 40)
    #expect(ghost.count == 17)
    let remembered = (1...16 as ClosedRange<UInt32>).filter { ghost.remove($0) }
    #expect(remembered.count == 16)
  }

  @Test(arguments: [(1, 2), (16, 2), (32, 3), (33, 4), (640, 60)])
  func `the table has three places for two chunks, in whole buckets`(limit: Int, buckets: Int) {
    var ghost = Ghost()
    ghost.insert(1, limit: limit)
    #expect(ghost.byteCount == buckets * 16 * 5 + 256 * 4)
  }

  @Test func `fingerprints are what they were`() {
    #expect(
      ([0, 1, 2, 1 << 32, .max] as [UInt64]).map(Ghost.fingerprint)
        == [1, 3_630_717_075, 1_424_606_022, 913_096_597, 948_526_959])
  }
}
