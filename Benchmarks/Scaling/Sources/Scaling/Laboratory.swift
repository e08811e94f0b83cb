import CBenchmarkPeers
import CLZ4Peers
import Foundation
import RangeIO

/// The files that contenders read, and how much of them.
struct Laboratory: Sendable {
  static let blockSize = 4096
  static let tierBlockSize = 65_536
  /// What LZ4 leaves of the blocks for tiers.
  private static let fraction = 0.5

  let directory: URL
  let file: BenchmarkFile
  /// For tiers: blocks of 64 KiB that LZ4 halves.
  let tierFile: String
  /// The limit of stores that evict, in bytes.
  let store: Int
  /// The most blocks of a workload of hits, and whether all bytes are compared: less where each instruction is recorded.
  let mostBlocks: Int
  let verifies: Bool
  private let noise: Double

  init(
    _ directory: URL, gibibytes: Int, store: Int = 64 << 20, mostBlocks: Int = .max, verifies: Bool = true
  ) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    (self.directory, self.store, self.mostBlocks, self.verifies) = (directory, store, mostBlocks, verifies)
    file = try BenchmarkFile(.gibibytes(gibibytes), in: directory, progress: Progress())
    tierFile = directory.appendingPathComponent("range-io-tiers-\(store >> 20).bin").path
    let attributes = try? FileManager.default.attributesOfItem(atPath: tierFile)
    let isMade = attributes?[.size] as? Int == 2 * store
    noise = isMade && !verifies ? 0 : bench_compressible_noise(Self.tierBlockSize, Self.fraction)
    if !isMade { try makeTierFile() }
  }

  /// All of the file.
  var allBlocks: Blocks { Blocks(size: Self.blockSize, count: file.byteCount / Self.blockSize) }
  /// Twice the store's limit: half of it in memory, and as much again as compressed memory has room for.
  var tierBlocks: Blocks { Blocks(size: Self.tierBlockSize, count: 2 * store / Self.tierBlockSize) }

  func hitBlocks(_ count: Int) -> Blocks { Blocks(size: Self.blockSize, count: min(count, mostBlocks)) }

  /// Reads all blocks twice, so that those are kept that are kept at the second read, and compares all bytes.
  func fill(_ reader: RangeReader, _ blocks: Blocks, first count: Int = .max) async throws {
    for _ in 0..<2 {
      for number in 0..<min(count, blocks.count) {
        let range = blocks.range(number)
        try compare(try await reader.read(range), range)
      }
    }
  }

  private func compare(_ bytes: Bytes, _ range: Range<Int>) throws {
    guard verifies else { return try WrongBytes.check(bytes, at: range.lowerBound) }
    let expected = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 8)
    defer { expected.deallocate() }
    write(expected, range)
    let isSame = bytes.withUnsafeBytes {
      $0.count == range.count && memcmp($0.baseAddress!, expected.baseAddress!, range.count) == 0
    }
    guard isSame else { throw WrongBytes(offset: range.lowerBound) }
  }

  /// What the file has there, told by the size of its blocks.
  private func write(_ buffer: UnsafeMutableRawBufferPointer, _ range: Range<Int>) {
    if range.count == Self.tierBlockSize {
      bench_fill_compressible(buffer.baseAddress, range.count, Int64(range.lowerBound), noise)
    } else {
      bench_fill(buffer.baseAddress, range.count, Int64(range.lowerBound))
    }
  }

  private func makeTierFile() throws {
    let blocks = tierBlocks
    var data = Data(count: blocks.count * blocks.size)
    data.withUnsafeMutableBytes { all in
      for number in 0..<blocks.count {
        write(UnsafeMutableRawBufferPointer(rebasing: all[blocks.range(number)]), blocks.range(number))
      }
    }
    try data.write(to: URL(fileURLWithPath: tierFile), options: .atomic)
  }

  /// Puts the file into the page cache, or drops it from there.
  func makeResident(_ isResident: Bool) throws {
    let descriptor = try file.open()
    defer { close(descriptor) }
    if isResident {
      try SystemFailure.check(
        bench_pread_stream(descriptor, Int64(file.byteCount), 1 << 20, true, false), "read the file")
    } else {
      try SystemFailure.check(Int64(bench_drop_cache(descriptor, Int64(file.byteCount))), "drop the file")
    }
  }
}
