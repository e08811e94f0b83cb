import Foundation
import Testing

/// Published traces with the hits that other simulators count on them. They lie outside the package, since they are
/// large and not ours to publish.
struct GoldenCounts: CustomTestStringConvertible {
  var trace: String
  /// As the tool calls it.
  var policy: String
  var blocks: Int
  var blockAccesses: Int
  var hits: Int

  var path: String { Self.path(of: trace) ?? "" }

  /// The file of a trace.
  static func path(of trace: String) -> String? { directory.map { $0 + "/\(trace).rrt" } }
  var testDescription: String { "\(trace), \(policy), \(blocks) blocks" }

  /// `RANGEIO_TRACES`, or `shared/traces` beside the package; `nil` if there is none.
  private static let directory: String? = {
    let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    let directory = ProcessInfo.processInfo.environment["RANGEIO_TRACES"] ?? package + "/../shared/traces"
    return FileManager.default.fileExists(atPath: directory + "/golden_4k.csv") ? directory : nil
  }()

  /// Skips a test and says why.
  static let areHere: ConditionTrait = .enabled(
    if: directory != nil, "there are no traces: set RANGEIO_TRACES to a directory with golden_4k.csv and its traces")

  /// The counts of LRU and SIEVE: of small traces, of all with `RANGEIO_STRESS`.
  static let all: [GoldenCounts] = {
    guard let directory, let table = try? String(contentsOfFile: directory + "/golden_4k.csv", encoding: .utf8) else {
      return []
    }
    return table.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",").map(String.init)
      guard fields.count == 7, ["LRU", "SIEVE"].contains(fields[1]), let blocks = Int(fields[3]),
        let accesses = Int(fields[4]), let hits = Int(fields[6]), accesses < 200_000 || Environment.isStress
      else { return nil }
      return GoldenCounts(
        trace: fields[0], policy: fields[1].lowercased(), blocks: blocks, blockAccesses: accesses, hits: hits)
    }
  }()
}
