import CBenchmarkPeers
import RangeIO
import Synchronization

/// A source of any size whose bytes cost little more than the memory they are in: every block is a copy of one, but for
/// its first word, which is that of the benchmark's file.
final class BlockSource: RangeSource {
  private static let template: [UInt8] = (0..<CacheTopic.blockSize).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private let id: String
  private let byteCount: Int
  private let reads = Atomic<Int>(0)
  private let bytes = Atomic<Int>(0)

  /// - Parameter byteCount: a multiple of the block size.
  init(id: String = "blocks", byteCount: Int) {
    self.id = id
    self.byteCount = byteCount
  }

  /// What was read so far.
  var use: SourceUse { SourceUse(reads: reads.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed)) }

  nonisolated(nonsending) func describe() async throws -> SourceDescription {
    SourceDescription(
      id: id, validator: OnlyVersion(), byteCount: byteCount, preferredBlockSize: .bytes(CacheTopic.blockSize),
      traits: .neverWaiting)
  }

  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    read(range)
  }

  /// The bytes of `range`, whose ends are those of blocks, in memory of their own.
  func read(_ range: ByteRange) -> Bytes {
    reads.wrappingAdd(1, ordering: .relaxed)
    bytes.wrappingAdd(range.count, ordering: .relaxed)
    return Self.bytes(range)
  }

  static func bytes(_ range: ByteRange) -> Bytes {
    Bytes(count: range.count) { buffer in
      template.withUnsafeBytes { template in
        for position in stride(from: 0, to: range.count, by: CacheTopic.blockSize) {
          let word = bench_word(UInt64(range.lowerBound + position) / 8)
          let block = UnsafeMutableRawBufferPointer(rebasing: buffer[position..<position + CacheTopic.blockSize])
          block.copyMemory(from: template)
          block.storeBytes(of: word.littleEndian, as: UInt64.self)
        }
      }
    }
  }
}
