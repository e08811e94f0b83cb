import RangeIO
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The same file, read the plain way: `pread` in a loop, nothing of RangeIO. The judge of the demo, and its yardstick.
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

/// Memory to read into, used again and again.
final class Scratch: @unchecked Sendable {
  // Unchecked: a buffer that one thread uses at a time, which its users see to.
  let buffer: UnsafeMutableRawBufferPointer

  init(_ size: ByteCount) { buffer = .allocate(byteCount: size.bytes, alignment: 4096) }

  deinit { buffer.deallocate() }

  /// Where `bytes` first differ from the start of this buffer, or nil.
  func firstDifference(from bytes: Bytes) -> Int? {
    var position = 0
    var found: Int?
    bytes.forEachSpan { span in
      span.withUnsafeBytes { piece in
        defer { position += piece.count }
        guard found == nil, let base = piece.baseAddress else { return }
        let expected = UnsafeRawBufferPointer(rebasing: buffer[position..<position + piece.count])
        // `memcmp` for speed; the exact place only when there is one.
        guard memcmp(base, expected.baseAddress!, piece.count) != 0 else { return }
        found = position + (zip(piece, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0)
      }
    }
    return found
  }
}
