import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Chunks on their way, event by event.
struct DemotionQueueStateTests {
  /// Mutating functions cannot be called in expectations.
  private final class Queue {
    private var value: DemotionQueueState
    init(limit: Int) { value = DemotionQueueState(limit: limit) }
    var bytes: Int { value.bytes }
    var count: Int { value.count }
    var waitingCount: Int { value.waitingCount }
    var placesInOrder: Int { value.placesInOrder }
    func append(_ chunk: Chunk) -> (isTaken: Bool, replaced: Chunk?) { value.append(chunk) }
    func next() -> DemotionQueueState.Entry? { value.next() }
    func finish(_ entry: DemotionQueueState.Entry) { value.finish(entry) }
    func remove(_ entry: DemotionQueueState.Entry) -> DemotionQueueState.Removal { value.remove(entry) }
    func removeAll() -> [Chunk] { value.removeAll() }
    func find(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [DemotionQueueState.Entry] {
      value.find(range, token: token, grid: grid)
    }
  }

  private static let sources = ChunkSources()
  private static let source = FillSource(sources, blockSize: 1024)
  private static let other = FillSource(sources, id: "other", blockSize: 1024)
  private static let charge = DemotionQueueState.charge(chunk(0))

  private static func chunk(_ block: Int, _ part: Range<Int>? = nil, of source: FillSource = source) -> Chunk {
    source.chunk(block, part, at: ReadClock.Instant(nanoseconds: 0))
  }

  private func find(_ range: ByteRange, in queue: Queue, of source: FillSource = source) -> [Int] {
    queue.find(range, token: source.token.number, grid: source.token.grid).map(\.chunk.block).sorted()
  }

  @Test func `chunks are moved in the order they came, and found until that has ended`() throws {
    let queue = Queue(limit: 100_000)
    for block in [3, 1, 2] { #expect(queue.append(Self.chunk(block)).isTaken) }
    #expect(queue.waitingCount == 3)
    #expect(find(0..<10_000, in: queue) == [1, 2, 3])
    #expect(find(0..<10_000, in: queue, of: Self.other) == [])
    for block in [3, 1, 2] {
      let entry = try #require(queue.next())
      #expect(entry.chunk.block == block)
      #expect(find(Self.source.block(block), in: queue) == [block])
      queue.finish(entry)
      #expect(find(Self.source.block(block), in: queue) == [])
    }
    #expect(queue.next() == nil)
    #expect(queue.bytes == 0)
    #expect(queue.count == 0)
  }

  @Test func `what does not fit is not taken, and what is being moved counts until that has ended`() throws {
    let queue = Queue(limit: 2 * Self.charge)
    #expect(queue.append(Self.chunk(0)).isTaken)
    #expect(queue.append(Self.chunk(1)).isTaken)
    #expect(!queue.append(Self.chunk(2)).isTaken)
    let first = try #require(queue.next())
    #expect(!queue.append(Self.chunk(2)).isTaken)
    #expect(queue.remove(first) == .isMoving)
    #expect(find(0..<1024, in: queue) == [])
    #expect(!queue.append(Self.chunk(2)).isTaken, "its memory is still in use")
    queue.finish(first)
    #expect(queue.append(Self.chunk(2)).isTaken)
    #expect(queue.bytes == 2 * Self.charge)
    let nothing = Queue(limit: 0)
    #expect(!nothing.append(Self.chunk(0)).isTaken)
  }

  @Test func `a later chunk of a block takes the place of one that waits`() throws {
    let queue = Queue(limit: 100_000)
    _ = queue.append(Self.chunk(0, 0..<10))
    let replaced = queue.append(Self.chunk(0, 0..<1024)).replaced
    #expect(replaced?.byteCount == 10)
    #expect(queue.bytes == Self.charge)
    #expect(queue.waitingCount == 1)
    let entry = try #require(queue.next())
    #expect(entry.chunk.byteCount == 1024)
    #expect(queue.next() == nil)
  }

  @Test func `a chunk that comes while another of its block is moved stays when that has ended`() throws {
    let queue = Queue(limit: 100_000)
    _ = queue.append(Self.chunk(0))
    let first = try #require(queue.next())
    let outcome = queue.append(Self.chunk(0))
    #expect(outcome.isTaken && outcome.replaced == nil)
    #expect(queue.bytes == 2 * Self.charge)
    queue.finish(first)
    #expect(find(0..<1024, in: queue) == [0])
    #expect(queue.bytes == Self.charge)
    // An end that is told twice counts once.
    queue.finish(first)
    #expect(queue.bytes == Self.charge)
    #expect(queue.remove(first) == .gone)
    let second = try #require(queue.next())
    queue.finish(second)
    #expect(queue.bytes == 0)
  }

  @Test func `what is taken out is not moved`() throws {
    let queue = Queue(limit: 100_000)
    for block in 0..<3 { _ = queue.append(Self.chunk(block)) }
    let entry = try #require(
      queue.find(Self.source.block(1), token: Self.source.token.number, grid: Self.source.token.grid).first)
    #expect(queue.remove(entry) == .waited)
    #expect(queue.remove(entry) == .gone)
    #expect(queue.next()?.chunk.block == 0)
    #expect(queue.removeAll().map(\.block) == [2], "what is being moved is not among them")
    #expect(queue.next() == nil)
    #expect(queue.bytes == Self.charge)
  }

