import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Flights for what a store holds, but not at hand.
struct DeferredFlightsTests {
  typealias Table = Flights<Int>

  private func request(
    _ table: inout Table, deferred: [(wanted: ByteRange, whole: ByteRange)], waiter: Int = 1, generation: UInt64 = 1,
    after earlier: FlightPlan? = nil
  ) -> FlightPlan {
    table.requestApart(
      deferred.map(\.wanted), generation: generation, purpose: .demand, waiter: waiter, after: earlier
    ) { gap in
      deferred.first { $0.wanted.lowerBound <= gap.lowerBound && gap.upperBound <= $0.wanted.upperBound }!.whole
    }
  }

  // MARK: the value

  @Test func `pieces that touch fly apart, each as a whole, however large`() {
    var table = Table(longest: 16)
    let plan = request(&table, deferred: [(10..<64, 0..<64), (64..<128, 64..<128), (128..<130, 128..<4096)])
    #expect(plan.starts.map(\.range) == [0..<64, 64..<128, 128..<4096])
    #expect(plan.parts.map(\.range) == [10..<64, 64..<128, 128..<130])
    #expect(Set(plan.parts.map(\.flight)).count == 3)
  }

  @Test func `what another piece brings already is not brought again`() {
    var table = Table(longest: 512)
    // Two pieces overlap; the first is wanted in two places.
    let plan = request(&table, deferred: [(0..<50, 0..<80), (70..<80, 0..<80), (80..<100, 40..<100)])
    #expect(plan.starts.map(\.range) == [0..<80, 80..<100])
    #expect(plan.parts.map(\.range) == [0..<50, 70..<80, 80..<100])
    #expect(plan.parts.map(\.flight) == [0, 0, 1].map { plan.starts[$0].flight })
  }

  @Test func `a piece that is on its way is joined, and one beside a flight is cut where they meet`() {
    var table = Table(longest: 512)
    let first = request(&table, deferred: [(0..<10, 0..<64)])
    let second = request(&table, deferred: [(20..<30, 0..<64), (64..<70, 60..<128)], waiter: 2)
    #expect(second.starts.map(\.range) == [64..<128])
    #expect(second.joinedCount == 1)
    #expect(Array(table.completed(first.starts[0].flight)) == [1, 2])
    // The source brings a part.
    let source = table.request([200..<220], generation: 1, purpose: .demand, waiter: 3) { $0 }
    let third = request(&table, deferred: [(190..<230, 190..<230)], waiter: 4)
    #expect(third.starts.map(\.range) == [190..<200, 220..<230])
    #expect(third.parts.map(\.range) == [190..<200, 200..<220, 220..<230])
    #expect(third.parts[1].flight == source.starts[0].flight)
  }

  @Test func `a newer generation joins neither what is held nor what is fetched`() {
    var table = Table(longest: 512)
    let before = request(&table, deferred: [(0..<10, 0..<64)])
    let after = request(&table, deferred: [(0..<10, 0..<64)], waiter: 2, generation: 2)
    #expect(after.starts.map(\.range) == [0..<64])
    let late = request(&table, deferred: [(0..<10, 0..<64)], waiter: 3, generation: 1)
    #expect(late.starts.map(\.range) == [0..<64])
    #expect(table.count == 3)
    #expect(table.joinable.count == 1)
    #expect(Array(table.completed(before.starts[0].flight)) == [1])
    #expect(Array(table.completed(late.starts[0].flight)) == [3])
  }

  @Test func `a request of two plans is interested once in a flight of both`() {
    var table = Table(longest: 512)
    let gaps = table.request([32..<64], generation: 1, purpose: .demand, waiter: 1) { _ in 0..<64 }
    let deferred = request(&table, deferred: [(0..<32, 0..<32), (64..<96, 64..<96)], after: gaps)
    #expect(deferred.waiter == gaps.waiter)
    #expect(deferred.parts.map(\.flight) == [gaps.starts[0].flight, deferred.starts[0].flight])
    #expect(Array(table.leave(deferred.parts.map(\.flight), deferred.waiter)) == deferred.parts.map(\.flight))
    #expect(Array(table.leave(gaps.parts.map(\.flight), gaps.waiter)) == [])
    #expect(Array(table.completed(gaps.starts[0].flight)) == [])
  }

  // MARK: the table

  private func next() -> ReadNext {
    SourceLink(SyntheticSource(byteCount: 1000), background: BackgroundWork()).next(.continuous, calledBy: nil)
  }

  private static func complete(_ table: TestFlights, _ start: FlightPlan.Start) {
    table.complete(start.flight, start.range, .success(SyntheticSource.bytes(start.range)))
  }

  private static func wants(
    _ gaps: [ByteRange], _ deferred: [(wanted: ByteRange, whole: ByteRange)]
  ) -> FlightWants {
    FlightWants(gaps: gaps, deferred: deferred.map { .init(wanted: $0.wanted, whole: $0.whole) })
  }

