import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What the tuner decides, event by event. No policy and no store around it, but for the last tests.
@Suite struct PolicyTunerTests {
  private static let clock = QueueParameters(smallShare: 0, promotion: .always)
  private static let small = QueueParameters(smallShare: 30, promotion: .reads(2))

  /// A tuner for this many chunks of weight 1, which samples all keys.
  private func tuner(_ capacity: Int, _ candidates: [QueueParameters]? = nil) -> PolicyTuner {
    var settings = PolicyTuner.Settings()
    settings.smallestSample = .max / 4
    if let candidates { settings.candidates = candidates }
    var tuner = PolicyTuner(capacity: capacity, settings)
    tuner.note(chunkWeight: 1)
    return tuner
  }

  private func key(_ number: Int) -> UInt32 { Ghost.fingerprint(of: UInt64(number)) }

  @Test func `a loop that is longer than the cache makes it leave the clock`() {
    var tuner = tuner(200, [Self.clock, Self.small])
    for read in 0..<5000 { tuner.read(key(read % 300)) }
    #expect(tuner.parameters == Self.small)
    #expect(tuner.switches == 1)
  }

  @Test func `a working set that moves on makes it turn to the clock`() {
    var tuner = tuner(200, [Self.small, Self.clock])
    var random = TestRandom(1)
    for read in 0..<20_000 { tuner.read(key(read / 10 + random.below(180))) }
    #expect(tuner.parameters == Self.clock)
    #expect(tuner.switches == 1)
  }

  @Test func `it follows a load that changes for good, and no more often than that`() {
    var tuner = tuner(200, [Self.clock, QueueParameters(smallShare: 30, promotion: .frequency(lead: 0))])
    var random = TestRandom(1)
    for phase in 0..<4 {
      for read in 0..<20_000 {
        let isLoop = phase % 2 == 0
        tuner.read(key(isLoop ? read % 300 : phase << 20 + read / 10 + random.below(180)))
      }
      #expect((tuner.parameters == Self.clock) == (phase % 2 == 1), "phase \(phase)")
    }
    #expect(tuner.switches == 4)
  }

  /// All keys are read equally often, so that no candidate is better: whatever leads does so by chance.
  @Test func `noise does not switch`() {
    var switches = 0
    for seed in testSeeds {
      var random = TestRandom(seed)
      var tuner = tuner(200)
      // A hundred times the capacity: five hundred decisions.
      for _ in 0..<20_000 { tuner.read(key(random.below(1000))) }
      #expect(tuner.switches <= 25, "seed \(seed)")
      switches += tuner.switches
    }
    #expect(switches <= testSeeds.count * 8, "\(switches) in \(testSeeds.count) runs")
  }

  @Test func `without caution noise would switch far more often`() {
    var settings = PolicyTuner.Settings()
    settings.caution = 0
    settings.leastStay = 0
    settings.smallestSample = .max / 4
    var tuner = PolicyTuner(capacity: 200, settings)
    tuner.note(chunkWeight: 1)
    var random = TestRandom(1)
    for _ in 0..<20_000 { tuner.read(key(random.below(1000))) }
    #expect(tuner.switches > 40, "\(tuner.switches)")
  }

  @Test(arguments: testSeeds)
  func `after a switch it stays for as many reads as there are chunks`(seed: UInt64) {
    var random = TestRandom(seed)
    var tuner = tuner(100)
    var since = 100
    for read in 0..<30_000 {
      let switches = tuner.switches
      // The load changes all the time.
      let isLoop = read / 300 % 2 == 0
      tuner.read(key(isLoop ? read % 150 : read / 10 + random.below(90)))
      since += 1
      if tuner.switches > switches {
        #expect(since >= 100, "seed \(seed), read \(read)")
        since = 0
      }
    }
  }

  @Test func `the hits of the present choice are those of the store`() {
    var tuner = tuner(200, [Self.small, Self.clock])
    // The miniatures of both hit all but the first reads. The store has lost what they have.
    for read in 0..<4000 { tuner.read(key(read % 100), wasHit: false) }
    #expect(tuner.switches > 0)
    var content = self.tuner(200, [Self.small, Self.clock])
    for read in 0..<4000 { content.read(key(read % 100), wasHit: true) }
    #expect(content.switches == 0)
  }

