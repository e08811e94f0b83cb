import CRangeIOSystem
package import SystemPackage

/// Buffers that are filled one after the other by one system call: readv(2).
package struct ScatteredBuffers: Sendable {
  package let buffers: [WritableBytes]
  package let byteCount: Int

  package init(_ buffers: [WritableBytes]) {
    self.buffers = buffers
    byteCount = buffers.reduce(0) { $0 + $1.capacity }
  }

  /// What is left to fill after the first `filled` bytes.
  private func rest(after filled: Int) -> [iovec] {
    var skip = filled
    var vectors: [iovec] = []
    for buffer in buffers {
      let cut = min(skip, buffer.capacity)
      skip -= cut
      if cut < buffer.capacity {
        vectors.append(iovec(iov_base: buffer.base + cut, iov_len: buffer.capacity - cut))
      }
    }
    return vectors
  }

  /// Fills the buffers from `offset` of the file on, after the first `filled` bytes.
  ///
  /// - Parameter resident: to take what the page cache holds only, without waiting for the disk.
  /// - Returns: the bytes filled in all. Fewer than `byteCount` at the end of the file; and where the page cache ends.
  package func fill(
    after filled: Int, from offset: Int, of descriptor: CInt, resident: Bool, _ syscalls: Syscalls
  ) throws(Errno) -> Int {
    var filled = filled
    while filled < byteCount {
      let result = rest(after: filled).withUnsafeBufferPointer {
        syscalls.readScattered(descriptor, $0, offset + filled, resident)
      }
      if result > 0 {
        filled += result
        continue
      }
      if result == 0 { break }
      let errno = Errno(result: result)
      if errno == .interrupted { continue }
      guard resident else { throw errno }
      // Nothing more is resident, or this file system cannot tell: either way the disk has to be asked.
      break
    }
    return filled
  }
}
