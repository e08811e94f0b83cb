import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// One limit for several tiers.
struct MemoryBudgetTests {
  @Test func `what is taken never exceeds the limit, and what is given back can be taken again`() {
    let budget = MemoryBudget(limit: .bytes(100))
    #expect(budget.take(60))
    #expect(!budget.take(41))
    #expect(budget.take(40))
    #expect(budget.take(0))
    #expect(!budget.take(1))
    budget.give(30)
    #expect(budget.missing(30) == 0)
    #expect(budget.missing(31) == 1)
    #expect(budget.bytes == 70)
    #expect(budget.peakBytes == 100)
  }

  @Test func `a limit without end overflows nothing`() {
    let budget = MemoryBudget(limit: .bytes(.max), room: MemoryRoom { nil })
    #expect(budget.take(.max - 10))
    #expect(!budget.take(11))
    #expect(budget.missing(0) < 0)
    let nothing = MemoryBudget(limit: .bytes(0))
    #expect(!nothing.take(1))
    #expect(nothing.take(0))
    #expect(nothing.missing(5) == 5)
  }

  @Test func `after the limit was lowered nothing can be taken until enough was given back`() {
    let budget = MemoryBudget(limit: .bytes(100))
    _ = budget.take(80)
    budget.setLimit(.bytes(50))
    #expect(!budget.take(1))
    #expect(budget.missing(0) == 30)
    budget.give(40)
    #expect(budget.take(10))
    // What is charged in any case, others must make room for.
    budget.charge(20)
    #expect(budget.bytes == 70)
    budget.charge(-20)
    #expect(budget.bytes == 50)
  }

  @Test func `the lender gives up what is missing, and no more`() {
    let budget = MemoryBudget(limit: .bytes(100))
    let asked = Noted<Int>()
    budget.lends { [weak budget] bytes in
      asked.add(bytes)
      budget?.give(bytes)
    }
    _ = budget.take(90)
    #expect(budget.takeBack(10))
    #expect(budget.takeBack(25))
    #expect(asked.all == [25])
    #expect(budget.bytes == 100)
    // Only one lends.
    budget.lends { _ in Issue.record("another lender") }
    #expect(budget.takeBack(1))
  }

  @Test func `a lender that cannot give is asked a few times, and nothing is taken`() {
    let budget = MemoryBudget(limit: .bytes(100))
    let asked = Noted<Int>()
    budget.lends { asked.add($0) }
    _ = budget.take(90)
    #expect(!budget.takeBack(20))
    #expect(asked.all == [10, 10, 10, 10])
    #expect(budget.bytes == 90)
    let alone = MemoryBudget(limit: .bytes(10))
    #expect(!alone.takeBack(11))
  }

  @Test func `many threads take, take back and give, and all adds up`() async {
    let budget = MemoryBudget(limit: .bytes(10_000))
    /// What can be given up.
    final class Lent: Sendable { let bytes = Locked(9000) }
    let lent = Lent()
    _ = budget.take(9000)
    budget.lends { [weak budget] bytes in
      budget?.give(
        lent.bytes.withLock { lent in
          let some = min(bytes, lent)
          lent -= some
          return some
        })
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          var random = TestRandom(UInt64(worker))
          var held = 0
          for _ in 0..<5000 {
            let bytes = random.below(400)
            switch random.below(4) {
            case 0: if budget.take(bytes) { held += bytes }
            case 1: if budget.takeBack(bytes) { held += bytes }
            case 2:
              // Back to the lender.
              let some = min(held, bytes)
              held -= some
              lent.bytes.withLock { $0 += some }
            default:
              let some = min(held, bytes)
              held -= some
              budget.give(some)
            }
          }
          budget.give(held)
        }
      }
    }
    #expect(budget.bytes == lent.bytes.withLock { $0 })
    #expect(budget.peakBytes <= 10_000)
  }

  @Test func `a memory store gives up what others want and keeps the rest, however much comes meanwhile`() {
    let budget = MemoryBudget(limit: .kibibytes(256))
    let sources = ChunkSources()
    let store = MemoryStore(.init(limit: .kibibytes(64)), sources: sources, budget: budget)
    let source = StoredSource(store)
    /// Puts a block back for each one that is evicted, as busy readers do.
    final class Refilling: EvictionSink {
      let source: StoredSource
      let count = Locked(0)
      init(_ source: StoredSource) { self.source = source }
      func take(_ chunks: ArraySlice<Chunk>) {}
      func proceed() {
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number < 1000 { source.put(source.block(500 + number)) }
      }
    }
    let outlet = Refilling(source)
    store.sendEvictions(to: outlet)
    for block in 0..<1000 { if budget.missing(5000) <= 0 { source.put(source.block(block)) } }
    #expect(store.counts().bytes > 64 << 10, "it uses what others leave")
    store.giveUp(10_000)
    #expect(outlet.count.withLock { $0 } < 10)
    #expect(MemoryRecount(store).faults.isEmpty)
    withExtendedLifetime(outlet) {}
  }

  @Test func `a compressed store takes what it needs from memory, up to its own limit`() {
    // Nobody runs what is started: nothing moves while the accounts are compared.
    var configuration = TieredStore.Configuration(memory: .mebibytes(1), compressed: .kibibytes(512))
    configuration.background = BackgroundWork(executor: JobCount())
    let store = TieredStore(configuration)
    let tiers = store.memory!
    let source = FillSource(store.sources)
    func fill() {
      for block in 0..<2000 {
        let range = source.block(block)
        guard let room = store.reserve(range, ofRun: range.count, for: source.token) else { continue }
        _ = store.insert(
          source.expected(range), at: range, ticket: source.token.ticket(fetchedAt: store.now), reservation: room)
      }
    }
    fill()
    let queue = store.mover.counts().limit
    #expect(tiers.memory.ledger.bytes > 1 << 20, "all that the compressed tier leaves")
    #expect(store.budget?.bytes == tiers.memory.ledger.bytes + tiers.compressed!.ledger.bytes + queue)
    for block in 5000..<9000 { source.put(block, in: tiers.compressed!) }
    #expect(tiers.compressed!.ledger.bytes > 400 << 10)
    #expect(tiers.compressed!.ledger.bytes <= 512 << 10)
    // It keeps the room of a segment free, which memory may use.
    #expect(tiers.memory.ledger.bytes + queue <= (1 << 20) + (64 << 10))
    #expect(tiers.memory.ledger.bytes + queue > 900 << 10, "and what belongs to memory stays there")
    fill()
    #expect(store.counts().peakBytes <= store.counts().limit)
  }
}
