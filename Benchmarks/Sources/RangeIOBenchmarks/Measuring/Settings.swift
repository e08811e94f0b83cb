/// How long and how often to measure.
struct Settings: Sendable, Codable {
  /// Runs of every contender in every cell; medians are of these.
  var rounds: Int
  /// How long one run of random reads should take, in seconds.
  var secondsPerRun: Double
  /// Bytes of the sparse file for the memory test.
  var sparseByteCount: Int

  static let standard = Settings(rounds: 7, secondsPerRun: 0.15, sparseByteCount: 8 << 30)
  static let quick = Settings(rounds: 3, secondsPerRun: 0.03, sparseByteCount: 1 << 30)
}
