import RangeIO
import RangeIOHTTP

/// What the command line asks for.
///
///     RemoteBenchmark URL RANGES OUTPUT [--disk DIRECTORY] [--as call|tasks|turns|stream] [--opening -COUNT] [--connections N]
///         [--versions A B --seconds N]
struct Settings {
  let url: String
  /// Ranges that are read one group after the other.
  let groups: [[Range<Int>]]
  /// Where the bytes go, one range after the other: once the clock has stopped, those of streams as they come.
  let output: String
  var disk: String?
  /// How the ranges are read.
  enum Way: String { case call, tasks, turns, stream }
  /// How the ranges of a group are read: in one call, each by a task of its own, one after the other, or each as a
  /// stream.
  var way = Way.call
  /// What is read first.
  var opening = RemoteOpening.beginning
  /// The most connections; `nil`: as many as there are if you say nothing.
  var connections: Int?
  /// The two contents that the object alternates between, and how long they are read.
  var versions: (a: String, b: String)?
  var seconds = 10.0

  init(_ arguments: [String]) async throws {
    guard arguments.count >= 4 else {
      fatalError("usage: RemoteBenchmark URL RANGES OUTPUT [--disk DIRECTORY] [--as WAY] [--opening -COUNT] …")
    }
    url = arguments[1]
    output = arguments[3]
    groups = try await Self.groups(arguments[2])
    var rest = arguments.dropFirst(4)
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { fatalError("\(option) has no value") }
      switch option {
      case "--disk": disk = value
      case "--as":
        guard let named = Way(rawValue: value) else { fatalError("unknown way \(value)") }
        way = named
      case "--opening": opening = Int(value).map { .suffix(-$0) } ?? opening
      case "--connections": connections = Int(value)
      case "--seconds": seconds = Double(value) ?? seconds
      case "--versions": versions = rest.popFirst().map { (value, $0) }
      default: fatalError("unknown option \(option)")
      }
    }
  }

  /// The ranges of all groups.
  var ranges: [Range<Int>] { Array(groups.joined()) }

  /// The ranges of a file with one in each line: its first byte, and the one after its last. An empty line ends a group.
  private static func groups(_ path: String) async throws -> [[Range<Int>]] {
    let text = try await withRangeReader(path) { try await $0.read(0..<$0.byteCount) }
    let lines = String(decoding: Array(text), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split(separator: "").map { group in
      group.map { line in
        let bounds = line.split(separator: " ").compactMap { Int($0) }
        return bounds[0]..<bounds[1]
      }
    }
  }
}