  @Test func `no candidate has what the store has lost`() {
    for isErasing in [false, true] {
      var tuner = tuner(200, [Self.small, Self.clock])
      for read in 0..<4000 {
        tuner.read(key(read % 100), wasHit: false)
        if isErasing { tuner.remove(key(read % 100)) }
      }
      #expect((tuner.switches == 0) == isErasing)
    }
    var emptied = tuner(200, [Self.small, Self.clock])
    for read in 0..<4000 {
      if read % 100 == 0 { emptied.removeAll() }
      emptied.read(key(read % 100), wasHit: false)
    }
    #expect(emptied.switches == 0)
  }

  @Test func `its miniatures have the share of the capacity that policies have`() {
    var tuner = PolicyTuner(capacity: 16_000)
    for _ in 0..<40 { tuner.note(chunkWeight: 1, room: 0.25) }
    // A loop over a few more blocks than there is room for: the whole capacity holds all of them.
    for number in 0..<100_000 { tuner.read(key(number % 5000)) }
    #expect(tuner.state.estimates.allSatisfy { $0.hitRatio < 0.9 }, "\(tuner.state)")
    for _ in 0..<40 { tuner.note(chunkWeight: 1, room: 1) }
    for number in 0..<200_000 { tuner.read(key(number % 5000)) }
    #expect(tuner.state.estimates.contains { $0.hitRatio > 0.97 }, "\(tuner.state)")
  }

  @Test func `its miniatures have as many chunks as the store has of the sampled keys`() {
    var tuners = [0.8, 1.2].map { excess in
      var tuner = PolicyTuner(capacity: 10_000)
      tuner.note(chunkWeight: 1)
      for _ in 0..<3000 { tuner.note(chunkWeight: 1, sampled: excess / 32) }
      return tuner
    }
    // A loop that fits if by chance more of the store's keys are sampled than one in 32.
    let keys = (0..<40_000).map(key).filter { ReadSample.level(of: $0, seed: 0) >= 5 }.prefix(340)
    for _ in 0..<40 { for key in keys { for index in tuners.indices { tuners[index].read(key) } } }
    #expect(tuners[0].state.estimates.allSatisfy { $0.hitRatio < 0.9 }, "\(tuners[0].state)")
    #expect(tuners[1].state.estimates.contains { $0.hitRatio > 0.97 }, "\(tuners[1].state)")
  }

  @Test func `after switches that did not pay it stays longer, up to a limit`() {
    var tuner = tuner(100, [Self.small, Self.clock])
    var waits: [Int] = []
    var since = 0
    for read in 0..<20_000 {
      let switches = tuner.switches
      // Whatever it chooses, the store hits nothing, and the other miniature everything.
      tuner.read(key(read % 50), wasHit: false)
      since += 1
      guard tuner.switches > switches else { continue }
      waits.append(since)
      since = 0
    }
    #expect(waits.count < 20, "\(waits)")
    #expect(waits.max()! >= 1600, "\(waits)")
  }

  @Test func `a switch by which main loses chunks needs a larger lead`() {
    #expect(Self.clock.mainShare == 0 && Self.small.mainShare == 0.97)
    var settings = PolicyTuner.Settings()
    settings.smallestSample = .max / 4
    settings.candidates = [Self.small, Self.clock]
    var reads: [Int] = []
    for toll in [0, 0.05, 1] {
      settings.toll = toll
      var tuner = PolicyTuner(capacity: 200, settings)
      tuner.note(chunkWeight: 1)
      var random = TestRandom(1)
      var read = 0
      while tuner.switches == 0, read < 20_000 {
        tuner.read(key(read / 10 + random.below(180)))
        read += 1
      }
      reads.append(read)
    }
    #expect(reads[0] <= reads[1] && reads[1] < reads[2], "\(reads)")
  }

  @Test func `it samples all keys of a small cache and one key in 32 of a large one`() {
    for (capacity, oneIn) in [(1, 1), (500, 1), (600, 2), (5000, 16), (9000, 32), (1 << 24, 32)] {
      var tuner = PolicyTuner(capacity: capacity * 4096)
      tuner.note(chunkWeight: 4096)
      #expect(tuner.state.sampledOneIn == oneIn, "\(capacity) chunks")
    }
  }

