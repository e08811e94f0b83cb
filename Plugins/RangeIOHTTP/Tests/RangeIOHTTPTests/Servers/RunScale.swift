#if HTTP

  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer

  /// The amount of work of the long tests, from the environment.
  enum RunScale {
    /// Reads from servers that lie or close connections: `RANGEIO_READS`, 1,000 unless given.
    static let reads = number("RANGEIO_READS", or: 1_000)
    /// Replacements and restarts of real servers: `RANGEIO_RUNS`, 40 unless given.
    static let runs = number("RANGEIO_RUNS", or: 40)
    /// The seed: `RANGEIO_SEED`, else a new one each time. Failures name it.
    static let seed = UInt64(number("RANGEIO_SEED", or: Int.random(in: 0..<1 << 48)))

    private static func number(_ name: String, or standard: Int) -> Int {
      ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
    }
  }

  extension Bytes {
    /// `true` if these are the bytes of `range` of an object that was made as `version`.
    func areContent(_ range: Range<Int>, version: Int = 1) -> Bool {
      self == Bytes(ServedObject.content(range, version: version))
    }
  }

#endif
