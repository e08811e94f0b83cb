/// How long and how often to measure.
struct Settings: Sendable, Codable {
  /// Runs of every contender in every cell; medians are of these.
  var rounds: Int
  /// Runs of every configuration of a contender before one of them is chosen.
  var trials: Int
  /// How long one run of random reads should take, in seconds.
  var secondsPerRun: Double
  /// Bytes that a stream reads.
  var streamByteCount: Int
  /// Bytes of the sparse file for the memory test.
  var sparseByteCount: Int
  /// Blocks of the store whose bookkeeping is measured.
  var factBlocks: Int

  /// What the goals are judged by.
  static let standard = Settings(
    rounds: 5, trials: 2, secondsPerRun: 0.08, streamByteCount: BenchmarkFile.Size.standard.rawValue,
    sparseByteCount: 8 << 30, factBlocks: 1_000_000)
  static let quick = Settings(
    rounds: 3, trials: 1, secondsPerRun: 0.02, streamByteCount: BenchmarkFile.Size.standard.rawValue / 4,
    sparseByteCount: 1 << 30, factBlocks: 100_000)
}
