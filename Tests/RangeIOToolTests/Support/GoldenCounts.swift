#if Tool
import Foundation
import Testing

/// Traces with the hits that other programs count on them: a small one of our own, and published ones, which lie outside
/// the package, since they are large and not ours to publish.
struct GoldenCounts: CustomTestStringConvertible {
  var trace: String
  /// The file of the trace.
  var path: String
  /// As the tool calls it.
  var policy: String
  var blocks: Int
  var blockAccesses: Int
  var hits: Int

  /// The file of a published trace.
  static func path(of trace: String) -> String? { published.map { $0 + "/\(trace).rrt" } }
  var testDescription: String { "\(trace), \(policy), \(blocks) blocks" }

  private static let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")

  /// `RANGEIO_TRACES`, or `shared/traces` beside the package; `nil` if there is none.
  private static let published: String? = {
    let directory = ProcessInfo.processInfo.environment["RANGEIO_TRACES"] ?? package + "/../shared/traces"
    return FileManager.default.fileExists(atPath: directory + "/golden_4k.csv") ? directory : nil
  }()

  /// Skips a test and says why.
  static let areHere: ConditionTrait = .enabled(
    if: published != nil, "there are no traces: set RANGEIO_TRACES to a directory with golden_4k.csv and its traces")

  /// The counts of LRU and SIEVE: of small traces, of all with `RANGEIO_STRESS`.
  static let all = ([package + "/Tests/RangeIOTests/Golden/Traces"] + [published].compactMap { $0 }).flatMap(counts)

  private static func counts(in directory: String) -> [GoldenCounts] {
    guard let table = try? String(contentsOfFile: directory + "/golden_4k.csv", encoding: .utf8) else { return [] }
    return table.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",").map(String.init)
      guard fields.count == 7, ["LRU", "SIEVE"].contains(fields[1]), let blocks = Int(fields[3]),
        let accesses = Int(fields[4]), let hits = Int(fields[6]), accesses < 200_000 || Environment.isStress
      else { return nil }
      return GoldenCounts(
        trace: fields[0], path: "\(directory)/\(fields[0]).rrt", policy: fields[1].lowercased(), blocks: blocks,
        blockAccesses: accesses, hits: hits)
    }
  }
}
#endif
