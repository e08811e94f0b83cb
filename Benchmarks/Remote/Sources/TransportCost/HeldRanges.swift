internal import Cost

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// How much memory ranges under way hold: all are asked for at once, of a server that sends each but for its last byte
/// and stands still. Linux only.
struct HeldRanges {
  let size: Int
  let count: Int

  /// Prints the growth of the resident memory beyond the ranges' own bytes, per range.
  func run(_ contender: any Contender) async throws {
    // The pages of the program itself are not what is measured.
    for _ in 0..<8 { try await contender.read(0..<64) }
    let before = try resident()
    let reads = (0..<count).map { index in
      Task { try await contender.read(index * size..<(index + 1) * size) }
    }
    // The server says nothing of itself, so this waits until nothing grows for a second.
    var last = (count: before, at: ContinuousClock.now)
    while ContinuousClock.now - last.at < .seconds(1) || last.count < before + count * size / 2 {
      try await Task.sleep(for: .milliseconds(20))
      let now = try resident()
      if now > last.count + 4096 { last = (now, .now) }
    }
    let grown = last.count - before
    print("\(before) \(grown) \((grown - count * size) / count)")
    for read in reads { read.cancel() }
    try await contender.close()
  }

  /// Bytes in resident pages.
  private func resident() throws -> Int {
    let status = try String(contentsOf: URL(fileURLWithPath: "/proc/self/status"), encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw CancellationError() }
    return kibibytes << 10
  }
}
