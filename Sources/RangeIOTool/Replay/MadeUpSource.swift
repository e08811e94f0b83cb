import RangeIO
import Synchronization

/// A source of any size whose bytes are copied from a page that is always at hand: real memory at a cache's cost, and
/// no disk. Notes what it is asked for.
final class MadeUpSource: RangeSource {
  let description: SourceDescription
  private let reads = Mutex<[ByteRange]>([])
  private let page = [UInt8](repeating: 0xA5, count: 65_536)

  init(byteCount: Int) { description = SourceDescription(id: "replay", validator: nil, byteCount: byteCount) }

  var byteCount: Int { description.byteCount }

  /// Never waits.
  var isPrompt: Bool { true }

  func describe() async throws -> SourceDescription { description }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    reads.withLock { $0.append(range) }
    return bytes(of: range)
  }

  func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    reads.withLock { $0.append(range) }
    return grid.pieces(of: range).map { bytes(of: $0.range) }
  }

  /// Moves what was asked for since the last time to the end of `list`.
  func takeReads(into list: inout [ByteRange]) {
    reads.withLock { reads in
      list += reads
      reads.removeAll(keepingCapacity: true)
    }
  }

  /// The bytes of `range` without noting it, those of each block in memory of their own.
  func bytes(of range: ByteRange, on grid: BlockGrid) -> Bytes {
    Bytes(concatenating: grid.pieces(of: range).lazy.map { self.bytes(of: $0.range) })
  }

  private func bytes(of range: ByteRange) -> Bytes {
    page.withUnsafeBytes { page in
      guard range.count > page.count else {
        return Bytes(copying: UnsafeRawBufferPointer(rebasing: page[..<range.count]))
      }
      return Bytes(count: range.count) { buffer in
        for start in stride(from: 0, to: buffer.count, by: page.count) {
          let count = min(page.count, buffer.count - start)
          (buffer.baseAddress! + start).copyMemory(from: page.baseAddress!, byteCount: count)
        }
      }
    }
  }
}
