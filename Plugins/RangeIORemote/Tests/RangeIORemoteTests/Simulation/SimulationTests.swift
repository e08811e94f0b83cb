import Testing

@testable import RangeIORemote

/// The machines against a server that holds, replaces, lies and breaks, by thousands of seeds.
struct SimulationTests {
  @Test func `no server makes a read wrong, a mix of versions or endless, and each failure says why`() throws {
    var outcomes: [SimulatedReads.Outcome: Int] = [:]
    var played: [Trick: Int] = [:]
    var wrong: [String] = []
    for seed in SimulationScale.first..<SimulationScale.first + SimulationScale.seeds {
      var reads = try SimulatedReads(seed: UInt64(seed))
      do {
        for outcome in try reads.run() { outcomes[outcome, default: 0] += 1 }
      } catch {
        wrong.append("seed \(seed): \(error)")
        if wrong.count == 10 { break }
      }
      played.merge(reads.server.played) { $0 + $1 }
    }
    #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    guard SimulationScale.seeds >= 20_000 else { return }
    // Otherwise the run would prove little.
    for trick in Trick.allCases { #expect(played[trick, default: 0] > 50, "\(trick)") }
    #expect(outcomes[.read, default: 0] > SimulationScale.seeds / 2)
    let reasons: [Failure.Reason] = [
      .changed, .ignoresRanges, .rangeRefused, .missingContentRange, .invalidContentRange, .otherRange, .multipart,
      .contentEncoded, .lengthContradicted, .validatorMissing, .staleAnswer, .html, .busy(503), .serverError(500),
      .redirectLoop, .insecureRedirect, .redirectWithoutLocation, .refused, .truncated, .headTimeout,
      .stalled, .tooSlow, .giantHeaders, .tooManyCuts, .unauthorized, .forbidden, .notFound, .gone, .sizeUnknown,
    ]
    for reason in reasons {
      #expect(outcomes[.failed(reason), default: 0] > 0, "\(reason)")
    }
  }

  @Test func `reads of an opening are right, end, and ask for no byte that comes, whoever leaves`() {
    var events: Set<String> = []
    var wrong: [String] = []
    let seeds = min(SimulationScale.seeds, 2000)
    for seed in SimulationScale.first..<SimulationScale.first + seeds where wrong.count < 10 {
      var opening = OpeningSimulation(seed: UInt64(seed))
      do { try opening.run() } catch { wrong.append("seed \(seed): \(error)") }
      events.formUnion(opening.events)
    }
    #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    guard seeds == 2000 else { return }
    #expect(
      events == [
        "joined", "waited", "asked", "asked for what comes before", "read", "cancelled", "complete", "broken",
        "not believed", "dropped",
      ])
  }

  @Test func `a seed repeats its run`() throws {
    for seed: UInt64 in 0..<50 {
      var first = try SimulatedReads(seed: seed)
      var second = try SimulatedReads(seed: seed)
      let (one, other) = (try first.run(), try second.run())
      #expect(one == other, "seed \(seed)")
    }
  }

  @Test func `ranges of 8 MiB that are cut with p = 0.3 in each MiB move at most 1.02 times their bytes`() throws {
    let size = 8 << 20
    var moved = 0
    var cuts = 0
    let reads = 200
    for seed in 0..<reads {
      var random = SeededNumbers(UInt64(seed))
      var run = try ReadRun(0..<size, of: .tagged("\"a\"", size: size))
      while let plan = run.request, let range = plan.range {
        let head = ResponseHead.part(range, of: size)
        // A request and an answer have more fields than the machine sees.
        moved += 1000
        run.answer(head)
        let mebibytes = (range.count + (1 << 20) - 1) >> 20
        let cut = (0..<mebibytes).first { _ in random.happens(300) }
        let count = cut.map { min(range.count, $0 << 20 + random.below(1 << 20)) } ?? range.count
        moved += count
        if count < range.count { cuts += 1 }
        run.ended(count < range.count ? .fault(.reset) : .complete, count)
      }
      #expect(run.action == .finish, "seed \(seed)")
    }
    #expect(cuts > reads * 2)
    let ratio = Double(moved) / Double(size * reads)
    #expect(ratio <= 1.02, "\(ratio) times the bytes")
  }
}
