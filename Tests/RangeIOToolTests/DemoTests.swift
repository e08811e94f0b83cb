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

  @Test func `the picture shows where bytes came from`() {
    var report = DemoReport(path: "f", byteCount: 4, engine: .automatic, seed: 1)
    let reading = DemoReport.Row(name: "again", reads: 100, bytes: 1000)
    report.cacheRows = [.init(reading: reading, hits: 25, fetchedBytes: 750)]
    #expect(report.text.contains("25.0%") && report.text.contains(" ▓▓▓▓▓░░░░░░░░░░░░░░░\n"))
    // Blocks of which little was asked for.
    report.cacheRows = [.init(reading: reading, hits: 0, fetchedBytes: 4096)]
    #expect(report.text.contains(" ░░░░░░░░░░░░░░░░░░░░\n"))
  }

  @Test func `a seed gives the same ranges again`() {
    var one = DemoRanges(byteCount: 1 << 30, seed: 42)
    var other = DemoRanges(byteCount: 1 << 30, seed: 42)
    #expect(one.next(100, sizes: 1...65_536) == other.next(100, sizes: 1...65_536))
  }

  @Test func `a byte that differs is found at its place`() throws {
    let scratch = Scratch(.kibibytes(64))
    let bytes = noise(50_000)
    scratch.buffer.copyBytes(from: bytes)
    let pieces = [Bytes(bytes[..<20_000]), Bytes(bytes[20_000...])]
    var comparison = DemoComparison()
    comparison.compared(Bytes(concatenating: pieces), at: 1000, with: scratch)
    #expect(comparison.mismatch == nil)
    scratch.buffer[34_567] ^= 1
    comparison.compared(Bytes(concatenating: pieces), at: 1000, with: scratch)
    #expect(comparison.mismatch == 35_567)
    #expect(comparison.reads == 2 && comparison.bytes == 100_000)
  }

  @Test func `a mismatch is the verdict`() {
    var report = DemoReport(path: "f", byteCount: 4, engine: .automatic, seed: 1)
    #expect(report.text.contains("OK: compared 0 reads"))
    let scratch = Scratch(.bytes(4))
    scratch.buffer.copyBytes(from: [1, 2, 3, 4])
    report.comparison.compared([1, 2, 3, 5], at: 0, with: scratch)
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
