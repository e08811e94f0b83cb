import RangeIO
import Synchronization

/// A source of any size that repeats one page of 64 KiB, which a store must copy. Records its reads.
final class MadeUpSource: RangeSource {
  let description: SourceDescription
  private let reads = Mutex<[ByteRange]>([])
  private let page: Bytes

  init(byteCount: Int, page: Bytes = Bytes(repeatElement(0xA5, count: 65_536))) {
    self.page = page
    description = SourceDescription(id: "replay", validator: MadeUpVersion(), byteCount: byteCount)
  }

  var byteCount: Int { description.byteCount }

  /// The source never waits.
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
