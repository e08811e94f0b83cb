import RangeIO

@testable import RangeIORemote

/// An opening whose bytes come as they like, with reads that join, ask, are cancelled and fail, in an order that a seed makes.
struct OpeningSimulation {
  struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// As `RemoteObject` reads.
  private struct Read {
    let range: Range<Int>
    var bytes: [UInt8] = []
    /// The number in the window.
    var joined: Int?
    /// The request that is under way.
    var asked: Range<Int>?
    var next: Int { range.lowerBound + bytes.count }
  }

  private static let size = 400
  private var random: SeededNumbers
  private var window = OpeningWindow<Int>()
  private let opening: Range<Int>
  private var come = 0
  private var hasEnded = false
  private var reads: [Int: Read] = [:]
  private(set) var events: Set<String> = []

  init(seed: UInt64) {
    random = SeededNumbers(seed)
    let start = random.happens(500) ? 0 : random.below(Self.size - 1)
    opening = start..<start + 1 + random.below(Self.size - start)
    window.begin(opening, stays: random.happens(100))
  }

  mutating func run() throws {
    for number in 0..<200 {
      switch random.below(100) {
      case 0..<30: try arrive()
      case 30: try end()
      case 31 where random.happens(200): try drop()
      case 33..<60: try begin(number)
      case 60..<68: cancel()
      default: try answer()
      }
    }
    if !hasEnded { try end() }
    while reads.values.contains(where: { $0.asked != nil }) { try answer() }
    guard reads.isEmpty else { throw Wrong("reads are forgotten: \(reads)") }
  }

  // MARK: the body

  private mutating func arrive() throws {
    guard !hasEnded, come < opening.count else { return }
    let count = 1 + random.below(min(opening.count - come, random.one(of: [1, 10, 200])))
    let first = opening.lowerBound + come
    come += count
    try resume(window.push(numbered(first..<first + count)))
  }

  private mutating func end() throws {
    hasEnded = true
    let isBelieved = !random.happens(100)
    events.insert(!isBelieved ? "not believed" : come == opening.count ? "complete" : "broken")
    try resume(window.finish(isBelieved: isBelieved))
  }

  private mutating func drop() throws {
    hasEnded = true
    events.insert("dropped")
    try resume(window.finish(isBelieved: false))
  }

  private mutating func resume(_ waiters: [Int]) throws {
    for waiter in waiters.sorted() { try look(waiter) }
  }

  // MARK: reads

  private mutating func begin(_ number: Int) throws {
    let start = random.below(Self.size)
    reads[number] = Read(range: start..<start + 1 + random.below(Self.size - start))
    try join(number)
  }

  private mutating func join(_ number: Int) throws {
    guard let read = reads[number] else { return }
    guard let joined = window.begin(read.next..<read.range.upperBound) else { return try ask(number) }
    events.insert("joined")
    reads[number]?.joined = joined
    try look(number)
  }

  private mutating func look(_ number: Int) throws {
    guard let joined = reads[number]?.joined else { throw Wrong("a read that does not wait is resumed") }
    guard let bytes = window.next(joined, number).bytes else {
      events.insert("waited")
      return
    }
    window.end(joined, taken: bytes.count)
    reads[number]?.joined = nil
    reads[number]?.bytes += Array(bytes)
    try ask(number)
  }

  private mutating func ask(_ number: Int) throws {
    guard let read = reads[number] else { return }
    let rest = read.next..<read.range.upperBound
    guard !rest.isEmpty else { return try end(number) }
    let asked = rest.lowerBound..<(window.start(within: rest) ?? rest.upperBound)
    events.insert(asked == rest ? "asked" : "asked for what comes before")
    let isAround = asked.lowerBound < window.range.lowerBound && asked.upperBound > window.range.upperBound
    guard window.isOver || isAround || !asked.overlaps(window.range) else {
      throw Wrong("\(asked) is asked for, and \(window.range) comes")
    }
    reads[number]?.asked = asked
  }

  /// The first of some reads whose request is under way gets its bytes.
  private mutating func answer() throws {
    let asking = reads.keys.filter { reads[$0]?.asked != nil }.sorted()
    guard !asking.isEmpty else { return }
    let number = random.one(of: asking)
    guard let read = reads[number], let asked = read.asked else { return }
    reads[number]?.asked = nil
    reads[number]?.bytes += Array(numbered(asked))
    if asked.upperBound < read.range.upperBound { try join(number) } else { try end(number) }
  }

  private mutating func end(_ number: Int) throws {
    guard let read = reads.removeValue(forKey: number) else { return }
    guard Bytes(read.bytes) == numbered(read.range) else { throw Wrong("wrong bytes of \(read.range)") }
    events.insert("read")
  }

  private mutating func cancel() {
    guard !reads.isEmpty else { return }
    let number = random.one(of: reads.keys.sorted())
    events.insert("cancelled")
    if let joined = reads[number]?.joined { window.end(joined, taken: 0) }
    reads[number] = nil
  }
}
