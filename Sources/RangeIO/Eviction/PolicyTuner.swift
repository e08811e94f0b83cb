/// Chooses the parameters of a store's policies: those of the candidate that would have had the most hits.
///
/// A pure value: sampled reads in, decisions out. A store has one, however many shards; each shard's policy now and then
/// calls it in ``S3FIFO/consult(_:)``. Only ``Eviction/adaptive`` makes use of it.
///
/// **How it decides.** A ``MiniatureCache`` for each candidate reads a sample of the keys. Five times in the time that
/// as many reads take as there are chunks, the hits of all candidates are compared, those of old reads for less: they
/// count half after four such times. The tuner switches to the candidate with the most hits if its lead over the
/// present one is more than noise: over one and a half times the square root of the number of reads that only one
/// of the two hit. After
/// a switch it stays for as many reads as there are chunks.
///
/// **Cost.** Between one key in 32 and all keys are sampled: so many that the miniatures hold 256 chunks at least.
/// 44 bytes for each chunk in a miniature: eight bytes for each of the cache, if it has over 8,192.
package struct PolicyTuner: Sendable {
  /// The constants by which the tuner decides.
  package struct Settings: Sendable {
    /// The parameters that it chooses from. The first is where it begins.
    var candidates = [
      QueueParameters(smallShare: 100, promotion: .readsAfterWindow(1)),
      QueueParameters(smallShare: 20, promotion: .reads(2)),
      QueueParameters(smallShare: 300, promotion: .reads(2)),
      QueueParameters(smallShare: 300, promotion: .readsAfterWindow(1)),
      QueueParameters(smallShare: 30, promotion: .frequency),
      QueueParameters(smallShare: 0, promotion: .always),
    ]
    /// Chooses the keys that are sampled.
    package var seed: UInt32 = 0
    /// The chunks that a miniature holds at least, if there are as many.
    var smallestSample = 256
    /// At most one key in 2^this is sampled.
    var highestLevel = 5
    /// The time between two decisions, and the least time between two switches: in reads, as multiples of the number of chunks.
    var interval = 0.2
    var leastStay = 1.0
    /// The factor that older hits get with each decision: they count half after twenty.
    var decay = 0.966
    /// The lead that is needed, as a multiple of the square root of the discordant hits.
    var caution = 1.5

    package init() {}
  }

  /// The hit ratio that a candidate would have had lately.
  package struct Estimate: Equatable, Sendable {
    package let name: String
    /// From 0 to 1.
    package let hitRatio: Double
  }

  /// A candidate: its miniature, and how often it hit.
  private struct Candidate: Sendable {
    var miniature: MiniatureCache<S3FIFO>
    /// Recent reads that hit, and those where only one of this and the present choice did.
    var hits = 0.0
    var discordant = 0.0
  }

  package let settings: Settings
  /// The limit of the whole store, in bytes.
  package var capacity: Int
  /// The size of a chunk, on average. 0 while nothing is known.
  private var chunkWeight = 0.0
  private var candidates: [Candidate] = []
  private var chosen = 0
  private var sampleCapacity = 0
  private var reads = 0.0
  private var readsUntilDecision = 0
  private var readsSinceSwitch = 0
  private(set) var switches = 0
  /// The level of the keys that are sampled.
  private(set) var level = 0

  package init(capacity: Int, _ settings: Settings = Settings()) {
    self.capacity = capacity
    self.settings = settings
  }

  /// The present choice.
  var parameters: QueueParameters { settings.candidates[chosen] }

  /// A snapshot of the tuner's state, for display.
  package struct State: Equatable, Sendable {
    /// One for each candidate; empty until reads have come.
    package let estimates: [Estimate]
    /// The place of the present choice in it.
    package let chosen: Int
    /// The changes of the choice so far.
    package let switches: Int
    /// One key in this many was sampled.
    package let sampledOneIn: Int

    /// The hit ratio of the present choice lately, from 0 to 1; `nil` until reads have come.
    var hitRatio: Double? { estimates.isEmpty ? nil : estimates[chosen].hitRatio }
  }

  package var state: State {
    let estimates = candidates.indices.map {
      Estimate(name: settings.candidates[$0].name, hitRatio: reads > 0 ? candidates[$0].hits / reads : 0)
    }
    return State(
      estimates: reads > 0 ? estimates : [], chosen: chosen, switches: switches, sampledOneIn: 1 << level)
  }

  package var byteCount: Int { candidates.reduce(0) { $0 + $1.miniature.byteCount + $1.miniature.policy.byteCount } }

  /// Tells how large chunks are, on average, in one of the shards.
  mutating func note(chunkWeight weight: Double) {
    chunkWeight = chunkWeight == 0 ? weight : chunkWeight + (weight - chunkWeight) / 8
    let chunks = max(1, Double(capacity) / chunkWeight)
    let sampled = Int(min(chunks / Double(1 << level), Double(Int32.max)).rounded())
    let smallest = settings.smallestSample
    // A new level means to begin again: not for a number of chunks that goes up and down a little.
    if candidates.isEmpty || level > 0 && sampled < smallest * 3 / 4
      || level < settings.highestLevel && sampled > smallest * 3
    {
      begin(chunks)
    } else if abs(sampled - sampleCapacity) > sampleCapacity / 8 {
      sampleCapacity = max(1, sampled)
      for index in candidates.indices { candidates[index].miniature.resize(to: sampleCapacity) }
    }
  }

  /// Begins with empty miniatures and the present choice.
  private mutating func begin(_ chunks: Double) {
    level = 0
    while level < settings.highestLevel, chunks / Double(2 << level) >= Double(settings.smallestSample) { level += 1 }
    sampleCapacity = max(1, Int(min(chunks / Double(1 << level), Double(Int32.max)).rounded()))
    candidates = settings.candidates.map {
      Candidate(
        miniature: MiniatureCache(S3FIFO(capacity: sampleCapacity, $0), capacity: sampleCapacity))
    }
    reads = 0
    readsSinceSwitch = 0
    readsUntilDecision = interval
  }

  private var interval: Int { max(1, Int(Double(sampleCapacity) * settings.interval)) }

  /// A key was read. Ignored unless it is one of the sample.
  mutating func read(_ fingerprint: UInt32) {
    guard !candidates.isEmpty, ReadSample.level(of: fingerprint, seed: settings.seed) >= level else { return }
    let isHit = candidates[chosen].miniature.read(fingerprint)
    if isHit { candidates[chosen].hits += 1 }
    for index in candidates.indices where index != chosen {
      let isHitHere = candidates[index].miniature.read(fingerprint)
      if isHitHere { candidates[index].hits += 1 }
      if isHitHere != isHit { candidates[index].discordant += 1 }
    }
    reads += 1
    readsSinceSwitch += 1
    readsUntilDecision -= 1
    if readsUntilDecision <= 0 { decide() }
  }

  private mutating func decide() {
    readsUntilDecision = interval
    if Double(readsSinceSwitch) >= settings.leastStay * Double(sampleCapacity), let best = winner {
      chosen = best
      switches += 1
      readsSinceSwitch = 0
      // From now on the others are compared with this one. At least the difference of their hits was discordant.
      for index in candidates.indices {
        candidates[index].discordant = abs(candidates[index].hits - candidates[best].hits)
      }
    }
    reads *= settings.decay
    for index in candidates.indices {
      candidates[index].hits *= settings.decay
      candidates[index].discordant *= settings.decay
    }
  }

  /// The candidate to switch to, if the lead of one is more than noise.
  private var winner: Int? {
    var best: Int?
    var most = 0.0
    for index in candidates.indices where index != chosen {
      let lead = candidates[index].hits - candidates[chosen].hits
      if lead > settings.caution * candidates[index].discordant.squareRoot(), lead > most {
        (best, most) = (index, lead)
      }
    }
    return best
  }
}

