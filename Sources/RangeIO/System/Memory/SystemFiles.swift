import SystemPackage

/// The small files in which the kernel reports about itself: read whole, or not at all.
///
/// A file that is missing, unreadable or no regular file gives `nil`. That is no error, since systems differ in which
/// files they have.
struct SystemFiles: Sendable {
  /// The directory above every path: a test passes a tree of its own.
  let root: FilePath
  let syscalls: Syscalls

  init(root: FilePath = "/", syscalls: Syscalls = .system) {
    self.root = root
    self.syscalls = syscalls
  }

  /// The text of the file at `path`, at most its first `limit` bytes.
  ///
  /// Below the limit, one system call returns the whole file as it was at one moment.
  func text(_ path: FilePath, limit: Int = 64 * 1024) -> KernelText? {
    let descriptor = syscalls.call.open(root.appending(path.components))
    guard descriptor >= 0 else { return nil }
    defer { _ = syscalls.call.close(CInt(descriptor)) }
    do {
      let bytes = try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        count = try syscalls.readFully(CInt(descriptor), UnsafeMutableRawBufferPointer(buffer), at: 0)
      }
      return KernelText(bytes[...])
    } catch {
      return nil
    }
  }

  /// The number in the file at `path`, if the file holds only that and the end of its line.
  func number(_ path: FilePath) -> Int? {
    guard let lines = text(path)?.lines, lines.count == 1 else { return nil }
    return lines[0].number
  }
}

extension FilePath {
  /// The path with these bytes from the kernel.
  init(_ text: KernelText) {
    // A path ends at a zero byte and cannot contain one.
    self.init(platformString: text.bytes.prefix { $0 != 0 }.map(CChar.init(bitPattern:)) + [0])
  }
}
