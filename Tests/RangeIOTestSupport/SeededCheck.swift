import RangeIOTesting

/// What happened in the runs of a ``SeededCheck``, summed.
protocol SeededTally: Sendable {
  init()
  mutating func add(_ other: Self)
}

/// Something that must have happened more often than this, or the runs prove nothing about it.
struct Occurrence {
  let what: String
  let count: Int
  let least: Int

  /// - Parameter least: what `count` has to exceed.
  init(_ what: String, _ count: Int, over least: Int) {
    self.what = what
    self.count = count
    self.least = least
  }
}

/// A simulation or a model that many seeds are run through: by tests, or by a program of its own. Knows nothing of the
/// framework that tests are written with.
protocol SeededCheck {
  associatedtype Tally: SeededTally
  /// As reports call it.
  static var name: String { get }
  /// Those that are run, as the environment asks.
  static var seeds: Range<Int> { get }
  /// One run; throws what went wrong.
  static func run(seed: UInt64) throws -> Tally
  /// What has to have happened in so many runs: nothing, of too few of them.
  static func expected(of runs: Int, _ tally: Tally) -> [Occurrence]
}

/// What came of the runs of a ``SeededCheck``.
struct SeededReport<Tally: SeededTally>: CustomStringConvertible {
  let name: String
  var runs = 0
  var tally = Tally()
  /// What went wrong, each with the seed that repeats it.
  var failures: [String] = []

  var description: String { "\(runs) seeds of \(name): \(tally)" }
}

extension SeededCheck {
  /// The first so many seeds from that of the environment on.
  static func first(_ count: Int) -> Range<Int> { TestScale.firstSeed..<TestScale.firstSeed + count }

  /// Runs all seeds.
  static func report() -> SeededReport<Tally> { report(seeds) }

  /// Runs every so many-th seed, from the `part`-th on, so that parts can run side by side.
  static func report(part: Int, of parts: Int) -> SeededReport<Tally> {
    report(stride(from: seeds.lowerBound + part, to: seeds.upperBound, by: parts))
  }

  /// Runs these seeds, up to the tenth that fails.
  static func report(_ seeds: some Sequence<Int>) -> SeededReport<Tally> {
    var report = SeededReport<Tally>(name: name)
    for seed in seeds {
      report.runs += 1
      do {
        report.tally.add(try run(seed: UInt64(seed)))
      } catch {
        // A simulation names its seed.
        let text = "\(error)"
        report.failures.append("\(name): " + (text.contains("seed \(seed)") ? text : "seed \(seed): \(text)"))
        guard report.failures.count < 10 else { return report }
      }
    }
    for occurrence in expected(of: report.runs, report.tally) where occurrence.count <= occurrence.least {
      report.failures.append(
        "\(name): in \(report.runs) seeds happened \(occurrence.what): \(occurrence.count), "
          + "and not more than \(occurrence.least)")
    }
    return report
  }

  /// Whether each of these seeds repeats its run.
  static func repeats(_ seeds: [UInt64]) throws -> Bool where Tally: Equatable {
    for seed in seeds where try run(seed: seed) != run(seed: seed) { return false }
    return true
  }
}

extension SeededCheck {
  static func expected(of runs: Int, _ tally: Tally) -> [Occurrence] { [] }
}

/// Of checks that count nothing.
struct NoTally: SeededTally {
  mutating func add(_ other: NoTally) {}
}
