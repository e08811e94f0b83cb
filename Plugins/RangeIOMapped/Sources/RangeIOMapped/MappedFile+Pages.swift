internal import RangeIO
internal import Synchronization
internal import SystemPackage

extension MappedFile {
  /// Loads the pages of `range`, so that they are in memory when they are touched. A problem that would later be a
  /// signal is an error here.
  ///
  /// May wait for the disk.
  func faultIn(_ range: ByteRange, of mapping: Mapping) throws {
    guard canPopulate.load(ordering: .relaxed) else { return try readAhead(range) }
    let result = calls.populate(mapping.pages(of: range))
    guard result < 0 else { return }
    switch Errno(rawValue: -result) {
    case .invalidArgument, .notSupported:
      canPopulate.store(false, ordering: .relaxed)
      try readAhead(range)
    case .badAddress:
      // Touching it would have raised SIGBUS: the file ends before, or the disk fails. Reading shows which.
      try readAhead(range)
      throw ReadError(
        .inputOutput, "a page of the file could not be brought in, and could be read right after: try again",
        isTransient: true, source: name, range: range)
    case let errno: throw ReadError.errno(errno, "bring the pages of the file in", source: name, range: range)
    }
  }

  /// Reads `range` through the descriptor and discards the bytes. The pages are then in the page cache, where the
  /// mapping finds them, and a failure is an error.
  private func readAhead(_ range: ByteRange) throws {
    // Small enough for the processor's cache, so that the copying costs little compared with the system calls.
    try withUnsafeTemporaryAllocation(byteCount: min(range.count, 65_536), alignment: 16) { buffer in
      var offset = range.lowerBound
      while offset < range.upperBound {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(range.upperBound - offset))
        offset += try read(part, at: offset, of: range)
      }
    }
  }

  /// Fills `buffer` from `range`. Waits for the disk if necessary.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from range: ByteRange) throws {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      filled += try read(rest, at: range.lowerBound + filled, of: range)
    }
  }

  /// Copies the bytes of `range` if the page cache has all of them. Does not wait.
  func copyOfResident(_ range: ByteRange) -> Bytes? {
    struct NotResident: Error {}
    // `try?`: only the error above can be thrown, and it means that not all bytes are in the page cache.
    return try? Bytes(count: range.count) { buffer throws(NotResident) in
      var filled = 0
      while filled < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let count = calls.readResident(descriptor, rest, range.lowerBound + filled)
        guard count > 0 else { throw NotResident() }
        filled += count
      }
    }
  }

  private func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int, of range: ByteRange) throws -> Int {
    let count = calls.read(descriptor, buffer, offset)
    if count > 0 { return count }
    guard count < 0 else {
      throw ReadError(
        .sourceChanged,
        "the file ended \(range.upperBound - offset) bytes early since it was opened: open it again to "
          + "read the new version", source: name, range: range)
    }
    throw ReadError.errno(Errno(rawValue: CInt(-count)), "read the file", source: name, range: range)
  }
}
