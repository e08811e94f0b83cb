import CBenchmarkPeers
import Foundation

/// Blocks of one size that a workload reads.
struct Blocks: Sendable {
  let size: Int
  let count: Int
  /// Whether each is read once in a run, by one of its tasks. Otherwise they are read at random.
  var isOnce = false
  /// Whether each task keeps to blocks of its own, one in so many as there are tasks.
  var isApart = false
  /// Whether few are read often: see ``Zipf``. Otherwise all are as likely.
  var isSkewed = false
  /// How many are read between two looks at the clock.
  var batch = 64

  func range(_ number: Int) -> Range<Int> { number * size..<(number + 1) * size }
}

/// The way of one task through blocks.
struct Walk: Sendable {
  private let lane: Int
  private let lanes: Int
  /// Whether each task keeps to blocks of its own, and to how many of them.
  private let part: Int?
  private var state: UInt64
  private var taken = 0

  init(lane: Int, of lanes: Int, seed: Int, part: Int? = nil) {
    (self.lane, self.lanes, self.part) = (lane, lanes, part)
    state = bench_word(UInt64(lane &* 7919 &+ seed &* 104_729))
  }

  /// Half a million reads, after which a cache has what is read often.
  static func warm(_ blocks: Blocks, _ lane: Lane) async throws {
    var walk = Walk(lane: 0, of: 1, seed: 99)
    for _ in 0..<(1 << 19) / blocks.batch { _ = try await lane(&walk) }
  }

  /// The offset of the next block; `nil` if all were read that are read once.
  @inline(__always) mutating func next(_ blocks: Blocks) -> Int? {
    taken &+= 1
    if blocks.isOnce {
      let index = lane + lanes * (taken - 1)
      // A large prime: each index gives another block.
      return index < blocks.count ? index &* 2_654_435_761 % blocks.count * blocks.size : nil
    }
    state &+= 1
    if blocks.isSkewed { return Zipf.offset(at: state, blocks) }
    let number = bench_word(state) >> 1
    guard let part = part ?? (blocks.isApart ? .max : nil) else {
      return Int(number % UInt64(blocks.count)) * blocks.size
    }
    // In turn, so that what is kept of one task's blocks lies beside what is kept of the other's.
    return (lane + lanes * Int(number % UInt64(max(1, min(part, blocks.count / lanes))))) * blocks.size
  }
}

/// Which blocks YCSB reads (Cooper et al., Benchmarking Cloud Serving Systems with YCSB, 2010, section 5): the one of rank *r* with
/// a chance of 1 / *r*^0.99, and those of neighbouring ranks anywhere. Drawn before anything is timed, since a draw takes longer
/// than a hit.
enum Zipf {
  private static let exponent = 0.99
  /// Where in the order of ranks each draw falls, as a number of ``ranks``.
  private static let draws = makeDraws()
  private static let ranks = 1 << 18

  /// The offset of one of the draws, each of which is as likely as another.
  @inline(__always) static func offset(at state: UInt64, _ blocks: Blocks) -> Int {
    let rank = draws[Int(truncatingIfNeeded: state) & (draws.count - 1)]
    // A large prime: each rank gives another block.
    return Int(rank) &* 2_654_435_761 % blocks.count * blocks.size
  }

  private static func makeDraws() -> [UInt32] {
    var sums: [Double] = []
    var sum = 0.0
    for rank in 1...ranks {
      sum += pow(Double(rank), -exponent)
      sums.append(sum)
    }
    return (0..<UInt64(1 << 22)).map { draw in
      let wanted = Double(bench_word(draw &* 7919) >> 11) / 0x1p53 * sum
      // The first whose sum exceeds it.
      var (low, high) = (0, ranks - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] > wanted { high = middle } else { low = middle + 1 }
      }
      return UInt32(low)
    }
  }
}
