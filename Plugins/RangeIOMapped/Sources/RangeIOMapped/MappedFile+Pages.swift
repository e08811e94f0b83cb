internal import RangeIO
internal import Synchronization
internal import SystemPackage

extension MappedFile {
  /// Brings the pages of `range` in, so that touching them finds them there: what would be a signal then is an error
  /// now.
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
      // SIGBUS, had it been touched: the file ends before, or the disk fails. Reading tells which.
      try readAhead(range)
      throw ReadError(
        .inputOutput, "a page of the file could not be brought in, and could be read right after: try again",
        isTransient: true, context: context(range))
    case let errno: throw ReadError.errno(errno, "bring the pages of the file in", context(range))
    }
  }

  /// Reads `range` through the descriptor and drops it: its pages are in memory afterwards, where mapped ones are taken
  /// from, and what fails is an error.
  private func readAhead(_ range: ByteRange) throws {
    // Small enough for the processor's cache, so that it costs little beside the system calls.
    try withUnsafeTemporaryAllocation(byteCount: min(range.count, 65_536), alignment: 16) { buffer in
      var offset = range.lowerBound
      while offset < range.upperBound {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(range.upperBound - offset))
        offset += try read(part, at: offset, of: range)
      }
    }
  }

  /// Fills `buffer` from `range`, waiting for the disk where it must.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from range: ByteRange) throws {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      filled += try read(rest, at: range.lowerBound + filled, of: range)
    }
  }

  /// The bytes of `range` in memory of their own, if the page cache holds all of them. Waits for nothing.
  func copyOfResident(_ range: ByteRange) -> Bytes? {
    struct NotResident: Error {}
    // `try?`: only the error above is thrown, and it is the answer: not all of them are there.
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
          + "read the new version", context: context(range))
    }
    throw ReadError.errno(Errno(rawValue: CInt(-count)), "read the file", context(range))
  }
}
