import Foundation
import RangeIO

/// The command `dd` with blocks of a megabyte: how fast a file is written by what everybody has.
///
/// Its own clock is believed: it begins after the process has started, and ends after its `fdatasync`.
struct DD: Sendable {
  private static let path = "/usr/bin/dd"
  private let inputs: [Int: URL]
  private let byteCounts: [Int: Int]

  /// Whether there is one that speaks GNU's dialect.
  static var isThere: Bool {
    #if os(Linux)
      FileManager.default.isExecutableFile(atPath: path)
    #else
      false
    #endif
  }

  /// Writes `bytes` to files to copy from, by what they are called for.
  init(_ bytes: [Int: Bytes], in directory: URL) throws {
    var inputs: [Int: URL] = [:]
    for (size, bytes) in bytes {
      let folder = try SpillDirectory(empty: directory.appendingPathComponent("dd-\(size)"))
      let file = folder.url.appendingPathComponent("input")
      try bytes.withUnsafeBytes { try Data($0).write(to: file) }
      inputs[size] = file
    }
    self.inputs = inputs
    byteCounts = bytes.mapValues(\.count)
  }

  /// Copies the file for `size`, which is in the page cache.
  func copy(_ size: Int, to target: URL, syncs: Bool) async throws -> Duration {
    guard let input = inputs[size] else { preconditionFailure("a file of each size that is written") }
    try SpillDirectory(existing: input.deletingLastPathComponent()).warm()
    return try await run(input.path, size, target, syncs)
  }

  /// Writes as many zeros.
  func zeros(_ size: Int, to target: URL, syncs: Bool) async throws -> Duration {
    try await run("/dev/zero", size, target, syncs)
  }

  private func run(_ input: String, _ size: Int, _ target: URL, _ syncs: Bool) async throws -> Duration {
    let byteCount = byteCounts[size] ?? 0
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.path)
    process.environment = ["LC_ALL": "C"]
    process.arguments = ["if=\(input)", "of=\(target.path)", "bs=1M", "count=\(byteCount >> 20)"]
    if syncs { process.arguments?.append("conv=fdatasync") }
    let output = Pipe()
    process.standardError = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let seconds = Self.seconds(text, byteCount) else {
      throw Failed(output: text)
    }
    return .seconds(seconds)
  }

  /// From "268435456 bytes (268 MB, 256 MiB) copied, 0.358151 s, 750 MB/s".
  private static func seconds(_ output: String, _ byteCount: Int) -> Double? {
    let line = output.split(separator: "\n").first { $0.hasPrefix("\(byteCount) bytes ") }
    return line?.split(separator: ",").first { $0.hasSuffix(" s") }.flatMap { Double($0.dropFirst().dropLast(2)) }
  }

  private struct Failed: Error, CustomStringConvertible {
    let output: String

    var description: String { "dd did not copy: \(output)" }
  }
}
