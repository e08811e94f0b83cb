@testable import RangeIO
@testable import RangeIOTestSupport

/// ``LRU`` by its definition: an array, the chunk read last at its end.
struct NaiveLRU: EvictionPolicy {
  var capacity: Int
  private var slots: [Int] = []

  init(capacity: Int) { self.capacity = capacity }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int) { slots.append(slot) }
  mutating func hit(_ slot: Int) {
    remove(slot)
    slots.append(slot)
  }
  mutating func reweigh(_ slot: Int, weight: Int) {}
  mutating func remove(_ slot: Int) { slots.removeAll { $0 == slot } }
  mutating func evict() -> Int? { slots.isEmpty ? nil : slots.removeFirst() }
}

/// ``SIEVE`` by the pseudocode of the paper: an array with the newest first, as there, and a hand that is an index.
struct NaiveSIEVE: EvictionPolicy {
  var capacity: Int
  private var chunks: [(slot: Int, isVisited: Bool)] = []
  private var hand = -1

  init(capacity: Int) { self.capacity = capacity }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    chunks.insert((slot, false), at: 0)
    if hand >= 0 { hand += 1 }
  }
  mutating func hit(_ slot: Int) { chunks[index(slot)].isVisited = true }
  mutating func reweigh(_ slot: Int, weight: Int) {}
  mutating func remove(_ slot: Int) {
    let index = index(slot)
    chunks.remove(at: index)
    // At the hand itself, the next towards the head takes over; all behind that moves up by one.
    if hand >= index { hand -= 1 }
  }
  mutating func evict() -> Int? {
    if chunks.isEmpty { return nil }
    if hand < 0 { hand = chunks.count - 1 }
    while chunks[hand].isVisited {
      chunks[hand].isVisited = false
      hand = hand > 0 ? hand - 1 : chunks.count - 1
    }
    defer { hand -= 1 }
    return chunks.remove(at: hand).slot
  }

  private func index(_ slot: Int) -> Int { chunks.firstIndex { $0.slot == slot }! }
}

/// ``S3FIFO`` with arrays, and a ghost that remembers whole keys in their exact order.
struct NaiveS3FIFO: EvictionPolicy {
  private struct Chunk {
    var slot: Int
    var key: UInt64
    var weight: Int
    var uses = 0
  }

  var capacity: Int { didSet { if capacity > oldValue { isFilling = true } } }
  /// The oldest first, as in the other arrays.
  private var small: [Chunk] = []
  private var main: [Chunk] = []
  private var ghost: [(key: UInt64, number: Int)] = []
  private var ghostInsertions = 0
  private var isFilling = true

  init(capacity: Int) { self.capacity = capacity }

  private var smallTarget: Int { capacity / 10 }
  private var mainTarget: Int {
    let held = weight(small) + weight(main)
    let room = min(capacity, held)
    return room - max(room / 10, held / (small.count + main.count))
  }
  private func weight(_ chunks: [Chunk]) -> Int { chunks.reduce(0) { $0 + $1.weight } }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    let chunk = Chunk(slot: slot, key: key, weight: weight)
    if let index = ghost.firstIndex(where: { $0.key == key }) {
      ghost.remove(at: index)
      main.append(chunk)
    } else if isFilling, self.weight(small) >= smallTarget {
      main.append(chunk)
    } else {
      small.append(chunk)
    }
  }

  mutating func hit(_ slot: Int) { update(slot) { $0.uses = min($0.uses + 1, 3) } }
  mutating func reweigh(_ slot: Int, weight: Int) { update(slot) { $0.weight = weight } }
  private mutating func update(_ slot: Int, _ body: (inout Chunk) -> Void) {
    if let index = small.firstIndex(where: { $0.slot == slot }) {
      body(&small[index])
    } else {
      body(&main[main.firstIndex { $0.slot == slot }!])
    }
  }

  mutating func remove(_ slot: Int) {
    small.removeAll { $0.slot == slot }
    main.removeAll { $0.slot == slot }
    if small.isEmpty, main.isEmpty { isFilling = true }
  }

  mutating func evict() -> Int? {
    isFilling = false
    let count = small.count + main.count
    if count == 0 { return nil }
    if count == 1 { isFilling = true }
    var looks = 0
    if main.isEmpty || weight(main) <= mainTarget {
      while !small.isEmpty {
        looks += 1
        var chunk = small.removeFirst()
        if chunk.uses < 2 || looks == 64 {
          remember(chunk.key, limit: max(1, count * 9 / 10))
          return chunk.slot
        }
        chunk.uses = 0
        main.append(chunk)
      }
    }
    while true {
      looks += 1
      if main.isEmpty {
        let chunk = small.removeFirst()
        remember(chunk.key, limit: 1)
        return chunk.slot
      }
      var chunk = main.removeFirst()
      if chunk.uses == 0 || looks == 64 { return chunk.slot }
      chunk.uses -= 1
      main.append(chunk)
    }
  }

  private mutating func remember(_ key: UInt64, limit: Int) {
    ghostInsertions += 1
    ghost.append((key, ghostInsertions))
    ghost.removeFirst(max(0, ghost.count - limit))
    // However few came since and stayed away.
    ghost.removeAll { $0.number < ghostInsertions - 192 }
  }
}

/// Two policies that live the same life: what the first gives, the second must give too.
struct Paired: EvictionPolicy {
  var subject: any EvictionPolicy
  var model: any EvictionPolicy
  /// What happened at the first difference.
  private(set) var difference: String?
  private(set) var evictions = 0

  init(_ subject: some EvictionPolicy, _ model: some EvictionPolicy) {
    self.subject = subject
    self.model = model
  }

  var capacity: Int {
    get { subject.capacity }
    set {
      subject.capacity = newValue
      model.capacity = newValue
    }
  }
  mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    subject.insert(slot, key: key, weight: weight)
    model.insert(slot, key: key, weight: weight)
  }
  mutating func hit(_ slot: Int) {
    subject.hit(slot)
    model.hit(slot)
  }
  mutating func reweigh(_ slot: Int, weight: Int) {
    subject.reweigh(slot, weight: weight)
    model.reweigh(slot, weight: weight)
  }
  mutating func remove(_ slot: Int) {
    subject.remove(slot)
    model.remove(slot)
  }
  mutating func evict() -> Int? {
    let (victim, wanted) = (subject.evict(), model.evict())
    evictions += 1
    if victim != wanted, difference == nil {
      difference = "eviction \(evictions) gives \(String(describing: victim)), not \(String(describing: wanted))"
    }
    return victim
  }
}
