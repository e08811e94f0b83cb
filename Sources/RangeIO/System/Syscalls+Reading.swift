import CRangeIOSystem
package import SystemPackage

/// Buffers that one system call fills one after the other: readv(2).
package struct ScatteredBuffers: Sendable {
  package let buffers: [WritableBytes]
  package let byteCount: Int

  package init(_ buffers: [WritableBytes]) {
    self.buffers = buffers
    byteCount = buffers.reduce(0) { $0 + $1.capacity }
  }

  /// What is left to fill after the first `filled` bytes, up to byte `end`, limited to one call.
  private func rest(after filled: Int, upTo end: Int) -> [iovec] {
    var skip = filled
    var wanted = min(end - filled, Syscalls.longestRead)
    var vectors: [iovec] = []
    for buffer in buffers {
      let cut = min(skip, buffer.capacity)
      skip -= cut
      let count = min(buffer.capacity - cut, wanted)
      if count > 0 { vectors.append(iovec(iov_base: buffer.base + cut, iov_len: count)) }
      wanted -= count
      if wanted == 0 { break }
    }
    return vectors
  }

  /// Fills the buffers from `offset` of the file, after the first `filled` bytes. Waits for the disk if it must.
  ///
  /// - Returns: the total number of bytes filled. Fewer than `byteCount` only at the end of the file.
  package func fill(
    after filled: Int, from offset: Int, of descriptor: CInt, _ syscalls: Syscalls
  ) throws(Errno) -> Int {
    var filled = filled
    while filled < byteCount {
      let result = rest(after: filled, upTo: byteCount).withUnsafeBufferPointer {
        syscalls.readScattered(descriptor, $0, offset + filled, false)
      }
      if result == 0 { break }
      if result > 0 {
        filled += result
      } else if Errno(result: result) != .interrupted {
        throw Errno(result: result)
      }
    }
    return filled
  }

  /// Fills the buffers up to byte `end` as far as the page cache has it.
  ///
  /// - Returns: the total number of bytes filled; `nil` if this file system cannot tell what is resident.
  package func fillWithResident(
    after before: Int, upTo end: Int, from offset: Int, of descriptor: CInt, _ syscalls: Syscalls
  ) throws(Errno) -> Int? {
    var filled = before
    while filled < end {
      let result = rest(after: filled, upTo: end).withUnsafeBufferPointer {
        syscalls.readScattered(descriptor, $0, offset + filled, true)
      }
      if result == 0 { break }
      if result > 0 {
        filled += result
        continue
      }
      switch ResidentRefusal(result) {
      case .interrupted: continue
      case .notResident: return filled
      case .unknown: return filled == before ? nil : filled
      case .failed(let errno): throw errno
      }
    }
    return filled
  }
}
