import Foundation
import RangeIO

/// How much memory streaming a big file takes.
///
/// To be measured before anything else in the process: pools that other runs have filled would hide what a stream needs.
struct MemoryGrowth: Sendable, Codable {
  /// What was streamed.
  var byteCount: Int
  /// Resident memory at the start, in bytes.
  var start: Int
  /// The most there was until the end, in bytes.
  var peak: Int

  var growth: Int { peak - start }

  /// Streams a sparse file of `byteCount` bytes made in `directory` for the purpose.
  ///
  /// - Returns: `nil` where the system does not let a process reset its peak (anything but Linux).
  @concurrent static func measure(_ byteCount: Int, in directory: URL) async throws -> MemoryGrowth? {
    guard let resetPeak = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return nil }
    let file = directory.appendingPathComponent("range-io-sparse.bin")
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
    }
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: UInt64(byteCount))
    try handle.close()

    let reader = try await RangeReader(file.path)
    // 5: "reset the peak resident set size to the current value".
    try resetPeak.write(contentsOf: Data("5".utf8))
    let start = try ProcessMemory.bytes("VmRSS")
    var streamed = 0
    for try await bytes in reader.stream() { streamed += bytes.count }
    let peak = try ProcessMemory.bytes("VmHWM")
    await reader.close()
    guard streamed == byteCount else { throw WrongBytes(offset: 0, expected: byteCount, got: streamed) }
    return MemoryGrowth(byteCount: byteCount, start: start, peak: peak)
  }
}

/// What the system says of this process's memory.
enum ProcessMemory {
  /// A line of `/proc/self/status`, in bytes.
  static func bytes(_ key: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(key):") }
    let kibibytes = line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
    guard let kibibytes else { throw CocoaError(.fileReadCorruptFile) }
    return kibibytes << 10
  }
}
