#if HTTP

  import Foundation

  /// The amount of work of the long tests, from the environment.
  public enum RunScale {
    /// Reads from servers that lie or close connections: `RANGEIO_READS`; else 10,000 if `RANGEIO_STRESS` is given, or 1,000.
    public static let reads = number(
      "RANGEIO_READS", or: ProcessInfo.processInfo.environment["RANGEIO_STRESS"] == nil ? 1_000 : 10_000)
    /// Replacements and restarts of real servers: `RANGEIO_RUNS`, 40 unless given.
    public static let runs = number("RANGEIO_RUNS", or: 40)
    /// The seed: `RANGEIO_SEED`, else a new one each time. Failures name it.
    public static let seed = UInt64(number("RANGEIO_SEED", or: Int.random(in: 0..<1 << 48)))

    /// Of `all`, each third from `first` on, since three stores have one way to speak HTTP; all if `RANGEIO_READS` is given.
    public static func third<Element>(from first: Int, of all: [Element]) -> [Element] {
      guard ProcessInfo.processInfo.environment["RANGEIO_READS"] == nil else { return all }
      return stride(from: first, to: all.count, by: 3).map { all[$0] }
    }

    private static func number(_ name: String, or standard: Int) -> Int {
      ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
    }
  }

#endif
