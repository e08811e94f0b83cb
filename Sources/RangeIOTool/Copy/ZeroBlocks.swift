#if Tool
import RangeIO

/// Finds what need not be written to a file that consists of holes: blocks of zeros.
enum ZeroBlocks {
  /// The size of blocks in most file systems.
  static let size = 4096

  /// Calls `body` with each run of `buffer` that consists of zeros in whole blocks, or of anything else, in order.
  ///
  /// - Parameter offset: where the buffer lies in the file. Blocks are counted from the start of the file.
  static func forEachRun<Failure: Error>(
    _ buffer: UnsafeRawBufferPointer, at offset: Int,
    _ body: (_ run: UnsafeRawBufferPointer, _ offset: Int, _ isZero: Bool) throws(Failure) -> Void
  ) throws(Failure) {
    var start = 0
    var wasZero = false
    var position = 0
    while position < buffer.count {
      let end = min(buffer.count, position + size - (offset + position) % size)
      let isZero = end - position == size && self.isZero(UnsafeRawBufferPointer(rebasing: buffer[position..<end]))
      if isZero != wasZero, position > start {
        try body(UnsafeRawBufferPointer(rebasing: buffer[start..<position]), offset + start, wasZero)
        start = position
      }
      wasZero = isZero
      position = end
    }
    if position > start {
      try body(UnsafeRawBufferPointer(rebasing: buffer[start..<position]), offset + start, wasZero)
    }
  }

  /// `true` if `buffer` has no bytes other than zeros.
  static func isZero(_ buffer: UnsafeRawBufferPointer) -> Bool {
    guard let base = buffer.baseAddress, buffer.count > 0 else { return true }
    // Each byte equals the one before it, and the first is zero: the C library compares many bytes at once.
    return buffer[0] == 0 && memcmp(base, base + 1, buffer.count - 1) == 0
  }
}

/// The checksums of pieces that are zeros from end to end. A value.
struct ZeroSums {
  private let layout: CopyLayout
  /// Of all pieces but the last, which may be shorter.
  private let whole: UInt32

  init(_ layout: CopyLayout) {
    self.layout = layout
    whole = Self.sum(layout.pieceSize)
  }

  subscript(piece: Int) -> UInt32 {
    let count = layout.range(of: piece..<piece + 1).count
    return count == layout.pieceSize ? whole : Self.sum(count)
  }

  private static func sum(_ count: Int) -> UInt32 {
    [UInt8](repeating: 0, count: count).withUnsafeBytes { CRC32C.of($0, continuing: 0) }
  }
}
#endif
