#if Tool
/// The sizes of caches to compare, in percent of the different blocks that a trace reads.
struct ReplaySizes: Equatable {
  /// Steps that look even on a logarithmic scale.
  static let standard = ReplaySizes(percents: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100])
  private static let maxCount = 64

  let percents: [Double]

  private init(percents: [Double]) { self.percents = percents }

  /// Parses numbers with commas between them, such as `1,2.5,10`.
  init(_ text: String) throws(ToolFailure) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let percents = parts.compactMap { Double($0) }.filter { $0 > 0 && $0 <= 100 }
    guard percents.count == parts.count, percents.count <= Self.maxCount else {
      throw .usage("--sizes: '\(text)' is not a list of up to \(Self.maxCount) percentages: write 1,2.5,10")
    }
    self.percents = percents
  }

  /// The numbers of blocks, each once, in ascending order.
  func blockCounts(of uniqueBlocks: Int) -> [Int] {
    Set(percents.map { max(1, Int((Double(uniqueBlocks) * $0 / 100).rounded())) }).sorted()
  }
}
#endif
