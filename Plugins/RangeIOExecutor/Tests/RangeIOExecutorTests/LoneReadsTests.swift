import Testing

@testable import RangeIOExecutor

struct LoneReadsTests {
  @Test func `reads are looked for if they take as long as a quick disk does`() {
    let lone = LoneReads(processors: 2)
    #expect(lone.patience() == 0)
    let cases: [(Int64, Int64)] = [(2000, 0), (60_000, 120_000), (15_000, 30_000), (14_000, 0), (400_000, 0)]
    for (took, patience) in cases {
      for _ in 0..<100 { lone.took(took) }
      // The average stays some nanoseconds short of it.
      #expect(abs(lone.patience() - patience) <= 16, "\(took): \(lone.patience())")
    }
  }

  @Test func `where looks find nothing there are few, until one finds something`() {
    let lone = LoneReads(processors: 2)
    lone.took(50_000)
    for _ in 1..<LoneReads.maxFailures { lone.looked(found: false) }
    #expect(lone.patience() == 100_000)
    lone.looked(found: true)
    for _ in 1..<LoneReads.maxFailures { lone.looked(found: false) }
    #expect(lone.patience() == 100_000)
    lone.looked(found: false)
    for _ in 0..<3 {
      for _ in 1..<LoneReads.pause { #expect(lone.patience() == 0) }
      // Due until there is an outcome.
      #expect(lone.patience() == 100_000 && lone.patience() == 100_000)
      lone.looked(found: false)
    }
    for _ in 0..<LoneReads.pause { _ = lone.patience() }
    lone.looked(found: true)
    #expect(lone.patience() == 100_000 && lone.patience() == 100_000)
  }

  @Test func `nor where one processor does everything`() {
    let lone = LoneReads(processors: 1)
    lone.took(50_000)
    #expect(lone.patience() == 0)
  }
}