  @Test func `it ignores keys that are not of the sample`() {
    var tuner = PolicyTuner(capacity: 1 << 20)
    tuner.note(chunkWeight: 1)
    let keys = (0..<3200).map(key)
    for key in keys where ReadSample.level(of: key, seed: 0) < 5 { tuner.read(key) }
    #expect(tuner.state.hitRatio == nil)
    for key in keys { tuner.read(key) }
    #expect(tuner.state.hitRatio == 0)
    for key in keys { tuner.read(key) }
    #expect(abs(tuner.state.hitRatio! - 0.5) < 0.01)
    #expect(tuner.state.estimates.count == 7)
  }

  @Test func `a capacity that changes a little keeps what was learnt, and one that changes much begins again`() {
    var tuner = PolicyTuner(capacity: 16_000)
    tuner.note(chunkWeight: 1)
    for number in 0..<100_000 { tuner.read(key(number % 4000)) }
    let learnt = tuner.state
    for capacity in [15_000, 12_000, 30_000, 18_000] {
      tuner.capacity = capacity
      tuner.note(chunkWeight: 1)
      #expect(tuner.state == learnt, "\(capacity)")
    }
    tuner.capacity = 2000
    tuner.note(chunkWeight: 1)
    #expect(tuner.state.sampledOneIn == 4)
    #expect(tuner.state.hitRatio == nil)
    #expect(tuner.state.chosen == learnt.chosen)
  }

  @Test func `a copy of a tuner is a tuner of its own`() {
    var tuner = tuner(200)
    for read in 0..<1000 { tuner.read(key(read % 300)) }
    let copy = tuner
    let state = tuner.state
    for read in 0..<5000 { tuner.read(key(read)) }
    #expect(copy.state == state)
    #expect(tuner.state != state)
  }

  @Test func `tuner, sketch and ghost take at most 26 bytes for each chunk`() throws {
    for capacity in [8192, 20_000, 50_000] {
      var shard = SelfTuned(.adaptive, capacity: capacity)
      var random = TestRandom(1)
      try run(&shard, chunks: capacity, reads: 12 * capacity) { random.below(capacity * (1 + random.below(4))) }
      let policy = try #require(shard.policy as? S3FIFO)
      let bytes = try #require(shard.tuner).byteCount + policy.rememberedByteCount
      #expect(bytes <= 26 * capacity, "\(capacity): \(Double(bytes) / Double(capacity))")
    }
  }

  @Test func `new parameters move nothing`() throws {
    let all = PolicyTuner.Settings().candidates
    for seed in testSeeds {
      var random = TestRandom(seed)
      var policy = S3FIFO(capacity: 100, all[0])
      for slot in 0..<100 { policy.insert(slot, key: UInt64(slot), weight: 1) }
      var live = Set(0..<100)
      for round in 0..<200 {
        let weights = (policy.smallWeight, policy.mainWeight)
        policy.parameters = all[random.below(all.count)]
        #expect((policy.smallWeight, policy.mainWeight) == weights)
        for _ in 0..<random.below(5) { if let slot = live.randomElement(using: &random) { policy.hit(slot) } }
        let evicted = policy.evict()
        let victim = try #require(evicted)
        #expect(live.remove(victim) != nil, "seed \(seed), round \(round)")
        let new = 100 + round
        policy.insert(new, key: UInt64(random.below(300)), weight: 1)
        live.insert(new)
        #expect(policy.smallWeight + policy.mainWeight == 100)
      }
      while let victim = policy.evict() { #expect(live.remove(victim) != nil, "seed \(seed)") }
      #expect(live.isEmpty, "seed \(seed)")
    }
  }

  /// Reads keys as a cache of `chunks` chunks would, with slots by key.
  private func run(
    _ policy: inout some EvictionPolicy, chunks: Int, reads: Int, _ next: () -> Int
  ) throws {
    var slots: [Int: Int] = [:]
    var keys: [Int] = []
    for _ in 0..<reads {
      let key = next()
      if let slot = slots[key] {
        policy.hit(slot)
        continue
      }
      var slot = keys.count
      if slot == chunks {
        let victim = policy.evict()
        slot = try #require(victim)
        slots[keys[slot]] = nil
        keys[slot] = key
      } else {
        keys.append(key)
      }
      slots[key] = slot
      policy.insert(slot, key: UInt64(key), weight: 1)
    }
  }
}
