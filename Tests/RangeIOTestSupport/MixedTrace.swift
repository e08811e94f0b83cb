import RangeIO
import RangeIOTraces

/// A small trace of our own: phases of skewed reads, loops and scans of a file of 8 MiB.
enum MixedTrace {
  /// The trace that belongs to `seed`.
  static func make(seed: UInt64, requests count: Int = 4000) -> RangeTrace {
    var random = TestRandom(seed)
    let blocks = 2048
    let blockSize = 4096
    var requests: [ByteRange] = []
    while requests.count < count {
      let start = random.below(blocks)
      switch random.below(4) {
      case 0:
        // Once through some of it, several blocks at a time.
        var block = start
        while block < min(start + 400, blocks) {
          let length = 1 + random.below(8 * blockSize)
          let offset = block * blockSize + random.below(blockSize)
          requests.append(offset..<min(offset + length, blocks * blockSize))
          block += 1 + length / blockSize
        }
      case 1:
        // Round and round.
        let length = 10 + random.below(150)
        for step in 0..<length * 3 {
          let offset = (start + step % length) % blocks * blockSize
          requests.append(offset..<offset + blockSize)
        }
      default:
        // The first blocks most: each as often as one divided by its rank, roughly.
        for _ in 0..<300 {
          var rank = blocks
          while rank >= blocks { rank = 1 << random.below(12) - 1 + random.below(1 << random.below(8)) }
          let offset = rank * 997 % blocks * blockSize + random.below(2000)
          requests.append(offset..<offset + 1 + random.below(2000))
        }
      }
    }
    return RangeTrace(requests: Array(requests.prefix(count)), byteCount: blocks * blockSize)
  }
}
