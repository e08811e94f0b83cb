#if Tool
import RangeIO
import RangeIOTiers
import Synchronization

/// A source of any size that repeats one page of 64 KiB, which a store must copy. Records its reads.
final class MadeUpSource: RangeSource {
  let description: SourceDescription
  private let reads = Mutex<[ByteRange]>([])
  private let page: Bytes

  init(byteCount: Int, page: Bytes = Bytes(repeatElement(0xA5, count: 65_536))) {
    self.page = page
    var traits = SourceDescription.Traits()
    // It never waits.
    traits.answersCancellation = true
    description = SourceDescription(id: "replay", validator: MadeUpVersion(), byteCount: byteCount, traits: traits)
  }

  var byteCount: Int { description.byteCount }

  func describe() async throws -> SourceDescription { description }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    reads.withLock { $0.append(range) }
    return bytes(of: range)
  }

  /// Appends the ranges read since the last call to `list`.
  func takeReads(into list: inout [ByteRange]) {
    reads.withLock { reads in
      list += reads
      reads.removeAll(keepingCapacity: true)
    }
  }

  /// The bytes of `range`. Does not record the read.
  func bytes(of range: ByteRange) -> Bytes {
    guard range.count > page.count else { return page.slice(0..<range.count) }
    let (pages, rest) = range.count.quotientAndRemainder(dividingBy: page.count)
    return Bytes(concatenating: Array(repeating: page, count: pages) + [page.slice(0..<rest)])
  }
}

/// Bytes that LZ4 compresses to a given size, as data for a compressing cache.
enum MadeUpPage {
  /// 64 KiB in which each aligned block of `blockSize` compresses to about `fraction` of its size.
  ///
  /// Each 64 bytes are part noise and part repetition. The proportion is found by trial.
  static func make(shrinkingTo fraction: Double, blockSize: Int) -> Bytes {
    guard fraction < 1 else { return bytes(noise: 64) }
    var (low, high) = (0, 64)
    while low < high {
      let middle = (low + high) / 2
      if compressedFraction(bytes(noise: middle), blockSize) < fraction { low = middle + 1 } else { high = middle }
    }
    return bytes(noise: low)
  }

  /// The size to which LZ4 compresses the first block, as a fraction.
  static func compressedFraction(_ page: Bytes, _ blockSize: Int) -> Double {
    let block = page.slice(0..<min(blockSize, page.count))
    var room = [UInt8](repeating: 0, count: block.count * 2 + 64)
    let count = block.withUnsafeBytes { source in
      room.withUnsafeMutableBytes { LZ4Codec().encode(source, into: $0) }
    }
    return Double(count ?? block.count) / Double(block.count)
  }

  /// - Parameter noise: how many of each 64 bytes are noise.
  private static func bytes(noise: Int) -> Bytes {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return Bytes(
      (0..<65_536).lazy.map { index in
        guard index % 64 < noise else { return 0xA5 }
        // xorshift64 (G. Marsaglia, "Xorshift RNGs", 2003).
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 32)
      } as LazyMapSequence<Range<Int>, UInt8>)
  }
}

/// The only version of a made-up source.
struct MadeUpVersion: SourceDescription.Validator {
  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    newer is MadeUpVersion ? .same : .other
  }

  var persistentForm: [UInt8]? { [1] }
}
#endif
