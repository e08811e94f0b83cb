import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What small reads over a link cost, by arithmetic: each missing range is a round trip and its bytes.
struct FetchExtentTests {
  private static let kibibyte = 1024
  private let grid = BlockGrid(blockSize: 65_536)!

  /// A link, and the most that is worth fetching at once over it.
  private struct Link: Sendable, CustomTestStringConvertible {
    let latency: Duration
    let bytesPerSecond: Double
    let most: Int
    var cost: SourceDescription.Cost { .init(latency: latency, bytesPerSecond: bytesPerSecond) }
    var testDescription: String { "\(latency), \(bytesPerSecond / 1e6) MB/s" }
  }

  private static let links = [
    Link(latency: .milliseconds(40), bytesPerSecond: 2e6, most: 1 << 17),
    Link(latency: .milliseconds(40), bytesPerSecond: 10e6, most: 1 << 19),
    Link(latency: .milliseconds(150), bytesPerSecond: 2e6, most: 1 << 19),
    Link(latency: .milliseconds(2), bytesPerSecond: 100e6, most: 1 << 18),
    Link(latency: .milliseconds(50), bytesPerSecond: 25e6, most: 1 << 20),
  ]

  /// - Parameter blocks: how much is fetched with a range; `nil`: what a ``FetchExtent`` says.
  /// - Returns: the requests, and the time that they take one after the other.
  private func run(
    _ reads: [ByteRange], over link: Link, always blocks: Int? = nil
  ) -> (requests: Int, seconds: Double) {
    var extent = FetchExtent()
    var here = RangeSet<Int>()
    var bytes = 0
    var requests = 0
    for read in reads {
      var missing = RangeSet(read)
      missing.subtract(here)
      guard !missing.isEmpty else { continue }
      let blocks = blocks ?? extent.next(read, on: grid, most: link.most, link.cost)
      var fetched = RangeSet(read)
      if blocks > 0 {
        fetched = RangeSet(BlockGrid(blockSize: blocks << grid.shift)!.outward(read, in: .max))
      }
      fetched.subtract(here)
      here.formUnion(fetched)
      bytes += fetched.ranges.reduce(0) { $0 + $1.count }
      requests += 1
    }
    let latency = Double(link.latency.nanoseconds) / 1e9
    return (requests, Double(requests) * latency + Double(bytes) / link.bytesPerSecond)
  }

  private func small(_ random: inout TestRandom, in stretch: ByteRange) -> ByteRange {
    let lower = stretch.lowerBound + random.below(stretch.count / Self.kibibyte) * Self.kibibyte
    return lower..<lower + Self.kibibyte
  }

  @Test func `a hundred reads far apart take as long as exact ones`() {
    for link in Self.links {
      var ratios = 0.0
      for seed in 1...20 as ClosedRange<UInt64> {
        var random = TestRandom(seed)
        let reads = (0..<100).map { _ in small(&random, in: 0..<48 << 20) }
        let ratio = run(reads, over: link).seconds / run(reads, over: link, always: 0).seconds
        // Some of them lie close together by chance.
        #expect(ratio <= 1.5, "seed \(seed), \(link)")
        ratios += ratio
      }
      #expect(ratios / 20 <= 1.1, "\(link)")
    }
  }

  @Test func `far fewer bytes come than with blocks once it is clear that they are not used`() {
    var random = TestRandom(1)
    var extent = FetchExtent()
    let link = Self.links[1]
    let fetched = (0..<1000).map { _ in
      extent.next(small(&random, in: 0..<1 << 40), on: grid, most: link.most, link.cost)
    }
    #expect(fetched.prefix(7).allSatisfy { $0 == 1 } && fetched.dropFirst(7).allSatisfy { $0 == 0 })
  }

  @Test(arguments: [(1.0, 2e6, 0), (40, 2e6, 0), (40, 6.5e6, 0), (40, 6.6e6, 1), (150, 2e6, 1), (1, 1e9, 1)])
  func `the first read fetches a block where that takes no more than a quarter of a round trip longer`(
    milliseconds: Double, rate: Double, blocks: Int
  ) {
    var extent = FetchExtent()
    let cost = SourceDescription.Cost(latency: .milliseconds(milliseconds), bytesPerSecond: rate)
    #expect(extent.next(5..<6, on: grid, most: 1 << 17, cost) == blocks)
    // Two more in the same block show that it is of use, if it is worth as much.
    let later = [10, 20, 30, 40, 50].map { extent.next($0..<$0 + 1, on: grid, most: 1 << 17, cost) }
    #expect((later.last ?? 0) >= (milliseconds < 40 && rate < 1e9 ? 0 : 1))
  }

  @Test(arguments: [Self.kibibyte, 4096, 100_000]) func `one read after the other grows to what a round trip brings`(
    count: Int
  ) {
    let reads = stride(from: 0, to: 8 << 20, by: count).map { $0..<$0 + count }
    for link in Self.links {
      let (whole, ours) = (run(reads, over: link, always: link.most >> grid.shift), run(reads, over: link))
      // The growth itself.
      #expect(ours.requests <= whole.requests + 12, "\(link)")
    }
  }

  @Test(arguments: testSeeds.prefix(2)) func `where reads stay together for a while, what lies around is fetched`(
    seed: UInt64
  ) {
    for (span, reads) in [(1 << 16, 12), (1 << 20, 60)] as [(Int, Int)] {
      var random = TestRandom(seed)
      let all = (0..<10).flatMap { _ in
        let start = random.below(1 << 14) << 20
        return (0..<reads).map { _ in small(&random, in: start..<start + span) }
      }
      for link in Self.links {
        let others = [0, 1, link.most >> grid.shift].map { run(all, over: link, always: $0).seconds }
        #expect(run(all, over: link).seconds <= 2.2 * others.min()!, "seed \(seed), \(span), \(link)")
      }
    }
  }

  @Test func `reads all over a small object end by having all of it`() {
    var random = TestRandom(1)
    let reads = (0..<20_000).map { _ in small(&random, in: 0..<16 << 20) }
    for link in Self.links {
      let (blocks, ours) = (run(reads, over: link, always: 1), run(reads, over: link))
      #expect(ours.seconds <= 1.3 * blocks.seconds, "\(link)")
    }
  }

  @Test func `no range and no cost is too strange`() {
    let numbers = [0, -1, 1e-300, 1e300, .infinity, -.infinity, .nan]
    for rate in numbers {
      for latency in [Duration.zero, .seconds(-1), .seconds(Int64.max)] {
        var extent = FetchExtent()
        for range in [0..<1, .max - 1 ..< .max, 0 ..< .max] as [ByteRange] {
          for most in [0, 1, 1 << 30, .max] {
            let blocks = extent.next(
              range, on: grid, most: most, .init(latency: latency, bytesPerSecond: rate))
            #expect(blocks >= 0 && blocks <= max(1, most >> grid.shift))
          }
        }
      }
    }
  }
}
