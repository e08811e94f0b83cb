import CRangeIOSystem

extension Bytes {
  /// The position of the first byte that equals `byte`, or `nil`.
  ///
  /// - Complexity: O(n), many bytes at a time (`memchr`).
  public func firstIndex(of byte: UInt8) -> Int? {
    defer { _fixLifetime(self) }
    var position = 0
    while position < count {
      let run = run(at: position)
      // Not empty, so it has an address.
      let start = run.baseAddress!
      if let found = memchr(start, CInt(byte), run.count) { return position + (UnsafeRawPointer(found) - start) }
      position += run.count
    }
    return nil
  }

  /// The number of bytes that equal `byte`: lines in a log, rows of a table.
  ///
  /// - Complexity: O(n), 64 bytes at a time.
  public func count(of byte: UInt8) -> Int {
    var total = 0
    forEachRun { _, run in total += Self.count(of: byte, in: run) }
    return total
  }

  private static func count(of byte: UInt8, in run: UnsafeRawBufferPointer) -> Int {
    typealias Lanes = SIMD64<UInt8>
    let width = MemoryLayout<Lanes>.size
    let (wanted, one) = (Lanes(repeating: byte), Lanes(repeating: 1))
    var (total, position) = (0, 0)
    while run.count - position >= width {
      // A lane counts to 255 at most.
      let end = position + Swift.min((run.count - position) / width, 255) * width
      var sums = Lanes.zero
      while position < end {
        sums.replace(with: sums &+ one, where: run.loadUnaligned(fromByteOffset: position, as: Lanes.self) .== wanted)
        position += width
      }
      for lane in 0..<Lanes.scalarCount { total += Int(sums[lane]) }
    }
    while position < run.count {
      if run[position] == byte { total += 1 }
      position += 1
    }
    return total
  }
}
