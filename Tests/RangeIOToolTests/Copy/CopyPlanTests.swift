#if Tool
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct CopyPlanTests {
  private static let bytes = noise(700_001)

  private func simulation(_ requests: CopyRequests) -> CopySimulation {
    CopySimulation(Self.bytes, pieceSize: 64 << 10, requests)
  }

  private static let kinds = [
    CopyRequests(parallel: 3, least: 64 << 10, most: 192 << 10), CopyRequests(parallel: 1, least: 1, most: 1),
    CopyRequests(parallel: 8, least: 1 << 20, most: 32 << 20),
  ]

  @Test(arguments: kinds, [false, true])
  func `a copy that is killed at any step goes on to equal bytes`(requests: CopyRequests, tears: Bool) {
    for seed in UInt64(1)...3 {
      var random = SeededRandom(seed)
      var whole = simulation(requests)
      let (steps, isComplete) = whole.run(&random)
      #expect(isComplete && areEqual(whole.part, Self.bytes[...]) && whole.moved == Self.bytes.count)
      for kill in 0..<steps {
        var random = SeededRandom(seed)
        var killed = simulation(requests)
        _ = killed.run(upTo: kill, tears: tears, &random)
        let resumed = killed.run(&random)
        #expect(resumed.isComplete, "seed \(seed), killed at step \(kill)")
        #expect(areEqual(killed.part, Self.bytes[...]), "seed \(seed), killed at step \(kill)")
        // What was in pieces that were not complete, and what a torn write had of the journal.
        let most = requests.parallel * (64 << 10) + (tears ? 2 : 1) * (64 << 10) + (tears ? 100_000 : 0)
        #expect(killed.moved - Self.bytes.count <= most, "seed \(seed), killed at step \(kill)")
      }
    }
  }

  @Test func `a copy that is killed again and again ends`() {
    var random = SeededRandom(11)
    var copy = simulation(Self.kinds[0])
    var runs = 0
    while !copy.run(upTo: 3 + random.below(3), tears: random.below(2) == 0, &random).isComplete {
      runs += 1
      guard runs < 200 else { break }
    }
    #expect(runs > 3 && runs < 200)
    #expect(areEqual(copy.part, Self.bytes[...]))
  }

  @Test func `a piece whose bytes are not those of its checksum is read again`() {
    var random = SeededRandom(5)
    var copy = simulation(Self.kinds[0])
    while copy.moved < 500_000 { _ = copy.run(upTo: 40, &random) }
    for offset in stride(from: 0, to: Self.bytes.count, by: 90_000) { copy.flip(offset) }
    #expect(copy.run(&random).isComplete)
    #expect(areEqual(copy.part, Self.bytes[...]))
  }

  @Test func `pieces are handed out once, from the start, until all are`() {
    let layout = CopyLayout(byteCount: 10 << 20, pieceSize: 64 << 10)
    var finished = RangeSet<Int>()
    finished.insert(contentsOf: 3..<5)
    finished.insert(contentsOf: 159..<160)
    var plan = CopyPlan(layout, .arriving(8), finished: finished, journal: nil)
    #expect(plan.finishedBytes == 3 * (64 << 10))
    var seen = finished
    var last = -1
    while let pieces = plan.next() {
      #expect(pieces.lowerBound > last && !pieces.isEmpty)
      #expect(seen.intersection(RangeSet(pieces)).isEmpty)
      seen.insert(contentsOf: pieces)
      last = pieces.upperBound - 1
    }
    #expect(seen == RangeSet(0..<160))
    for piece in 0..<160 where !finished.contains(piece) { #expect(plan.finish(piece, sum: 0) == nil) }
    #expect(plan.isComplete && plan.note() == nil)
  }

  @Test func `eight connections copy a gibibyte with few requests, and end at about the same time`() {
    let layout = CopyLayout(byteCount: 1 << 30)
    var plan = CopyPlan(layout, .arriving(8), finished: RangeSet(), journal: nil)
    // Each connection takes a request when it is free: bytes at a byte per tick.
    var busyUntil = Array(repeating: 0, count: 8)
    var requests = 0
    while let pieces = plan.next() {
      let free = busyUntil.indices.min { busyUntil[$0] < busyUntil[$1] } ?? 0
      busyUntil[free] += layout.range(of: pieces).count
      requests += 1
    }
    #expect(requests < 56)
    #expect((busyUntil.max() ?? 0) - (busyUntil.min() ?? 0) <= 512 << 10)
  }

  @Test func `the journal is written every so many bytes, and at the end`() {
    let layout = CopyLayout(byteCount: 1 << 30)
    let identity = CopyJournal.Identity(
      source: [UInt8](repeating: 1, count: 32), version: [UInt8](repeating: 2, count: 32), layout: layout)
    var plan = CopyPlan(layout, .arriving(8), finished: RangeSet(), journal: CopyJournal.Cursor(identity))
    #expect(layout.pieceSize == 64 << 10 && plan.maxUnnoted < 1 << 30 / 1999)
    var unnoted = 0
    var end = CopyJournal.headerSize
    while let pieces = plan.next() {
      for piece in pieces {
        let write = plan.finish(piece, sum: UInt32(piece))
        unnoted += layout.pieceSize
        #expect(unnoted < plan.maxUnnoted + layout.pieceSize)
        if let write {
          #expect(write.offset == end && write.bytes.count == unnoted / layout.pieceSize * CopyJournal.recordSize)
          end += write.bytes.count
          unnoted = 0
        }
      }
    }
    end += plan.note()?.bytes.count ?? 0
    #expect(end == CopyJournal.headerSize + layout.pieceCount * CopyJournal.recordSize)
  }

  @Test func `an empty source has nothing to copy`() {
    var plan = CopyPlan(CopyLayout(byteCount: 0), .arriving(8), finished: RangeSet(), journal: nil)
    #expect(plan.isComplete && plan.next() == nil)
  }
}
#endif
