import Foundation
import RangeIO
import RangeIOTraces
import Testing

/// Traces, and tables of what other programs count on them.
enum TraceFiles {
  /// A folder of traces: `golden_4k.csv`, `manifest.csv`, and a file for each trace.
  struct Folder: Sendable {
    let path: String
  }

  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A small trace of our own, in the package.
  static let own = Folder(path: package.appendingPathComponent("Tests/RangeIOTests/Golden/Traces").path)

  /// Published ones, which lie outside the package, since they are large and not ours to publish: `RANGEIO_TRACES`, or
  /// `shared/traces` beside the package; `nil` if there is none.
  static let published: Folder? = {
    let beside = package.deletingLastPathComponent().appendingPathComponent("shared/traces").path
    let directory = ProcessInfo.processInfo.environment["RANGEIO_TRACES"] ?? beside
    return FileManager.default.fileExists(atPath: directory + "/golden_4k.csv") ? Folder(path: directory) : nil
  }()

  /// Skips a test and says why.
  static let areHere: ConditionTrait = .enabled(
    if: published != nil, "there are no traces: set RANGEIO_TRACES to a directory with golden_4k.csv and its traces")

  /// The trace called `name`, of those that are published.
  static func trace(_ name: String) throws -> RangeTrace { try #require(published).trace(name) }
}

extension TraceFiles.Folder {
  /// The trace called `name`.
  func trace(_ name: String) throws -> RangeTrace { try RangeTrace(contents(name + ".rrt")) }

  private func contents(_ name: String) throws -> Bytes {
    Bytes(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  /// The rows of a table without its header; fields by the header's names. Fields in quotes keep their commas.
  func table(_ name: String) throws -> [[String: String]] {
    let text = String(decoding: Array(try contents(name)), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().reduce(into: [""]) { fields, part in
        let isQuoted = part.offset % 2 == 1
        let pieces = part.element.split(maxSplits: isQuoted ? 0 : .max, omittingEmptySubsequences: false) { $0 == "," }
        fields[fields.count - 1] += pieces[0]
        fields += pieces.dropFirst().map(String.init)
      }
    }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }
}
