/// Chooses the parameters of a store's policies: those of the candidate that would have had the most hits.
///
/// A pure value: sampled reads in, decisions out. A store has one, however many shards; each shard's policy now and
/// then calls it in ``S3FIFO/consult(_:)``. Only ``Eviction/adaptive`` makes use of it.
///
/// **How it decides.** A ``MiniatureCache`` for each candidate reads a sample of the keys. Five times in the time that
/// as many reads take as there are chunks, the hits of all candidates are compared, those of old reads for less: they
/// count half after four such times. The tuner switches to the candidate with the most hits if its lead over the
/// present one is more than noise: over 1.2 times the square root of the sum of squares of its leads in each of those
/// times. Where reads are independent, that is the root of the number of reads that only one of the two hit. Where they
/// come in runs that suit one and then the other, it is far more.
///
/// A switch to a candidate with a smaller main queue also has to make up for the chunks that main loses: a twentieth of
/// a hit for each.
///
/// The hits of the present candidate are the store's own, not its miniature's: after a switch the store still has what
/// the earlier parameters kept, and may have lost what the miniature has.
///
/// After a switch it stays for as many reads as there are chunks. If the store then hit less than the miniature of the
/// candidate that was left, the next stay is twice as long, up to 16 times; else half as long. Loads that no one switch
/// suits for long, such as those that go to and fro, are left alone soon.
///
/// **Cost.** Between one key in 32 and all keys are sampled: so many that the miniatures hold 256 chunks at least.
/// 44 bytes for each chunk in a miniature: ten bytes for each of the cache, if it has over 8,192.
package struct PolicyTuner: Sendable {
  /// The constants by which the tuner decides.
  package struct Settings: Sendable {
    /// The parameters that it chooses from. The first is where it begins.
    var candidates = [
      QueueParameters(smallShare: 100, promotion: .readsAfterWindow(1)),
      QueueParameters(smallShare: 20, promotion: .reads(2)),
      QueueParameters(smallShare: 300, promotion: .reads(2)),
      QueueParameters(smallShare: 900, promotion: .readsAfterWindow(1)),
      QueueParameters(smallShare: 30, promotion: .frequency(lead: 0)),
      QueueParameters(smallShare: 30, promotion: .frequency(lead: 1)),
      QueueParameters(smallShare: 0, promotion: .always),
    ]
    /// Chooses the keys that are sampled.
    package var seed: UInt32 = 0
    /// The chunks that a miniature holds at least, if there are as many.
    var smallestSample = 256
    /// At most one key in 2^this is sampled.
    var highestLevel = 5
    /// The time between two decisions, and the least time between two switches: in reads, as multiples of the number of
    /// chunks.
    var interval = 0.2
    var leastStay = 1.0
    var longestStay = 16.0
    /// The factor that older hits get with each decision: they count half after twenty.
    var decay = 0.966
    /// The lead that is needed, as a multiple of its standard deviation.
    var caution = 1.2
    /// The hits that a switch has to make up for, for each chunk that main loses by it. Those chunks were promoted for
    /// reads that may be long ago, and what reads them next may be as far away: the new queues cannot get them back
    /// soon.
    var toll = 0.05

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
    /// Recent reads that hit.
    var hits = 0.0
    /// How many more hits than the present choice it has had since the last decision, and the sum of the squares of
    /// that number at earlier ones.
    var lead = 0
    var variance = 0.0
  }

  package let settings: Settings
  /// The limit of the whole store, in bytes.
  package var capacity: Int
  /// The size of a chunk, on average. 0 while nothing is known.
  private var chunkWeight = 0.0
  /// The share of the capacity that policies have when they are full, on average: pinned chunks and reads under way take of it,
  /// and there may be as many chunks as are permitted.
  private var room = 1.0
  /// How many times as many of the chunks are sampled as one in two to the power of ``level``: chance decides about each key.
  private var excess = 1.0
  private var candidates: [Candidate] = []
  private var chosen = 0
  private var sampleCapacity = 0
  private var reads = 0.0
  private var readsUntilDecision = 0
  private var readsSinceSwitch = 0
  /// The candidate before the last switch, how many more hits there were since than it would have had, and how long to
  /// stay at least.
  private var previous = 0
  private var gain = 0
  private var stay: Double
  private(set) var switches = 0
  /// The level of the keys that are sampled.
  private(set) var level = 0

  package init(capacity: Int, _ settings: Settings = Settings()) {
    self.capacity = capacity
    self.settings = settings
    stay = settings.leastStay
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

  /// Tells of one of the shards how large the chunks are, on average, that it has missed; the share of the capacity that its
  /// policy has; and the share of its chunks that are sampled at ``level``.
  ///
  /// The weight is not that of the chunks that it has: a policy that keeps only large ones would seem to have room for few.
  mutating func note(chunkWeight weight: Double, room share: Double = 1, sampled: Double? = nil) {
    chunkWeight = chunkWeight == 0 ? weight : chunkWeight + (weight - chunkWeight) / 8
    // Some shards have more than their share, others less.
    room += (min(share, 2) - room) / 8
    if let sampled, !candidates.isEmpty { excess += (min(sampled * Double(1 << level), 2) - excess) / 512 }
    let chunks = max(1, Double(capacity) * min(1, room) / chunkWeight)
    let sampled = sampledChunks(of: chunks)
    let smallest = settings.smallestSample
    // A new level means to begin again: not for a number of chunks that goes up and down a little.
    if candidates.isEmpty || level > 0 && sampled < smallest * 3 / 4
      || level < settings.highestLevel && sampled > smallest * 3
    {
      begin(chunks)
    } else if abs(sampled - sampleCapacity) > sampleCapacity / 64 {
      sampleCapacity = max(1, sampled)
      for index in candidates.indices { candidates[index].miniature.resize(to: sampleCapacity) }
    }
  }

  /// The chunks that a miniature should have: as many as the store has sampled ones.
  private func sampledChunks(of chunks: Double) -> Int {
    Int(min(chunks * excess / Double(1 << level), Double(Int32.max)).rounded())
  }

  /// Begins with empty miniatures and the present choice.
  private mutating func begin(_ chunks: Double) {
    level = 0
    while level < settings.highestLevel, chunks / Double(2 << level) >= Double(settings.smallestSample) { level += 1 }
    excess = 1
    sampleCapacity = max(1, sampledChunks(of: chunks))
    candidates = settings.candidates.map { Candidate(miniature: miniature($0)) }
    reads = 0
    readsSinceSwitch = 0
    gain = 0
    readsUntilDecision = interval
  }

  private func miniature(_ parameters: QueueParameters) -> MiniatureCache<S3FIFO> {
    MiniatureCache(S3FIFO(capacity: sampleCapacity, parameters), capacity: sampleCapacity)
  }

  private var interval: Int { max(1, Int(Double(sampleCapacity) * settings.interval)) }

  /// A key was read. Ignored unless it is one of the sample.
  ///
  /// - Parameter wasHit: whether the store had it; `nil` if there is no store, for what the miniature says.
  mutating func read(_ fingerprint: UInt32, wasHit: Bool? = nil) {
    guard isSampled(fingerprint) else { return }
    let isHitInMiniature = candidates[chosen].miniature.read(fingerprint)
    let isHit = wasHit ?? isHitInMiniature
    if isHit { candidates[chosen].hits += 1 }
    for index in candidates.indices where index != chosen {
      let isHitHere = candidates[index].miniature.read(fingerprint)
      if isHitHere { candidates[index].hits += 1 }
      guard isHitHere != isHit else { continue }
      candidates[index].lead += isHit ? -1 : 1
      if index == previous { gain += isHit ? 1 : -1 }
    }
    reads += 1
    readsSinceSwitch += 1
    readsUntilDecision -= 1
    if readsUntilDecision <= 0 { decide() }
  }

  /// The store has a key no longer, for a reason other than making room: no candidate would have it, either.
  mutating func remove(_ fingerprint: UInt32) {
    guard isSampled(fingerprint) else { return }
    for index in candidates.indices { candidates[index].miniature.remove(fingerprint) }
  }

  /// The store has no key any longer.
  mutating func removeAll() {
    for index in candidates.indices { candidates[index].miniature = miniature(settings.candidates[index]) }
  }

  private func isSampled(_ fingerprint: UInt32) -> Bool {
    !candidates.isEmpty && ReadSample.level(of: fingerprint, seed: settings.seed) >= level
  }

  private mutating func decide() {
    readsUntilDecision = interval
    for index in candidates.indices {
      candidates[index].variance += Double(candidates[index].lead * candidates[index].lead)
      candidates[index].lead = 0
    }
    if Double(readsSinceSwitch) >= stay * Double(sampleCapacity), let best = winner {
      stay = gain < 0 ? min(stay * 2, settings.longestStay) : max(stay / 2, settings.leastStay)
      gain = 0
      previous = chosen
      chosen = best
      switches += 1
      readsSinceSwitch = 0
      // From now on the others are compared with this one.
      let own = candidates[best].variance
      for index in candidates.indices { candidates[index].variance += own }
    }
    reads *= settings.decay
    for index in candidates.indices {
      candidates[index].hits *= settings.decay
      candidates[index].variance *= settings.decay
    }
  }

  /// The candidate to switch to, if the lead of one is more than noise.
  private var winner: Int? {
    let chosenShare = settings.candidates[chosen].mainShare
    var best: Int?
    var most = 0.0
    for index in candidates.indices where index != chosen {
      let lead = candidates[index].hits - candidates[chosen].hits
      let loss = max(0, chosenShare - settings.candidates[index].mainShare) * Double(sampleCapacity)
      if lead - settings.toll * loss > settings.caution * candidates[index].variance.squareRoot(), lead > most {
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
