internal import CRangeIOMapped
internal import RangeIO

/// A file mapped into memory. The mapping lives until its last slice is released: nothing else ends it.
final class Mapping: @unchecked Sendable {
  // Unchecked: constants, and memory that nothing in this process writes to.
  private let base: UnsafeMutableRawPointer
  /// The mapped bytes, from the start of the file.
  let count: Int

  /// Maps the first `count` bytes of the file behind `descriptor`, read-only.
  ///
  /// The mapping is shared, not private. Its pages are those of the page cache and never copies, so it takes no memory
  /// of its own, and a slice shows what the file contains. A private mapping does not guarantee that.
  ///
  /// - Throws: the error number.
  init(_ descriptor: CInt, count: Int, _ calls: MappedCalls) throws(MappingFailure) {
    var error: CInt = 0
    guard let base = calls.map(descriptor, count, &error) else { throw MappingFailure(number: error) }
    self.base = base
    self.count = count
  }

  deinit { rim_unmap(base, count) }

  /// The bytes of `range`, without copying them.
  func bytes(_ range: ByteRange) -> Bytes {
    Bytes(unsafeShowing: UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count), owner: self)
  }

  /// The whole pages that contain the bytes of `range`.
  func pages(of range: ByteRange) -> UnsafeMutableRawBufferPointer {
    let part = range.clamped(to: 0..<count)
    let lower = part.lowerBound & ~(Self.pageSize - 1)
    // The part of the last page after the end is mapped as well.
    let upper = (part.upperBound + Self.pageSize - 1) & ~(Self.pageSize - 1)
    return UnsafeMutableRawBufferPointer(start: base + lower, count: part.isEmpty ? 0 : upper - lower)
  }

  /// Tells the kernel how the pages of `range` will be read.
  func advise(_ advice: rim_advice, _ range: ByteRange) {
    let pages = pages(of: range)
    if let base = pages.baseAddress, !pages.isEmpty { rim_advise(base, pages.count, advice) }
  }

  private static let pageSize = rim_page_size()
}

/// Why a file could not be mapped.
struct MappingFailure: Error {
  /// The `errno` value.
  let number: CInt
}
