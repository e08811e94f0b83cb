import RangeIO

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file that takes what was read, for whoever compares it.
struct Output: ~Copyable {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>

  init(_ path: String) throws(WriteFailed) {
    guard let file = fopen(path, "w") else { throw WriteFailed(path: path) }
    self.path = path
    self.file = file
  }

  deinit { fclose(file) }

  func write(_ bytes: Bytes) throws(WriteFailed) {
    var isWhole = true
    bytes.forEachSpan { span in
      span.withUnsafeBytes { isWhole = isWhole && fwrite($0.baseAddress, 1, $0.count, file) == $0.count }
    }
    guard isWhole else { throw WriteFailed(path: path) }
  }

  /// Hands everything to the system.
  func flush() throws(WriteFailed) {
    guard fflush(file) == 0 else { throw WriteFailed(path: path) }
  }
}

struct WriteFailed: Error {
  let path: String
}