  @Test func `only chunks that hold bytes of a range are found, however large it is`() {
    let queue = Queue(limit: 100_000)
    _ = queue.append(Self.chunk(0, 0..<100))
    _ = queue.append(Self.chunk(5, 500..<600))
    #expect(find(100..<1024, in: queue) == [])
    #expect(find(99..<100, in: queue) == [0])
    #expect(find(5 * 1024 + 599..<1 << 30, in: queue) == [5])
    #expect(find(0..<1 << 30, in: queue) == [0, 5])
  }

  @Test func `chunks that come and go back up many times leave nothing behind`() throws {
    let queue = Queue(limit: 100_000)
    _ = queue.append(Self.chunk(1000))
    // One is being moved for a long time.
    let slow = try #require(queue.next())
    for block in 0..<10_000 {
      _ = queue.append(Self.chunk(block % 7))
      let entry = queue.find(
        Self.source.block(block % 7), token: Self.source.token.number, grid: Self.source.token.grid)
      #expect(queue.remove(entry[0]) == .waited)
    }
    #expect(queue.placesInOrder < 200)
    queue.finish(slow)
    #expect(queue.next() == nil)
  }

  @Test(arguments: testSeeds) func `random events agree with a list`(_ seed: UInt64) throws {
    var random = TestRandom(seed)
    let queue = Queue(limit: 12 * Self.charge)
    /// In order; and those that are being moved, found or not.
    var waiting: [(key: DemotionQueueState.Key, number: UInt64)] = []
    var moving: [(entry: DemotionQueueState.Entry, isFound: Bool)] = []
    func check(_ step: Int) {
      // What is being moved is found although another of its block waits.
      let found = waiting.count + moving.filter(\.isFound).count
      #expect(queue.count == found, "seed \(seed), step \(step)")
      #expect(queue.waitingCount == waiting.count, "seed \(seed), step \(step)")
      #expect(queue.bytes == (waiting.count + moving.count) * Self.charge, "seed \(seed), step \(step)")
    }
    for step in 0..<400 {
      let source = random.below(2) == 0 ? Self.source : Self.other
      let block = random.below(6)
      let key = DemotionQueueState.Key(token: source.token.number, block: block)
      switch random.below(8) {
      case 0..<4:
        let fits = waiting.count + moving.count < 12
        let outcome = queue.append(Self.chunk(block, of: source))
        #expect(outcome.isTaken == fits, "seed \(seed), step \(step)")
        guard fits else { break }
        #expect((outcome.replaced != nil) == waiting.contains { $0.key == key }, "seed \(seed), step \(step)")
        waiting.removeAll { $0.key == key }
        let entry = queue.find(source.block(block), token: source.token.number, grid: source.token.grid)
        waiting.append((key, try #require(entry.first).number))
      case 4, 5:
        let entry = queue.next()
        #expect(entry?.number == waiting.first?.number, "seed \(seed), step \(step)")
        if let entry {
          waiting.removeFirst()
          moving.append((entry, true))
        }
      case 6:
        guard !moving.isEmpty else { break }
        queue.finish(moving.remove(at: random.below(moving.count)).entry)
      default:
        let found = queue.find(source.block(block), token: source.token.number, grid: source.token.grid).first
        guard let found else { break }
        let isMoving = moving.contains { $0.entry.number == found.number }
        #expect(queue.remove(found) == (isMoving ? .isMoving : .waited), "seed \(seed), step \(step)")
        waiting.removeAll { $0.number == found.number }
        for index in moving.indices where moving[index].entry.number == found.number { moving[index].isFound = false }
      }
      check(step)
    }
  }
}
