import CRangeIOSystem
import SystemPackage

/// An open file on this machine.
final class SystemFile: SpillFile {
  private let descriptor: CInt

  /// Takes ownership of `descriptor`.
  init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { rio_close(descriptor) }

  package func status() throws(Errno) -> DiskStatus {
    var raw = rio_disk_stat()
    try rio_disk_stat(descriptor, &raw).orThrow()
    return DiskStatus(raw)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try Syscalls.system.readFully(descriptor, buffer, at: offset)
  }

  func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int? {
    try Syscalls.system.readWhatIsResident(descriptor, buffer, at: offset)
  }

  package func read(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int {
    try scatter(pieces, offset, isResident: false) ?? 0
  }

  func readResident(into pieces: [UnsafeMutableRawBufferPointer], at offset: Int) throws(Errno) -> Int? {
    try scatter(pieces, offset, isResident: true)
  }

  func readResident(
    into first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int? {
    let count = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
      vectors[0] = iovec(iov_base: first.baseAddress, iov_len: first.count)
      vectors[1] = iovec(iov_base: second.baseAddress, iov_len: second.count)
      return Int(rio_preadv(descriptor, vectors.baseAddress, 2, Int64(offset), true))
    }
    if count == first.count + second.count { return count }
    return try finish([first, second], offset, after: count, isResident: true)
  }

  /// One call for all pieces. What it leaves is read piece by piece.
  private func scatter(
    _ pieces: [UnsafeMutableRawBufferPointer], _ offset: Int, isResident: Bool
  ) throws(Errno) -> Int? {
    let vectors = pieces.map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) }
    let result = Int(rio_preadv(descriptor, vectors, CInt(clamping: vectors.count), Int64(offset), isResident))
    let filled = max(0, result)
    if filled == pieces.reduce(0, { $0 + $1.count }) { return filled }
    return try finish(pieces, offset, after: result, isResident: isResident)
  }

  /// Reads what a call has left that returned `result`.
  private func finish(
    _ pieces: [UnsafeMutableRawBufferPointer], _ offset: Int, after result: Int, isResident: Bool
  ) throws(Errno) -> Int? {
    let filled = max(0, result)
    // Interrupted, cut short, not all resident, or an error: reading the rest shows which.
    let rest = pieces.dropping(filled)
    let more = isResident ? try oneByOneResident(rest, offset + filled) : try oneByOne(rest, offset + filled)
    return more.map { filled + $0 } ?? (filled > 0 ? filled : nil)
  }

  private func oneByOne(_ pieces: [UnsafeMutableRawBufferPointer], _ offset: Int) throws(Errno) -> Int? {
    var filled = 0
    for piece in pieces {
      let count = try read(into: piece, at: offset + filled)
      filled += count
      if count < piece.count { break }
    }
    return filled
  }

  private func oneByOneResident(_ pieces: [UnsafeMutableRawBufferPointer], _ offset: Int) throws(Errno) -> Int? {
    var filled = 0
    for piece in pieces {
      guard let count = try readResident(into: piece, at: offset + filled) else { return filled > 0 ? filled : nil }
      filled += count
      if count < piece.count { break }
    }
    return filled
  }

  package func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno) {
    try GatheredBuffers(parts).write(at: offset) {
      Int(rio_disk_pwritev(descriptor, $0.baseAddress, CInt($0.count), Int64($1)))
    }
  }

  func allocate(_ count: Int) throws(Errno) { try rio_disk_allocate(descriptor, Int64(count)).orThrow() }

  package func truncate(_ count: Int) throws(Errno) { try rio_disk_truncate(descriptor, Int64(count)).orThrow() }

  package func sync() throws(Errno) { try rio_disk_sync_file(descriptor).orThrow() }

  package func lock(exclusively: Bool) throws(Errno) -> Bool {
    try rio_disk_lock(descriptor, exclusively).orThrow() != 0
  }

  func unlock() throws(Errno) { try rio_disk_unlock(descriptor).orThrow() }

  var holders: [Int] {
    var processes = [Int64](repeating: 0, count: 64)
    let count = rio_disk_holders(descriptor, &processes, CInt(processes.count))
    return processes.prefix(Int(count)).map(Int.init)
  }

  func beginWriting(_ count: Int, at offset: Int) {
    rio_disk_begin_writing(descriptor, Int64(count), Int64(offset))
  }
}

extension [UnsafeMutableRawBufferPointer] {
  /// The rest after the first `count` bytes.
  fileprivate func dropping(_ count: Int) -> [UnsafeMutableRawBufferPointer] {
    var left = count
    return compactMap { piece in
      let skipped = Swift.min(left, piece.count)
      left -= skipped
      return skipped == piece.count ? nil : UnsafeMutableRawBufferPointer(rebasing: piece[skipped...])
    }
  }
}
