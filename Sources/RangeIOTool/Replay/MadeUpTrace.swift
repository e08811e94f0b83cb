#if Tool
import RangeIO
import RangeIOTraces

/// Random reads of one block at a time, some blocks far more often than others.
struct MadeUpTrace: Equatable {
  let blocks: Int
  let reads: Int
  /// The n-th most popular block is read with a probability of 1/n^skew.
  let skew: Double
  let seed: UInt64

  /// Parses `zipf:BLOCKS:READS:SKEW:SEED`; `nil` if `text` has another prefix.
  init?(_ text: String) throws(ToolFailure) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.first == "zipf" else { return nil }
    guard parts.count == 5, let blocks = Int(parts[1]), let reads = Int(parts[2]), let skew = Double(parts[3]),
      let seed = UInt64(parts[4]), (1...1 << 26).contains(blocks), (0...ReplayBounds.blocks).contains(reads),
      (0...4).contains(skew)
    else {
      throw .usage("'\(Complaint.oneLine(text))': write zipf:BLOCKS:READS:SKEW:SEED, such as zipf:100000:1000000:0.9:1")
    }
    (self.blocks, self.reads, self.skew, self.seed) = (blocks, reads, skew, seed)
  }

  /// The reads, each of one whole block. Popular blocks are spread over the source.
  func trace(blockSize: Int) -> RangeTrace {
    var random = SeededRandom(seed)
    var sums: [Double] = []
    sums.reserveCapacity(blocks)
    var sum = 0.0
    for rank in 1...blocks {
      sum += pow(Double(rank), -skew)
      sums.append(sum)
    }
    let places = Array(0..<blocks).shuffled(using: &random)
    let requests = (0..<reads).map { _ -> ByteRange in
      let point = Double.random(in: 0..<sum, using: &random)
      var (low, high) = (0, blocks - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] > point { high = middle } else { low = middle + 1 }
      }
      return places[low] * blockSize..<(places[low] + 1) * blockSize
    }
    return RangeTrace(requests: requests, byteCount: blocks * blockSize)
  }
}
#endif
