#if Tool
import RangeIO
import SystemPackage

/// Standard input that can only be read forward: a pipe, a terminal, or a file whose beginning was read before.
enum StandardInput {
  /// The most bytes that one read returns.
  static let maxReadBytes = 64 << 10

  /// `true` for a file that is at its beginning, which can be opened and read like others.
  static var isFile: Bool {
    var status = stat()
    return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0
  }

  /// The next bytes, at most `count`; none at the end. Blocks.
  static func next(_ count: Int = maxReadBytes) throws(ToolFailure) -> Bytes {
    while true {
      var failure: Errno?
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        let result = read(STDIN_FILENO, buffer.baseAddress, count)
        if result < 0 { failure = Errno(rawValue: errno) } else { filled = result }
      }
      switch failure {
      case nil: return Bytes(bytes)
      case .interrupted?: continue
      case .resourceTemporarilyUnavailable?:
        // Another process has made it non-blocking.
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, -1)
      case let error?:
        throw ToolFailure(
          "cannot read standard input: \(error.description.lowercased())", status: .unusableSource)
      }
    }
  }

  /// All bytes; `nil` if there are more than `most`. Blocks.
  static func all(most: Int) throws(ToolFailure) -> Bytes? {
    var (pieces, total): ([Bytes], Int) = ([], 0)
    while case let piece = try next(), !piece.isEmpty {
      pieces.append(piece)
      total += piece.count
      guard total <= most else { return nil }
    }
    return Bytes(concatenating: pieces)
  }
}
#endif
