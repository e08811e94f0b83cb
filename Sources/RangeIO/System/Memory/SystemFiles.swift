import SystemPackage

/// The small files in which the kernel tells about itself: read whole, or not at all.
///
/// A file that is not there, cannot be read, or is no file, tells nothing; that is no error, since which of them there
/// are differs from system to system.
struct SystemFiles: Sendable {
  /// What every path lies below: a test makes up a tree of its own.
  let root: FilePath
  let syscalls: Syscalls

  init(root: FilePath = "/", syscalls: Syscalls = .system) {
    self.root = root
    self.syscalls = syscalls
  }

  /// The text of the file at `path`, at most its first `limit` bytes.
  ///
  /// Short of the limit, one call to the kernel gives all of such a file, as it was at one moment.
  func text(_ path: FilePath, limit: Int = 64 * 1024) -> KernelText? {
    let descriptor = syscalls.open(root.appending(path.components))
    guard descriptor >= 0 else { return nil }
    defer { _ = syscalls.close(CInt(descriptor)) }
    do {
      let bytes = try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        count = try syscalls.readFully(CInt(descriptor), UnsafeMutableRawBufferPointer(buffer), at: 0)
      }
      return KernelText(bytes[...])
    } catch {
      return nil
    }
  }

  /// The number that is all that the file at `path` holds, but for the end of its line.
  func number(_ path: FilePath) -> Int? {
    guard let lines = text(path)?.lines, lines.count == 1 else { return nil }
    return lines[0].number
  }
}

extension FilePath {
  /// The path that the kernel spells with these bytes.
  init(_ text: KernelText) {
    // A path ends at a zero byte; none can hold one.
    self.init(platformString: text.bytes.prefix { $0 != 0 }.map(CChar.init(bitPattern:)) + [0])
  }
}
