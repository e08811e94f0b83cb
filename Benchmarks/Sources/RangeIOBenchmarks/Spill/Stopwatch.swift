import CBenchmarkPeers

/// Measures a part of a run: its time, and what the process used for it.
struct Stopwatch {
  private let usage = bench_usage()
  private let start = ContinuousClock.now

  /// What came of that part, which ends here.
  func outcome() -> Outcome {
    var outcome = Outcome(elapsed: ContinuousClock.now - start)
    outcome.usage = bench_usage() - usage
    return outcome
  }
}
