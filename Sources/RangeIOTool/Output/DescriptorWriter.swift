#if Tool
import CRangeIOSystem
import RangeIO
import SystemPackage

/// Writes all bytes to a descriptor, in as many calls as necessary. Does not own the descriptor.
struct DescriptorWriter {
  let descriptor: CInt

  func write(_ bytes: Bytes) throws(Errno) {
    try bytes.forEachSpan { (span) throws(Errno) in
      // In two steps, because `RawSpan.withUnsafeBytes` passes on a typed error only if its closure is spelled out.
      try span.withUnsafeBytes { (buffer) throws(Errno) in try write(buffer) }
    }
  }

  /// Writes `count` zeros: as a hole, if this is a file that ends here.
  func writeZeros(_ count: Int) throws(Errno) {
    var left = count
    // The last one is written: a gap is a hole once something follows it.
    if left > 1, rio_leave_gap(descriptor, Int64(left - 1)) == 0 { left = 1 }
    let zeros = Bytes([UInt8](repeating: 0, count: min(left, 1 << 20)))
    while left > 0 {
      let count = min(left, zeros.count)
      try write(zeros.slice(0..<count))
      left -= count
    }
  }

  func write(_ buffer: UnsafeRawBufferPointer) throws(Errno) {
    var rest = buffer[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let written = Platform.write(descriptor, piece.baseAddress, piece.count)
      if written > 0 {
        rest = rest.dropFirst(written)
        continue
      }
      let error = written == 0 ? Errno.ioError : Errno(rawValue: errno)
      switch error {
      case .interrupted: continue
      case .resourceTemporarilyUnavailable: waitUntilWritable()
      default: throw error
      }
    }
  }

  /// Waits for a descriptor that another process has made non-blocking, such as a terminal.
  private func waitUntilWritable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // The result does not matter: if there is an error, the next write reports it.
    _ = poll(&request, 1, -1)
  }
}
#endif