/// A policy together with the tuner of its kind, if it has one: a cache with one shard and no store around it. For
/// simulations and tests; a store has a tuner for all its shards.
package struct SelfTuned: EvictionPolicy {
  /// The insertions after which a policy consults its tuner.
  static let insertionsPerConsultation = 8

  package private(set) var policy: any EvictionPolicy
  package private(set) var tuner: PolicyTuner?
  private var insertions = 0

  /// - Parameter tunes: `false` for one that keeps the parameters that it begins with.
  package init(_ factory: Eviction, capacity: Int, tunes: Bool = true) {
    policy = factory.make(capacity)
    if tunes { tuner = factory.makeTuner?(capacity) }
  }

  package var capacity: Int {
    get { policy.capacity }
    set {
      policy.capacity = newValue
      tuner?.capacity = newValue
    }
  }

  package mutating func admits(key: UInt64, weight: Int) -> Bool { policy.admits(key: key, weight: weight) }

  package mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    policy.insert(slot, key: key, weight: weight)
    insertions += 1
    guard insertions % Self.insertionsPerConsultation == 0, tuner != nil, var queues = policy as? S3FIFO else { return }
    queues.consult(&tuner!)
    policy = queues
  }

  package mutating func hit(_ slot: Int) { policy.hit(slot) }
  package mutating func reweigh(_ slot: Int, weight: Int) { policy.reweigh(slot, weight: weight) }
  package mutating func remove(_ slot: Int) { policy.remove(slot) }
  package mutating func evict() -> Int? { policy.evict() }
}
