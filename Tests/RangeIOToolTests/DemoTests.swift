#if Tool
import Foundation
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct DemoTests {
  @Test(arguments: [0, 1, 2, 4095, 4096, 1 << 20, 3_000_001])
  func `demo ranges lie within the file and touch both ends`(byteCount: Int) {
    var source = DemoRanges(byteCount: byteCount, seed: 7)
    let ranges = source.next(2000, sizes: 1...1_048_576)
    #expect(ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= byteCount && $0.count <= 1_048_576 })
    #expect(ranges.contains { $0.lowerBound == 0 })
    #expect(ranges.contains { $0.upperBound == byteCount })
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 3_000_001])
  func `skewed ranges are whole blocks, the first most`(byteCount: Int) throws {
    var source = DemoRanges(byteCount: byteCount, seed: 7)
    let ranges = source.nextSkewed(2000, blockSize: .kibibytes(4))
    #expect(ranges.count == (byteCount == 0 ? 0 : 2000))
    let grid = try #require(BlockGrid(blockSize: 4096))
    #expect(ranges.allSatisfy { $0 == grid.outward($0, in: byteCount) && !$0.isEmpty })
    #expect(byteCount == 0 || ranges.count { $0.lowerBound == 0 } >= 100)
    #expect(byteCount == 0 || ranges.contains { $0.upperBound >= byteCount * 3 / 4 })
  }

  @Test func `the verdict names what is slower, by the figures that are shown, and fits a screen`() {
    let path = "/" + String(repeating: "long/", count: 40)
    var report = DemoReport(path: path, byteCount: 4, engine: .automatic, seed: .max)
    let names = ["open, read 4 KiB, close", "jump about", "jump about, 32 at a time", "stream it all"]
    let times: [Duration] = [.microseconds(200), .microseconds(50), .nanoseconds(100_600), .microseconds(101)]
    for (name, time) in zip(names, times) {
      report.rows.append(.init(name: name, reads: 1, bytes: 4, time: time, plainTime: .microseconds(100)))
    }
    #expect(report.slower.map(\.name) == [names[0], names[2], names[3]])
    #expect(report.text.contains("slower here    \(names[0]) 0.50\n") && !report.text.contains("not quiet"))
    report.rows += report.slower
    report.rows[1].swing = DemoRace.swing([.milliseconds(30), .milliseconds(10), .milliseconds(20)])
    #expect(report.text.contains("and 4 more"))
    #expect(report.text.contains("not quiet      the same took up to 3.0 times as long: something else runs here"))
    #expect(DemoRace.swing([.milliseconds(1), .milliseconds(4)]) == 1, "too short to tell")
    let lines = report.text.split(separator: "\n", omittingEmptySubsequences: false)
    let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(words.contains("jump about 1 4 B 50.0 µs 100 µs 2.00"))
    #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
    report.rows.removeAll { $0.isSlower }
    #expect(report.text.contains("slower here    nothing"))
  }

  @Test func `a change that is not noticed is the verdict`() async throws {
    var report = DemoReport(path: "f", byteCount: 4, engine: .automatic, seed: 1)
    let row = try await DemoChange(engine: .automatic).run(&report.comparison)
    #expect(row.reads == 5 && report.comparison.isOK && report.comparison.reads == 5)
    report.comparison.missesChange = true
    #expect(!report.comparison.isOK && report.verdict.hasPrefix("MISMATCH: a file was changed"))
  }

  @Test func `plain reads look for changes and run on the pool`() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("f", [1, 2, 3])
    let plain = try PlainFile(path)
    #expect(try await plain.read(1..<3).firstDifference(from: [2, 3]) == nil)
    await #expect(throws: ToolFailure.self) { try await plain.read(1..<4) }
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    let failure = await #expect(throws: ToolFailure.self) { try await plain.read(1..<3) }
    #expect(failure?.message.contains("changed while it was read") == true)
  }

  @Test func `a seed gives the same ranges again`() {
    var one = DemoRanges(byteCount: 1 << 30, seed: 42)
    var other = DemoRanges(byteCount: 1 << 30, seed: 42)
    #expect(one.next(100, sizes: 1...65_536) == other.next(100, sizes: 1...65_536))
  }

  @Test func `a byte that differs is found at its place`() throws {
    let bytes = noise(50_000)
    let plain = PlainBytes(bytes.count)
    plain.buffer.copyBytes(from: bytes)
    let pieces = [Bytes(bytes[..<20_000]), Bytes(bytes[20_000...])]
    var comparison = DemoComparison()
    comparison.compared(Bytes(concatenating: pieces), at: 1000, with: plain)
    #expect(comparison.mismatch == nil && comparison.isOK)
    plain.buffer[34_567] ^= 1
    comparison.compared(Bytes(concatenating: pieces), at: 1000, with: plain)
    #expect(comparison.mismatch == 35_567 && !comparison.isOK)
    #expect(comparison.reads == 2 && comparison.bytes == 100_000)
    var short = DemoComparison()
    short.compared(pieces[0], at: 0, with: plain)
    #expect(short.mismatch == 20_000)
  }

  @Test func `a mismatch is the verdict`() {
    var report = DemoReport(path: "f", byteCount: 4, engine: .automatic, seed: 1)
    #expect(report.text.contains("OK: compared 0 reads"))
    let plain = PlainBytes(4)
    plain.buffer.copyBytes(from: [1, 2, 3, 4])
    report.comparison.compared([1, 2, 3, 5], at: 0, with: plain)
    #expect(report.text.contains("MISMATCH: the byte at 3"))
  }

  @Test func `the search finds the largest regular file and follows no links`() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory("a/b"), withIntermediateDirectories: true)
    let largest = try directory.file("a/b/largest", noise(5000))
    _ = try directory.file("small", noise(10))
    let other = try TemporaryDirectory()
    let outside = try other.file("larger", noise(9000))
    try FileManager.default.createSymbolicLink(atPath: directory("link"), withDestinationPath: outside)
    #expect(LargestFile(under: directory.path).path == largest)
    #expect(LargestFile(under: directory("missing")).path == nil)
  }
}
#endif
