import RangeIO
import SystemPackage

/// The same file, read without RangeIO: `pread` in a loop. The demo compares bytes and times with it.
final class PlainFile: Sendable {
  private let descriptor: CInt
  private let path: String

  init(_ path: String) throws(ToolFailure) {
    self.path = path
    descriptor = try PathArgument.withSystemPath(of: path) { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw ToolFailure("cannot open \(path) a second time: \(Errno(rawValue: errno).description.lowercased())")
    }
  }

  deinit { close(descriptor) }

  /// Fills the start of `buffer` with the bytes of `range`.
  func read(_ range: ByteRange, into buffer: UnsafeMutableRawBufferPointer) throws(ToolFailure) {
    var filled = 0
    while filled < range.count {
      let count = pread(
        descriptor, buffer.baseAddress! + filled, range.count - filled, off_t(range.lowerBound + filled))
      if count > 0 {
        filled += count
      } else if count == 0 || errno != EINTR {
        let reason = count == 0 ? "the file ended" : Errno(rawValue: errno).description.lowercased()
        throw ToolFailure("plain pread of \(range) of \(path) failed: \(reason)")
      }
    }
  }
}

/// A reusable buffer to read into.
final class Scratch: @unchecked Sendable {
  // Unchecked: the users of this buffer make sure that only one thread uses it at a time.
  let buffer: UnsafeMutableRawBufferPointer

  init(_ size: ByteCount) { buffer = .allocate(byteCount: size.bytes, alignment: 4096) }

  deinit { buffer.deallocate() }

  /// The position where `bytes` first differ from the start of this buffer, or `nil`.
  func firstDifference(from bytes: Bytes) -> Int? {
    var position = 0
    var found: Int?
    bytes.forEachSpan { span in
      span.withUnsafeBytes { piece in
        defer { position += piece.count }
        guard found == nil, let base = piece.baseAddress else { return }
        let expected = UnsafeRawBufferPointer(rebasing: buffer[position..<position + piece.count])
        // `memcmp` for speed; the exact position is searched only if there is a difference.
        guard memcmp(base, expected.baseAddress!, piece.count) != 0 else { return }
        found = position + (zip(piece, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0)
      }
    }
    return found
  }
}