  /// A source's flight that is widened over what is held: both plans want parts of it. Whatever completes first.
  @Test(arguments: [[0, 1], [1, 0]]) func `one wait gathers what is held and what is fetched`(_ order: [Int])
    async throws
  {
    let table = TestFlights()
    let wait = FetchWait()
    let planned = table.plan(
      Self.wants([32..<64], [(0..<32, 0..<32), (64..<100, 64..<128)]),
      since: .init(completionCount: 0, generation: 1), purpose: .demand, wait, widen: { _ in 0..<64 },
      lookAgain: { ((), []) })
    let starts = [planned.plan!.starts[0], planned.below!.plan.starts[0]]
    #expect(starts.map(\.range) == [0..<64, 64..<128])
    #expect(planned.below!.plan.starts.count == 1)
    Self.complete(table, starts[order[0]])
    #expect(!wait.isDone)
    Self.complete(table, starts[order[1]])
    #expect(wait.isDone)
    let pieces = try wait.pieces()
    #expect(pieces.map(\.range) == [0..<32, 32..<64, 64..<100])
    #expect(pieces.allSatisfy { $0.bytes == SyntheticSource.bytes($0.range) })
    #expect(table.count == 0)
  }

  /// A request of an older generation joins nothing, not even across its own two plans, so its flights overlap.
  @Test func `one wait gathers overlapping flights of a latecomer`() throws {
    let table = TestFlights()
    _ = table.plan(
      [500..<510], since: .init(completionCount: 0, generation: 9), purpose: .demand, nil, widen: { $0 },
      lookAgain: { ((), []) })
    let wait = FetchWait()
    let planned = table.plan(
      Self.wants([32..<64], [(10..<32, 10..<32)]), since: .init(completionCount: 0, generation: 1),
      purpose: .demand, wait, widen: { _ in 0..<64 }, lookAgain: { ((), []) })
    for start in Array(planned.plan!.starts) + Array(planned.below!.plan.starts) { Self.complete(table, start) }
    let pieces = try wait.pieces()
    #expect(pieces.map(\.range) == [10..<32, 32..<64])
    #expect(pieces.allSatisfy { $0.bytes == SyntheticSource.bytes($0.range) })
  }

  @Test(arguments: testSeeds) func `random requests of both kinds from many threads are answered right`(_ seed: UInt64)
    async
  {
    let table = TestFlights()
    let next = next()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          var random = TestRandom(seed &* 100 &+ UInt64(worker))
          for _ in 0..<30 {
            // Blocks of 32 bytes, some held, some missing.
            var (gaps, deferred): ([ByteRange], [(wanted: ByteRange, whole: ByteRange)]) = ([], [])
            let first = random.below(20)
            for block in first..<first + 1 + random.below(6) {
              let lower = block * 32 + random.below(16)
              let upper = lower + 1 + random.below(block * 32 + 32 - lower)
              switch random.below(3) {
              case 0: gaps.append(lower..<upper)
              case 1: deferred.append((lower..<upper, block * 32..<block * 32 + 32))
              default:
                let middle = (lower + upper) / 2
                guard lower < middle, middle < upper else { break }
                deferred.append((lower..<middle, block * 32..<middle))
                gaps.append(middle..<upper)
              }
            }
            let wants = Self.wants(gaps, deferred)
            guard !wants.isEmpty else { continue }
            let wait = FetchWait()
            let grid = BlockGrid(blockSize: 32)!
            let isBlocks = random.below(2) == 0
            let planned = table.plan(
              wants,
              since: .init(completionCount: table.completionCount, generation: UInt64(1 + random.below(3))),
              purpose: .demand, wait,
              widen: { isBlocks ? grid.outward($0, in: 1000) : $0 }, lookAgain: { ((), wants) })
            let starts = Array(planned.plan?.starts ?? []) + Array(planned.below?.plan.starts ?? [])
            for start in starts.shuffled(using: &random) {
              if random.below(2) == 0 { await Task.yield() }
              Self.complete(table, start)
            }
            do {
              if !wait.isDone { try await wait.finish(nil, nil, next) { _, _ in } }
            } catch {
              Issue.record(error, "seed \(seed)")
              return
            }
            let pieces = (try? wait.pieces()) ?? []
            let ranges = (gaps + deferred.map(\.wanted)).sorted { $0.lowerBound < $1.lowerBound }
            #expect(ByteRanges.normalize(pieces.map(\.range)) == ByteRanges.normalize(ranges), "seed \(seed)")
            #expect(pieces.allSatisfy { $0.bytes == SyntheticSource.bytes($0.range) }, "seed \(seed)")
          }
        }
      }
    }
    #expect(table.count == 0)
  }
}
