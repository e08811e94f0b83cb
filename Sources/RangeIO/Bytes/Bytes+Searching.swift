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
  /// - Complexity: O(n), 16 bytes at a time.
  public func count(of byte: UInt8) -> Int {
    var total = 0
    forEachRun { _, run in total += Self.count(of: byte, in: run) }
    return total
  }

  private static func count(of byte: UInt8, in run: UnsafeRawBufferPointer) -> Int {
    // Larger vectors are no faster, and `replace` of the largest becomes a loop over single bytes.
    typealias Lanes = SIMD16<UInt8>
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

// Concrete: the standard library has both for every collection, a thousand times as slow.

extension Bytes {
  /// The positions of the first `pattern`, or `nil`: of a mark in a file, a boundary. An empty pattern is found at the start.
  ///
  /// ```swift
  /// guard let mark = bytes.firstRange(of: "ftyp".utf8) else { throw NotAnMP4File() }
  /// ```
  ///
  /// - Complexity: O(n), many bytes at a time (`memmem`).
  public func firstRange(of pattern: some Collection<UInt8>) -> Range<Int>? {
    let pattern = Bytes(pattern)
    guard !pattern.isEmpty else { return 0..<0 }
    let beyond = pattern.count - 1
    var position = 0
    while position < count {
      let end = position + run(at: position).count
      // Then what begins in this piece of memory and ends in another.
      let seam = Swift.max(position, end - beyond)..<Swift.min(count, end + beyond)
      for part in [position..<end, seam] where part.count > beyond {
        if let found = slice(part).place(of: pattern, rio_find) {
          return part.lowerBound + found..<part.lowerBound + found + pattern.count
        }
      }
      position = end
    }
    return nil
  }

  /// The positions of the last `pattern`, or `nil`. An empty pattern is found at the end.
  ///
  /// ```swift
  /// let tail = try await reader.read(suffix: 65_557)  // the end of a ZIP file, behind which a comment may follow
  /// guard let end = tail.lastRange(of: [0x50, 0x4B, 5, 6]) else { throw NotAZIPFile() }
  /// ```
  ///
  /// - Complexity: O(n) for patterns that are rare, at worst O(n × m). Several pieces of memory are copied first.
  public func lastRange(of pattern: some Collection<UInt8>) -> Range<Int>? {
    let pattern = Bytes(pattern)
    guard !pattern.isEmpty else { return count..<count }
    return place(of: pattern, rio_find_last).map { $0..<$0 + pattern.count }
  }

  private func place(
    of pattern: Bytes, _ find: @convention(c) (UnsafeRawPointer?, Int, UnsafeRawPointer?, Int) -> UnsafeRawPointer?
  ) -> Int? {
    withUnsafeBytes { memory in
      pattern.withUnsafeBytes { pattern in
        guard let start = memory.baseAddress else { return nil }
        return find(start, memory.count, pattern.baseAddress, pattern.count).map { $0 - start }
      }
    }
  }
}
