import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What is asked for ahead of which reads, event by event.
struct ReadAheadRunsTests {
  private let bounds = ReadAheadRuns.Bounds(byteCount: 1 << 30, grid: BlockGrid(blockSize: 4096)!, longest: 1 << 20)

  /// Reads `ranges` one after the other.
  ///
  /// - Returns: what is asked for at each.
  private func ask(_ runs: inout ReadAheadRuns, _ ranges: [ByteRange]) -> [[ByteRange]] {
    ranges.map { runs.notice($0, bounds).ask }
  }

  private func steps(_ count: Int, of size: Int, from start: Int = 0, by step: Int? = nil) -> [ByteRange] {
    (0..<count).map { start + $0 * (step ?? size)..<start + $0 * (step ?? size) + size }
  }

  @Test func `nothing is asked for before the third read of a run`() {
    var runs = ReadAheadRuns()
    let asked = ask(&runs, steps(3, of: 4096))
    #expect(asked[0].isEmpty && asked[1].isEmpty)
    #expect(asked[2].first?.lowerBound == 3 * 4096)
    #expect(runs.runs.map(\.rule) == [.forwards])
  }

  @Test func `a reader that says where it stops is followed from its first read, and no further`() {
    var runs = ReadAheadRuns()
    let end = 300_001
    let first = runs.notice(1000..<66_536, bounds, until: end).ask
    #expect(first.first?.lowerBound == 66_536 && first.last?.upperBound == end)
    for (one, next) in zip(first, first.dropFirst()) { #expect(one.upperBound == next.lowerBound) }
    // All of it is under way.
    #expect(runs.notice(66_536..<131_072, bounds, until: end).ask.isEmpty)
    #expect(runs.notice(131_072..<end, bounds, until: end).ask.isEmpty)
    // Another reader of the same bytes asks for nothing twice, and one that goes on for the rest.
    #expect(runs.notice(1000..<66_536, bounds, until: end).ask.isEmpty)
    #expect(runs.notice(end..<end + 4096, bounds, until: end + 8192).ask.map(\.upperBound) == [end + 8192])
  }

  @Test func `a reader that has more to read than may be prefetched begins as any other`() {
    var runs = ReadAheadRuns()
    let end = 100 << 20
    let first = runs.notice(0..<65_536, bounds, until: end).ask
    #expect(first.last?.upperBound == 3 * 65_536)
    var position = 65_536
    var furthest = 0
    while position < end {
      let range = position..<position + 65_536
      furthest = max(furthest, runs.notice(range, bounds, until: end).ask.last?.upperBound ?? 0)
      position = range.upperBound
    }
    #expect(furthest == end)
  }

  @Test
  func
    `of a source that measures, a reader that says where it stops begins with a quarter, and keeps eight pieces under way`()
  {
    var bounds = ReadAheadRuns.Bounds(byteCount: 1 << 30, grid: BlockGrid(blockSize: 65_536)!, longest: 16 << 20)
    (bounds.least, bounds.pieces) = (4 << 20, 8)
    var runs = ReadAheadRuns()
    let end = 512 << 20
    let first = runs.notice(0..<65_536, bounds, until: end).ask
    #expect(first.count == 8 && first.last?.upperBound == 4 << 20)
    var (position, asked) = (65_536, first.flatMap { [$0.upperBound] })
    while position < end {
      let range = position..<position + 1 << 20
      position = range.upperBound
      asked += runs.notice(range, bounds, until: end).ask.map(\.upperBound)
      // Once the window is as wide as it gets: of its eight pieces six at least are asked for, and all are alike.
      guard (64 << 20..<480 << 20).contains(position) else { continue }
      let ahead = (asked.last ?? 0) - position
      #expect((11 << 20...16 << 20).contains(ahead), "\(ahead) at \(position)")
    }
    #expect(asked.last == end)
    let middle = asked.filter { (64 << 20..<480 << 20).contains($0) }
    #expect(zip(middle, middle.dropFirst()).allSatisfy { $1 - $0 == 2 << 20 })
    // A reader that has not said so begins small, of any source.
    var others = ReadAheadRuns()
    for start in [0, 65_536] { _ = others.notice(start..<start + 65_536, bounds) }
    #expect(others.notice(131_072..<196_608, bounds).ask.last?.upperBound == 5 * 65_536)
  }

  @Test func `a window grows while its reader waits, stays while it need not, and shrinks if all is here`() {
    var bounds = ReadAheadRuns.Bounds(byteCount: 1 << 40, grid: BlockGrid(blockSize: 65_536)!, longest: 64 << 20)
    (bounds.least, bounds.pieces) = (16 << 20, 8)
    var (runs, position) = (ReadAheadRuns(), 0)
    func window(after reads: Int, _ pace: ReadAheadRuns.Pace) -> Int {
      for _ in 0..<reads {
        _ = runs.notice(position..<position + 1 << 20, bounds, pace, until: 1 << 40)
        position += 1 << 20
      }
      return runs.runs[0].window
    }
    #expect(window(after: 1, .ahead) == 32 << 20, "the first read waits")
    #expect(window(after: 200, .ahead) == 32 << 20)
    #expect(window(after: 200, .waits) == 64 << 20)
    #expect(window(after: 2000, .falls) <= 4 << 20)
    #expect(window(after: 200, .waits) == 64 << 20)
  }

  @Test func `runs share the room, and the connections`() {
    var bounds = ReadAheadRuns.Bounds(byteCount: 1 << 40, grid: BlockGrid(blockSize: 65_536)!, longest: 64 << 20)
    (bounds.least, bounds.pieces, bounds.room) = (16 << 20, 8, 32 << 20)
    var runs = ReadAheadRuns()
    var asked: [Int] = []
    for step in 0..<400 {
      for run in 0..<4 {
        let start = run << 36 + step << 20
        let noticed = runs.notice(start..<start + 1 << 20, bounds, until: 1 << 40)
        if step > 200 { asked += noticed.ask.map(\.count) }
      }
    }
    #expect(runs.runs.allSatisfy { $0.window == 8 << 20 })
    #expect(!asked.isEmpty && asked.allSatisfy { $0 == 4 << 20 }, "two connections each")
    // The others are not read any more.
    for step in 400..<500 { _ = runs.notice(step << 20..<(step + 1) << 20, bounds, until: 1 << 40) }
    #expect(runs.runs[0].window == 32 << 20)
    #expect(runs.end(at: 500 << 20...500 << 20).count == 1 && runs.runs.count == 3)
  }

  @Test func `what lies so far behind that it belongs to no read of the run was skipped`() {
    func run(_ rule: ReadAheadRuns.Rule) -> ReadAheadRuns.Run {
      .init(number: 1, rule: rule, last: 1 << 20..<1 << 20 + 4096, window: 0, frontier: 0, lastUsed: 0)
    }
    // Reads of 4 KiB may come up to 64 KiB late.
    let behind = 1 << 20 - 65_536
    #expect(!ReadAheadRuns.hasLeft(behind - 4096..<behind, run(.forwards)))
    #expect(ReadAheadRuns.hasLeft(behind - 4097..<behind - 1, run(.forwards)))
    #expect(!ReadAheadRuns.hasLeft(behind - 4097..<behind - 1, run(.forwards), isStream: true))
    #expect(!ReadAheadRuns.hasLeft(2 << 20..<3 << 20, run(.forwards)))
    let beyond = 1 << 20 + 4096 + 65_536
    #expect(!ReadAheadRuns.hasLeft(beyond..<beyond + 4096, run(.backwards)))
    #expect(ReadAheadRuns.hasLeft(beyond + 1..<beyond + 4096, run(.backwards)))
    #expect(!ReadAheadRuns.hasLeft(0..<4096, run(.backwards)))
    #expect(ReadAheadRuns.hasLeft(0..<4096, run(.strided(8192))))
    #expect(!ReadAheadRuns.hasLeft(1 << 20..<1 << 20 + 4096, run(.strided(8192))))
    #expect(!ReadAheadRuns.hasLeft(0..<4096, run(.strided(-8192))))
    #expect(ReadAheadRuns.hasLeft(2 << 20..<2 << 20 + 4096, run(.strided(-8192))))
  }

  @Test func `a run for which there was no room begins anew when there is some`() {
    var (runs, bounds) = (ReadAheadRuns(), bounds)
    var asked: [Bool] = []
    for (number, range) in steps(400, of: 65_536).enumerated() {
      bounds.room = (100..<200).contains(number) ? 0 : .max
      asked.append(!runs.notice(range, bounds).ask.isEmpty)
    }
    #expect(runs.runs.map(\.number) == [1])
    #expect(asked[0..<100].contains(true) && asked[200..<220].contains(true))
    #expect(!asked[120..<200].contains(true))
    #expect(runs.runs[0].window == 1 << 20)
  }

  @Test func `a read that is the last one makes no run`() {
    var runs = ReadAheadRuns()
    #expect(runs.notice(0..<65_536, bounds, until: 65_536) == ReadAheadRuns.Noticed())
  }

  @Test func `what is asked for follows without a gap and without an overlap`() {
    var runs = ReadAheadRuns()
    let asked = ask(&runs, steps(2000, of: 4096)).flatMap { $0 }
    #expect(asked.first?.lowerBound == 3 * 4096)
    for (one, next) in zip(asked, asked.dropFirst()) { #expect(one.upperBound == next.lowerBound) }
  }

  @Test func `the window doubles to its bound`() {
    var runs = ReadAheadRuns()
    var position = 0
    var ahead: [Int] = []
    for range in steps(2000, of: 4096) {
      if let last = runs.notice(range, bounds).ask.last { position = last.upperBound }
      ahead.append(max(0, position - range.upperBound))
    }
    #expect(ahead[2] == 8192)
    #expect(ahead.max()! <= bounds.longest + 4096)
    #expect(ahead.max()! >= bounds.longest / 2)
    // Once it is wide it stays so: never is less than half of it ahead.
    #expect(ahead[1000...].min()! >= bounds.longest / 2 - 4096)
  }

  @Test func `a run backwards is followed backwards, to the start of the source`() {
    var runs = ReadAheadRuns()
    let asked = ask(&runs, steps(64, of: 4096).reversed()).flatMap { $0 }
    #expect(runs.runs.map(\.rule) == [.backwards])
    #expect(asked.first?.upperBound == 61 * 4096)
    for (one, next) in zip(asked, asked.dropFirst()) { #expect(one.lowerBound == next.upperBound) }
    #expect(asked.last?.lowerBound == 0)
  }

  @Test func `of more runs than are followed the one ends that was not used for longest`() {
    var runs = ReadAheadRuns()
    func start(_ number: Int) -> Int { number << 26 }
    for number in 0..<ReadAheadRuns.maxRuns { _ = ask(&runs, steps(3, of: 4096, from: start(number))) }
    #expect(runs.runs.count == ReadAheadRuns.maxRuns)
    let numbers = runs.runs.map(\.number).sorted()
    // The first goes on, and so the second is the oldest.
    _ = runs.notice(start(0) + 3 * 4096..<start(0) + 4 * 4096, bounds)
    _ = ask(&runs, steps(2, of: 4096, from: start(9)))
    let noticed = runs.notice(start(9) + 2 * 4096..<start(9) + 3 * 4096, bounds)
    #expect(noticed.ended == [numbers[1]])
    #expect(runs.runs.prefix(2).map(\.number) == [numbers.last! + 1, numbers[0]])
  }

  @Test func `a stride among hits is found when it leaves them, and a scan at once`() {
    // Two strides interleaved, of which none comes directly after itself.
    let strided = steps(20, of: 4096, by: 1 << 20).flatMap {
      [$0, $0.lowerBound + 300 << 20..<$0.lowerBound + 4096 + 300 << 20]
    }
    var runs = ReadAheadRuns()
    for range in strided { #expect(runs.notice(range, bounds, isHit: true).ask.isEmpty) }
    let next = 20 << 20..<20 << 20 + 4096
    #expect(runs.notice(next, bounds).ask.first?.lowerBound == 21 << 20)
    var scan = ReadAheadRuns()
    let asked = steps(3, of: 4096).map { scan.notice($0, bounds, isHit: true).ask }
    #expect(asked[2].first?.lowerBound == 3 * 4096)
  }

  @Test func `no range is too large`() {
    let bounds = ReadAheadRuns.Bounds(byteCount: .max, grid: BlockGrid(blockSize: 4096)!, longest: .max)
    for size in [1 << 60, 1 << 61] {
      var runs = ReadAheadRuns()
      for step in 0..<Int.max / size { _ = runs.notice(step * size..<step * size + size, bounds) }
      for step in (0..<Int.max / size).reversed() { _ = runs.notice(step * size..<step * size + size, bounds) }
      _ = runs.notice(0..<Int.max, bounds)
      _ = runs.notice(0..<1, bounds)
      _ = runs.notice(Int.max - 1..<Int.max, bounds)
    }
  }

  @Test(arguments: [1 << 20, -(1 << 20)]) func `strides are followed, to and fro`(stride: Int) {
    var runs = ReadAheadRuns()
    let start = stride > 0 ? 0 : 512 << 20
    let reads = steps(40, of: 1000, from: start, by: stride)
    let asked = ask(&runs, reads)
    #expect(runs.runs.map(\.rule) == [.strided(stride)])
    #expect(asked[2].first == reads[3])
    // Each once, in order, and nothing else.
    let all = asked.flatMap { $0 }
    #expect(all == steps(all.count, of: 1000, from: reads[3].lowerBound, by: stride))
    #expect(all.count >= 37)
  }

  @Test func `two scans and a strided run between random reads are each followed`() {
    var random = TestRandom(7)
    var runs = ReadAheadRuns()
    var asked: Set<Int> = []
    for step in 0..<100 {
      for range in [
        step * 4096..<(step + 1) * 4096, (200 << 20) + step * 8192..<(200 << 20) + (step + 1) * 8192,
        (400 << 20) + step * 65536..<(400 << 20) + step * 65536 + 512,
      ] {
        let noticed = runs.notice(range, bounds)
        if !noticed.ask.isEmpty { asked.insert(noticed.run!) }
      }
      let place = (600 << 20) + random.below(100 << 20)
      _ = runs.notice(place..<place + 512, bounds)
    }
    #expect(asked.count == 3)
    let rules = runs.runs.map(\.rule)
    #expect(rules.count { $0 == .forwards } == 2)
    #expect(rules.contains(.strided(65536)))
  }

  @Test func `small skips do not end a run`() {
    var runs = ReadAheadRuns()
    var place = 0
    var numbers: Set<Int> = []
    var random = TestRandom(3)
    for _ in 0..<200 {
      if let run = runs.notice(place..<place + 4096, bounds).run { numbers.insert(run) }
      place += 4096 + random.below(3) * 4096
    }
    #expect(numbers.count == 1)
  }

  @Test func `reads that overtake one another are one run`() {
    var runs = ReadAheadRuns()
    let order = [0, 2, 1, 3, 6, 5, 4, 7, 9, 8, 11, 10]
    var numbers: Set<Int> = []
    for step in order + order.map({ $0 + 12 }) {
      if let run = runs.notice(step << 20..<(step + 1) << 20, bounds).run { numbers.insert(run) }
    }
    #expect(numbers.count == 1)
  }

  @Test func `random reads are hardly ever taken for a run`() {
    for seed in 0..<20 {
      var random = TestRandom(UInt64(seed))
      var runs = ReadAheadRuns()
      var asked = 0
      for _ in 0..<5000 {
        let place = random.below(64 << 20)
        asked += runs.notice(place..<place + 4096, bounds).ask.reduce(0) { $0 + $1.count }
      }
      #expect(asked < 5000 * 4096 / 20, "seed \(seed)")
    }
  }

  @Test func `what could not be had is asked for again`() {
    var runs = ReadAheadRuns()
    let asked = ask(&runs, steps(3, of: 4096))[2]
    runs.retract(runs.runs[0].number, to: asked[0])
    let again = ask(&runs, steps(2, of: 4096, from: 3 * 4096)).flatMap { $0 }
    #expect(again.first?.lowerBound == 4 * 4096)
  }

  @Test func `a ninth run ends the one that was not used for longest`() {
    var runs = ReadAheadRuns()
    for run in 0..<8 { _ = ask(&runs, steps(3, of: 4096, from: run << 24)) }
    #expect(runs.runs.count == 8)
    let first = runs.runs.map(\.number).min()!
    _ = ask(&runs, steps(2, of: 4096, from: 8 << 24))
    #expect(runs.notice((8 << 24) + 8192..<(8 << 24) + 12288, bounds).ended == [first])
  }

  @Test func `a run that is not followed ends`() {
    var runs = ReadAheadRuns()
    _ = ask(&runs, steps(3, of: 4096))
    var random = TestRandom(5)
    var ended: [Int] = []
    for _ in 0..<400 {
      let place = (100 << 20) + random.below(500 << 20)
      ended += runs.notice(place..<place + 100, bounds).ended
    }
    #expect(ended.first == 1)
    #expect(!runs.runs.contains { $0.number == 1 })
  }

  @Test func `the ends of the largest source do not overflow`() {
    let huge = ReadAheadRuns.Bounds(byteCount: .max, grid: BlockGrid(blockSize: 4096)!, longest: 1 << 20)
    var runs = ReadAheadRuns()
    for step in (1...8).reversed() {
      let lower = Int.max - step * 4096
      for range in runs.notice(lower..<lower + 4096, huge).ask { #expect(range.upperBound <= .max) }
    }
    var strided = ReadAheadRuns()
    for step in (1...4).reversed() {
      let lower = Int.max - step * (1 << 40)
      _ = strided.notice(lower..<lower + 4096, huge)
    }
    #expect(strided.runs.count == 1)
  }
}
