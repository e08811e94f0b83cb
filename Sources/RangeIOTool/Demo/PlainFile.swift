#if Tool
import Dispatch
import RangeIO
import SystemPackage

/// The same file without RangeIO, read as asynchronous code has to for the same guarantees: on a pool of threads that may
/// block, into memory of its own, with a look at the file (`fstat`) after each read.
final class PlainFile: Sendable {
  private let descriptor: CInt
  private let path: String
  private let version: Version

  /// What changes when the file does.
  private struct Version: Equatable {
    let size: Int
    let seconds: SIMD2<Int>
    let nanoseconds: SIMD2<Int>

    init?(_ descriptor: CInt) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      let (modified, changed) = Platform.times(status)
      size = Int(status.st_size)
      seconds = [modified.tv_sec, changed.tv_sec]
      nanoseconds = [modified.tv_nsec, changed.tv_nsec]
    }
  }

  init(_ path: String) throws(ToolFailure) {
    self.path = path
    descriptor = try PathArgument.withSystemPath(of: path) { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0, let version = Version(descriptor) else {
      throw ToolFailure("cannot open \(path) a second time: \(Errno(rawValue: errno).description.lowercased())")
    }
    self.version = version
  }

  deinit { close(descriptor) }

  /// Does `work` on the threads of Dispatch. They cannot be stopped, so a cancelled task waits for its end.
  static func onPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    // By a lock: on Linux the thread sanitizer does not see how Dispatch and a continuation pass a value on.
    let result = Locked<Result<Value, any Error>?>(nil)
    // Unsafe: resumed exactly once, and the check would count against plain reads.
    await withUnsafeContinuation { continuation in
      DispatchQueue.global().async {
        let done = Result(catching: work)
        result.withLock { $0 = done }
        continuation.resume()
      }
    }
    guard let value = try result.withLock({ $0 })?.get() else { throw CancellationError() }
    try Task.checkCancellation()
    return value
  }

  func read(_ range: ByteRange) async throws -> PlainBytes { try await Self.onPool { try self.readHere(range) } }

  /// Reads on the calling thread.
  func readHere(_ range: ByteRange) throws(ToolFailure) -> PlainBytes {
    let bytes = PlainBytes(range.count)
    try fill(bytes.buffer, from: range)
    guard Version(descriptor) == version else { throw ToolFailure("\(path) changed while it was read") }
    return bytes
  }

  /// Fills the start of `buffer` with the bytes of `range`, and looks at nothing else.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from range: ByteRange) throws(ToolFailure) {
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

/// What plain reads return: memory of its own.
final class PlainBytes: @unchecked Sendable {
  // Unchecked: written before it is passed on, and never again.
  let buffer: UnsafeMutableRawBufferPointer

  init(_ count: Int) { buffer = .allocate(byteCount: count, alignment: 16) }

  deinit { buffer.deallocate() }

  /// The position where `bytes` first differ from these, or `nil`.
  func firstDifference(from bytes: Bytes) -> Int? {
    guard bytes.count == buffer.count else { return min(bytes.count, buffer.count) }
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
#endif
