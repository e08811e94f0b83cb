#if Tool
import SystemPackage

/// A pipe from the tool to a test, of which the test holds the reading end.
struct ReadingEnd {
  let reading: FileDescriptor
  let writing: FileDescriptor

  init() throws {
    let ends = try FileDescriptor.pipe()
    (reading, writing) = ends
    // No other child may keep the pipe open.
    _ = fcntl(ends.readEnd.rawValue, F_SETFD, FD_CLOEXEC)
    _ = fcntl(ends.writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
  }

  /// Starts the tool with this pipe as standard output; standard error goes to a file.
  func start(_ arguments: String..., errors path: String) throws -> ToolProcess {
    try start(arguments, errors: path)
  }

  func start(_ arguments: [String], errors path: String) throws -> ToolProcess {
    let errors = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
    defer { try? errors.close() }
    let process = try ToolProcess(withEngine(arguments), output: writing.rawValue, errors: errors.rawValue)
    try writing.close()
    return process
  }

  /// Reads `count` bytes, or fewer at the end.
  func read(_ count: Int) async throws -> [UInt8] {
    let reading = reading
    return try await blocking {
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while filled < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let got = try reading.read(into: rest)
          if got == 0 { break }
          filled += got
        }
      }
    }
  }

  /// Reads to the end, calling `inspect` with each piece and its offset.
  func drain(
    _ inspect: @escaping @Sendable (UnsafeRawBufferPointer, _ offset: Int) throws -> Void = { _, _ in }
  ) async throws -> Int {
    let reading = reading
    return try await blocking {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
      defer { buffer.deallocate() }
      var offset = 0
      while case let got = try reading.read(into: buffer), got > 0 {
        try inspect(UnsafeRawBufferPointer(rebasing: buffer[..<got]), offset)
        offset += got
      }
      return offset
    }
  }
}
#endif
