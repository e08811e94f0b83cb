/// New chunks pass through a small queue. Only chunks that were read there, or that come back, enter the main queue.
///
/// Chunks that are read once leave soon, so that scans do not empty the cache, and reading costs one byte. With the
/// parameters of the paper (``init(capacity:)``):
///
/// - The *small* queue aims at a tenth of the capacity. A chunk that was read twice there moves to main; any other
///   chunk is evicted, and the ghost remembers its fingerprint.
/// - The *main* queue has the rest. A chunk that was read goes round again, at most three times without another read.
/// - The *ghost* remembers nine tenths as many chunks as there are. A chunk that comes back while remembered enters
///   main.
///
/// Until the first eviction, what does not fit into the small queue enters main, as in the authors' later simulator:
/// there is room, and a longer small queue would waste it.
///
/// The other parameters are for loads that these do not suit; see ``QueueParameters``. A tuned policy
/// (`tuned(capacity:_:)`) takes them from a ``PolicyTuner``. New parameters move nothing: they apply to what reaches the
/// end of a queue from then on.
///
/// Needs a byte a slot beside the 16 in the notes of its table, or 17 without a table, and about 7 for the ghost, which is made at the first eviction; a tuned policy also 8 for its
/// ``FrequencySketch``. ``hit(_:)`` reads one byte and writes it at most three times. ``evict()`` looks at 64 chunks at
/// most: if all of them should stay, it evicts the last one. The other calls take constant time. Weights above 4 GiB
/// count as 4 GiB. Measured with 100,000 chunks, read in random order through `any EvictionPolicy`: 9 ns a hit, 100 ns
/// an eviction with its insertion, mostly the ghost's.
///
/// Source: J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi, "FIFO queues are all you need for cache eviction",
/// SOSP '23.
package struct S3FIFO: EvictionPolicy {
  /// The limit for the sum of all weights, in bytes. When you raise it, main takes the new room.
  package var capacity: Int {
    didSet {
      if capacity > oldValue { isFilling = true }
      setTargets()
    }
  }

  static let maxLooks = 64
  var looks = 0

  /// The other facts that decide about a chunk, besides its uses. Those of a store are in the notes of its table, as are the
  /// queues, others in ``details``.
  struct Details {
    var weight: UInt32 = 0
    var fingerprint: UInt32 = 0
  }
  /// A byte for each slot: two bits count uses up to three; one bit says which queue, one whether the chunk is past the
  /// window of the small queue. The upper three are the level at which reads are sampled, see ``ReadSample``.
  enum Mark {
    static let uses: UInt8 = 3
    static let isInMain: UInt8 = 4
    static let isPastWindow: UInt8 = 8
    static let level: UInt8 = 0b1110_0000
  }
  static let small = 0
  static let main = 1

  var queues = SlotQueues(2)
  var marks: [UInt8] = []
  var details: [Details] = []
  private(set) var smallWeight = 0
  private(set) var mainWeight = 0
  private(set) var count = 0
  /// The newest half of the small queue: its weight and its oldest slot.
  var windowWeight = 0
  var windowEnd: Int?
  var ghost = Ghost()
  var sketch = FrequencySketch()
  /// `true` until something is evicted after room became available.
  var isFilling = true
  /// The weight that was here when something had to go.
  var heldWhenFull = 0
  var parameters: QueueParameters { didSet { setTargets() } }
  private(set) var smallTarget = 0
  /// The chunks of each level at which reads are sampled.
  private var countByLevel = SIMD8<UInt32>()
  /// The reads that found nothing since the tuner was consulted: their number and weight.
  private var missed = (count: 0, weight: 0)
  /// The reads to tell the tuner of.
  var sample: ReadSample

  /// A policy with the parameters of the paper.
  init(capacity: Int) { self.init(capacity: capacity, .s3fifo) }

  /// A policy with other parameters, which do not change.
  init(capacity: Int, _ parameters: QueueParameters, sample: ReadSample = .none) {
    self.capacity = capacity
    self.parameters = parameters
    self.sample = sample
    setTargets()
  }

  private mutating func setTargets() { smallTarget = smallShare(of: capacity) }

  private func smallShare(of room: Int) -> Int {
    room / 1000 * parameters.smallShare + room % 1000 * parameters.smallShare / 1000
  }

  /// Of what is here when something must go, since the store may have less room than its capacity: reads under way reserve some,
  /// and pinned chunks are not here.
  ///
  /// The small queue has room for one chunk at least, of average weight: without, main would give one unasked for each
  /// that it gets.
  var mainTarget: Int {
    let room = min(capacity, held)
    let isTiny = count < 64 && count > 0 && parameters.promotion != .always
    return room - (isTiny ? max(smallShare(of: room), held / count) : smallShare(of: room))
  }
  var held: Int { smallWeight + mainWeight }
  /// `true` while the sketch counts frequencies.
  var hasSketch: Bool { sample.isOn || parameters.countsFrequency }

  /// Inserts the chunk into the main queue if the ghost remembers it, else into the small one. Until the first
  /// eviction, main also takes what does not fit into the small queue.
  package mutating func insert(_ slot: Int, key: UInt64, weight: Int) { insert(slot, key: key, weight: weight, .none) }

  /// - Parameters:
  ///   - isRead: `false` for a chunk that the store had all the time, which was pinned.
  ///   - notes: those of the table whose chunks these are, the same with each call.
  mutating func insert(_ slot: Int, key: UInt64, weight: Int, isRead: Bool = true, _ notes: SlotNotes) {
    let details = Details(weight: UInt32(clamping: weight), fingerprint: Ghost.fingerprint(of: key))
    let isRemembered = ghost.remove(details.fingerprint) && parameters.asksGhost
    if hasSketch { sketch.add(details.fingerprint) }
    let entersMain = isRemembered || parameters.promotion == .always || isFilling && smallWeight >= smallTarget
    queues.append(slot, to: entersMain ? Self.main : Self.small, notes)
    marks.extend(toHold: slot, filler: 0)
    marks[slot] = (entersMain ? Mark.isInMain : 0) | sample.level(of: details.fingerprint)
    set(slot, details, notes)
    charge(slot, Int(details.weight))
    count += 1
    countByLevel[level(slot)] &+= 1
    if !entersMain { moveWindow(past: slot, notes) }
    guard isRead else { return }
    missed.count += 1
    missed.weight += Int(details.weight)
    if marks[slot] >= sample.floor { sample.note(details.fingerprint, .miss) }
  }

  private func level(_ slot: Int) -> Int { Int(marks[slot] & Mark.level) >> Mark.level.trailingZeroBitCount }

  /// The facts of a chunk.
  func facts(_ slot: Int, _ notes: SlotNotes) -> Details {
    guard let facts = notes.facts(slot) else { return details[slot] }
    return Details(weight: facts.pointee.weight, fingerprint: facts.pointee.fingerprint)
  }

  private mutating func set(_ slot: Int, _ new: Details, _ notes: SlotNotes) {
    if let facts = notes.facts(slot) {
      (facts.pointee.weight, facts.pointee.fingerprint) = (new.weight, new.fingerprint)
    } else {
      details.extend(toHold: slot, filler: Details())
      details[slot] = new
    }
  }

  package mutating func hit(_ slot: Int) { hit(slot, .none) }

  @inline(__always) mutating func hit(_ slot: Int, _ notes: SlotNotes) {
    let mark = marks[slot]
    if mark & Mark.uses != Mark.uses { marks[slot] = mark &+ 1 }
    if mark >= sample.floor { note(slot, notes) }
  }

  /// Not inlined: seldom called, and every hit would save registers for it.
  @inline(never) private mutating func note(_ slot: Int, _ notes: SlotNotes) {
    sample.note(facts(slot, notes).fingerprint, .hit)
  }

  package mutating func reweigh(_ slot: Int, weight: Int) { reweigh(slot, weight: weight, .none) }

  mutating func reweigh(_ slot: Int, weight: Int, _ notes: SlotNotes) {
    let weight = UInt32(clamping: weight)
    charge(slot, Int(weight) - Int(facts(slot, notes).weight))
    if let facts = notes.facts(slot) { facts.pointee.weight = weight } else { details[slot].weight = weight }
  }

  package mutating func remove(_ slot: Int) { lose(slot, .none) }

  /// Removes a chunk that the store no longer has, for a reason other than making room.
  mutating func lose(_ slot: Int, _ notes: SlotNotes) {
    if marks[slot] >= sample.floor { sample.note(facts(slot, notes).fingerprint, .removal) }
    remove(slot, notes)
  }

  mutating func remove(_ slot: Int, _ notes: SlotNotes) {
    if windowEnd == slot { windowEnd = queues.next(after: slot, notes) }
    queues.remove(slot, notes)
    charge(slot, -Int(facts(slot, notes).weight))
    count -= 1
    countByLevel[level(slot)] &-= 1
    if count == 0 { isFilling = true }
  }

  mutating func moveToMain(_ slot: Int, uses: UInt8, _ notes: SlotNotes) {
    let weight = Int(facts(slot, notes).weight)
    charge(slot, -weight)
    if windowEnd == slot { windowEnd = queues.next(after: slot, notes) }
    marks[slot] = marks[slot] & Mark.level | Mark.isInMain | uses
    charge(slot, weight)
    queues.remove(slot, notes)
    queues.append(slot, to: Self.main, notes)
  }

  /// Adds `weight` to the queue that the chunk's mark names.
  private mutating func charge(_ slot: Int, _ weight: Int) {
    if marks[slot] & Mark.isInMain != 0 {
      mainWeight += weight
    } else {
      smallWeight += weight
      if marks[slot] & Mark.isPastWindow == 0 { windowWeight += weight }
    }
  }

  /// A chunk has entered the small queue: others leave its newer half, two at most. Those that do begin to count reads
  /// anew, if the parameters want it.
  private mutating func moveWindow(past slot: Int, _ notes: SlotNotes) {
    if windowEnd == nil { windowEnd = slot }
    for _ in 0..<2 {
      guard windowWeight > smallTarget / 2, let slot = windowEnd else { return }
      windowWeight -= Int(facts(slot, notes).weight)
      marks[slot] |= Mark.isPastWindow
      if parameters.hasWindow {
        marks[slot] &= ~Mark.uses
        _ = notes.takeReads(slot)
      }
      windowEnd = queues.next(after: slot, notes)
    }
  }
}

