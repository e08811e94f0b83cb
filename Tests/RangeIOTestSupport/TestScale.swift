import Foundation

/// How much a test run does, from the environment: `make verify` asks for more than `make test`.
enum TestScale {
  /// Simulation seeds: `RANGEIO_SEEDS`, 10,000 unless given.
  static let seeds = seeds(or: 10_000)
  /// The first seed: `RANGEIO_SEED`, to run one again.
  static let firstSeed = number("RANGEIO_SEED", or: 0)
  /// Operations of the stress run: `RANGEIO_STRESS`, 20,000 unless given.
  static let stress = number("RANGEIO_STRESS", or: 20_000)
  /// Whether long runs are wanted: `RANGEIO_STRESS` is given.
  static let isStress = ProcessInfo.processInfo.environment["RANGEIO_STRESS"] != nil
  /// Whether each bit of a segment is flipped: `RANGEIO_FLIPS=all`.
  static let isDamageComplete = ProcessInfo.processInfo.environment["RANGEIO_FLIPS"] == "all"
  /// Processes that are killed: `RANGEIO_KILLS`, 12 unless given.
  static let kills = number("RANGEIO_KILLS", or: 12)

  /// Short runs of a process: `RANGEIO_RUNS`, 100 unless given.
  static let runs = number("RANGEIO_RUNS", or: 100)

  /// How long an actor may be kept, in milliseconds: `RANGEIO_TICKER`. Not measured unless given, since what else a machine
  /// does is measured too.
  static let ticker: Int? = ProcessInfo.processInfo.environment["RANGEIO_TICKER"].flatMap { Int($0) }

  /// Whether this is a sanitizer's build, which takes many times the memory.
  static let isSanitized = ["__tsan_init", "__asan_init"].contains { (name: String) in
    dlsym(dlopen(nil, RTLD_NOW), name) != nil
  }

  /// Tells figures of long runs, which `Docs/Reliability.md` quotes.
  static func report(_ figures: String) {
    if isDamageComplete || kills > 12 { print("figures: \(figures)") }
  }

  /// Simulation seeds of what takes long for each: `RANGEIO_SEEDS`, or `standard` unless given.
  static func seeds(or standard: Int) -> Int { number("RANGEIO_SEEDS", or: standard) }

  private static func number(_ name: String, or standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }
}
