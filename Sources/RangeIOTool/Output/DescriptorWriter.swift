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

extension ToolFailure {
  /// The failure to write to `name`.
  static func writing(to name: String, _ error: Errno) -> ToolFailure {
    let advice =
      switch error {
      case .noSpace, .diskQuotaExceeded: "; free some space, or write elsewhere"
      case .fileTooLarge: "; raise the limit (ulimit -f), or write elsewhere"
      default: ""
      }
    return ToolFailure("cannot write to \(name): \(error.description.lowercased())\(advice)")
  }
}
