import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The same as `LongWriteTests`, with a process that writes.
struct LongWriteProcessTests {
  private static let byteCount = 256 << 20

  /// `dd` writes all of it by one call. It is stopped as soon as the kernel has stamped the file: the call goes on to its
  /// end, and no other follows.
  @Test func `a reader that is opened during a long write never keeps old bytes`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("file")
    try write([UInt8](repeating: 1, count: Self.byteCount), to: path)
    let range = Self.byteCount - 65_536..<Self.byteCount
    var wasOld = 0
    for _ in 0..<5 {
      try write([UInt8](repeating: 1, count: Self.byteCount), to: path)
      try await settle(path)
      let before = try #require(status(path))
      let writer = Process()
      writer.executableURL = URL(fileURLWithPath: "/bin/dd")
      writer.arguments = ["if=/dev/zero", "of=\(path)", "bs=\(Self.byteCount)", "count=1", "conv=notrunc"]
      writer.standardError = FileHandle.nullDevice
      try writer.run()
      // This process looks all the time: the write takes some 100 ms.
      while status(path)?.modified == before.modified, writer.isRunning {}
      kill(writer.processIdentifier, SIGSTOP)
      // More than a tick of the clock that stamps files.
      try await Task.sleep(for: .milliseconds(12))
      let reader = try await RangeReader(FileSource(path), [.caching(MemoryStore(limit: .mebibytes(1)))])
      let first = try await reader.read(range)
      if first == Bytes([UInt8](repeating: 1, count: range.count)) { wasOld += 1 }
      kill(writer.processIdentifier, SIGCONT)
      writer.waitUntilExit()
      #expect(try await reader.read(range) == Bytes([UInt8](repeating: 0, count: range.count)))
      await reader.close()
    }
    print("figures: \(wasOld) of 5 were opened in the middle of the write")
  }

  private func status(_ path: String) -> FileStatus? {
    var status = FileStatus()
    return Syscalls.kernelStatusOfPath(FilePath(path), &status) >= 0 ? status : nil
  }
}
