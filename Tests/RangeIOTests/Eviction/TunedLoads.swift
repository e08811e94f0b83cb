@testable import RangeIOTestSupport

/// Loads on which the tuned policy once did worse than policies that never change: numbers of blocks, in the order of
/// reads.
enum TunedLoads {
  /// Blocks 0 to `blocks - 1` and back again, over and over.
  static func zigzag(_ blocks: Int, reads: Int) -> [Int] {
    (0..<reads).map { read in
      let place = read % (2 * blocks - 2)
      return place < blocks ? place : 2 * blocks - 2 - place
    }
  }

  /// Any of a window of blocks, which moves on by one with every tenth read.
  static func drift(window: Int, reads: Int) -> [Int] {
    var random = TestRandom(1)
    return (0..<reads).map { $0 / 10 + random.below(window) }
  }

  /// Any of a set of blocks, which is replaced by another after so many reads.
  static func replaced(set: Int, after: Int, reads: Int) -> [Int] {
    var random = TestRandom(1)
    return (0..<reads).map { $0 / after * set + random.below(set) }
  }

  /// A loop over half as many blocks again as fit, and between its reads those of a few thousand blocks, some far more often
  /// than others.
  static func loopAmongFavourites(_ capacity: Int, reads: Int) -> [Int] {
    var random = TestRandom(1)
    return (0..<reads).map { read in
      if read % 2 == 0 { return 1 << 20 + read / 2 % (capacity * 3 / 2) }
      // Halved a few times: the first blocks come most often.
      return random.below(20 * capacity) >> random.below(12)
    }
  }

  /// Like the disk of a server, for a cache of `capacity` blocks: a set that nearly fits is read round and round,
  /// slowly, among blocks that are read once, some twice soon after. Twice, for as many reads as the cache has blocks,
  /// a working set that moves on takes most of the reads. A policy that follows it loses the slow set, and the ghost
  /// has forgotten those blocks when they come again.
  static func swept(_ capacity: Int, seed: UInt64) -> [Int] {
    var random = TestRandom(seed)
    let set = capacity * 4 / 5
    var reads = Array(0..<set)
    var (position, fresh, moved) = (0, 1 << 24, 0)
    func calm() -> Int {
      switch random.below(100) {
      case 0..<29:
        position = (position + 1) % set
        return position
      case 29..<40: return fresh - random.below(capacity / 60)
      default:
        fresh += 1
        return fresh
      }
    }
    for episode in 0..<3 {
      for _ in 0..<8 * capacity { reads.append(calm()) }
      guard episode < 2 else { break }
      for _ in 0..<3 * capacity / 2 {
        guard random.below(6) > 0 else {
          reads.append(calm())
          continue
        }
        moved += 2
        reads.append(1 << 28 + moved / 5 + random.below(capacity * 7 / 10))
      }
    }
    return reads
  }
}