extension S3FIFO {
  /// The most reads to give the tuner at once: this happens under two locks.
  private static let maxReadsTold = 64

  /// A policy that takes its parameters from a tuner.
  ///
  /// - Parameter settings: those of the tuner.
  static func tuned(capacity: Int, _ settings: PolicyTuner.Settings) -> S3FIFO {
    S3FIFO(capacity: capacity, settings.candidates[0], sample: .all(seed: settings.seed))
  }

  /// Gives the tuner the sampled reads, and takes its parameters. Called now and then, after an insertion.
  mutating func consult(_ tuner: inout PolicyTuner) {
    guard sample.isOn, count > 0 else { return }
    let sampled = (tuner.level..<SIMD8<UInt32>.scalarCount).reduce(0) { $0 + Int(countByLevel[$1]) }
    tuner.note(
      chunkWeight: missed.count > 0 ? Double(missed.weight) / Double(missed.count) : Double(held) / Double(count),
      room: isFilling ? 1 : Double(heldWhenFull) / Double(max(1, capacity)), sampled: Double(sampled) / Double(count))
    missed = (0, 0)
    for _ in 0..<Self.maxReadsTold {
      guard let (fingerprint, event) = sample.next() else { break }
      if event == .removal { tuner.remove(fingerprint) } else { tuner.read(fingerprint, wasHit: event == .hit) }
    }
    sample.set(level: tuner.level)
    if parameters != tuner.parameters { parameters = tuner.parameters }
  }

  /// The memory of the policy, in bytes.
  package var byteCount: Int {
    queues.byteCount + marks.capacity + details.capacity * MemoryLayout<Details>.stride + rememberedByteCount
  }

  /// The part of ``byteCount`` that remembers chunks which are not stored: the ghost and the sketch.
  var rememberedByteCount: Int { ghost.byteCount + sketch.byteCount }
}
