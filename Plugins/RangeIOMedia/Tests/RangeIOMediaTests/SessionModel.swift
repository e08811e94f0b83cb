import RangeIO
import RangeIOTesting

@testable import RangeIOMedia
@testable import RangeIOTestSupport

/// A session of a player: it asks, seeks and cancels while a source is read, grows, ends and fails. Beside the machine under test
/// stands what each request has got and what it may still get, from the events alone.
struct SessionModel {
  typealias Requests = LoadingRequests<Failure>

  struct Mismatch: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  let seed: UInt64
  var random: TestRandom
  let limits: LoadingLimits
  var requests: Requests
  /// The size now, and in the end as far as it is known.
  var size: Int
  var finalSize: Int?
  var open: [Int: Asked] = [:]
  var ended: Set<Int> = []
  var watch: Int?
  var oldWatches: [Int] = []
  /// Reads that were cancelled, whose results come late.
  var late: [(id: Int, range: Range<Int>)] = []
  /// The one that failed just now, and those that may.
  var mayFail: Set<Int> = []
  var tally = SessionTally()

  init(seed: UInt64) {
    self.seed = seed
    random = TestRandom(seed)
    var limits = LoadingLimits()
    limits.firstPieceBytes = 1 + random.below(64)
    limits.maxPieceBytes = limits.firstPieceBytes << random.below(5)
    limits.maxReads = 1 + random.below(4)
    self.limits = limits
    size = random.below(4) == 0 ? random.below(3) : random.below(2000)
    switch random.below(4) {
    case 0: finalSize = nil
    case 1: finalSize = size + random.below(1000)
    default: finalSize = size
    }
    requests =
      finalSize == size ? Requests(byteCount: size, limits) : Requests(byteCount: size, growingTo: finalSize, limits)
  }

  func fail(_ what: String) -> Mismatch { Mismatch("seed \(seed): \(what)") }

  /// The end of a request, as far as it is known.
  func end(of asked: Asked) -> Int { min(asked.end, finalSize ?? .max) }

  // MARK: events

  mutating func run() throws {
    for _ in 0..<(20 + random.below(120)) {
      try step()
      try checkAll()
    }
    // Everything comes to its end: what is read, what is waited for.
    while !open.isEmpty {
      if let id = open.filter({ $0.value.reading != nil }).keys.randomElement(using: &random) {
        try deliver(id)
      } else {
        try grow(isOver: true)
      }
      try checkAll()
    }
    guard watch == nil, requests.openRequests.isEmpty else { throw fail("something is left") }
    tally.sessions += 1
  }

  private mutating func step() throws {
    switch random.below(20) {
    case 0...4: try begin()
    case 5...14:
      guard let id = open.filter({ $0.value.reading != nil }).keys.sorted().randomElement(using: &random) else {
        return
      }
      random.below(40) == 0 ? try failRead(id) : try deliver(id)
    case 15, 16: try cancel()
    case 17: try deliverLate()
    case 18: try grow(isOver: random.below(6) == 0)
    default: random.below(3) == 0 ? try failWatch() : try deliverLate()
    }
  }

  private mutating func begin() throws {
    let announced = finalSize ?? size
    let span: Requests.Span
    let offset = random.below(announced + 40)
    var (start, end) = (offset, Int.max)
    switch random.below(12) {
    case 0:
      span = .nothing
      (start, end) = (0, 0)
    case 1...3: span = .from(offset)
    case 4:
      let count = random.below(announced + 40)
      span = .suffix(count)
      (start, end) = (max(0, announced - count), announced)
    case 5:
      span = .bytes(offset: offset, count: .max - random.below(2) * offset)
    case 6:
      span = .bytes(offset: 0, count: 2)
      (start, end) = (0, 2)
    default:
      let count = random.below(200)
      span = .bytes(offset: offset, count: count)
      end = offset + count
    }
    let asks = random.below(3) == 0
    let (id, effects) = requests.begin(span, asksForInformation: asks)
    guard open[id] == nil, !ended.contains(id) else { throw fail("the number \(id) is used again") }
    let last = max(start, min(end, announced))
    open[id] = Asked(
      information: asks ? .init(byteCount: announced, range: start..<last) : nil, next: start, end: end)
    tally.requests += 1
    try apply(effects)
  }

  private mutating func cancel() throws {
    // Those that have ended, too.
    let known = random.below(4) == 0 ? Array(ended) : Array(open.keys)
    guard let id = known.sorted().randomElement(using: &random) else { return }
    let asked = open.removeValue(forKey: id)
    ended.insert(id)
    tally.cancelled += asked == nil ? 0 : 1
    var effects = requests.cancel(id)
    if asked == nil, !effects.isEmpty { throw fail("an end was cancelled, and something happened: \(effects)") }
    if let range = asked?.reading {
      late.append((id, range))
      guard effects.first == .stopReading(id) else { throw fail("the read of \(id) goes on: \(effects)") }
      effects.removeFirst()
    }
    try apply(effects)
  }

  private mutating func deliver(_ id: Int) throws {
    guard let range = open[id]?.reading else { return }
    open[id]?.reading = nil
    let effects = requests.read(id, .success(SyntheticSource.bytes(range)))
    guard case .answer(id, let bytes) = effects.first, bytes.count == range.count else {
      throw fail("\(range) of \(id) was read and not answered: \(effects)")
    }
    try apply(effects)
  }

  private mutating func failRead(_ id: Int) throws {
    open[id]?.reading = nil
    mayFail = [id]
    tally.failed += 1
    try apply(requests.read(id, .failure(Failure(id))))
    guard mayFail.isEmpty else { throw fail("the read of \(id) has failed, and nobody is told") }
  }

  private mutating func deliverLate() throws {
    guard !late.isEmpty else { return }
    let (id, range) = late.remove(at: random.below(late.count))
    let isSuccess = random.below(2) == 0
    let result: Result<Bytes, Failure> = isSuccess ? .success(SyntheticSource.bytes(range)) : .failure(Failure(id))
    let effects = requests.read(id, result)
    tally.late += 1
    guard effects.isEmpty else { throw fail("after its end \(id) causes \(effects)") }
  }

  private mutating func grow(isOver: Bool) throws {
    if let old = oldWatches.randomElement(using: &random), random.below(4) == 0 {
      guard requests.grew(old, to: size + 100, isOver: true).isEmpty else { throw fail("a stopped watch is heard") }
    }
    guard let watch else { return }
    self.watch = nil
    oldWatches.append(watch)
    let room = (finalSize ?? size + 300) - size
    size += isOver && finalSize == nil ? 0 : 1 + random.below(max(1, room))
    let told = size
    size = min(size, finalSize ?? .max)
    if isOver { finalSize = size }
    tally.grown += 1
    try apply(requests.grew(watch, to: told, isOver: isOver))
  }

  private mutating func failWatch() throws {
    guard let watch else { return }
    self.watch = nil
    oldWatches.append(watch)
    mayFail = Set(
      open.filter { $0.value.next >= size && $0.value.reading == nil && $0.value.next < end(of: $0.value) }.keys)
    try apply(requests.watchFailed(watch, Failure(0)))
    guard mayFail.isEmpty else { throw fail("a watch has failed, and \(mayFail) are not told") }
  }
}
