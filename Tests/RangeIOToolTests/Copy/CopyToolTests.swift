#if Tool
import Foundation
import RangeIO
import RangeIOSupport
import SystemPackage
import Testing

@testable import RangeIOTool

/// `rangeio copy` as a process.
@Suite(.serialized) struct CopyToolTests {
  let directory: TemporaryDirectory
  private static let noiseOfAll = noise(2_500_000)
  let bytes = noiseOfAll
  let source: String
  let copy: String

  init() throws {
    directory = try TemporaryDirectory()
    source = try directory.file("source", bytes)
    copy = directory("copy")
  }

  /// Waits until the file at `path` would show any later change.
  ///
  /// Times of files have ticks of some milliseconds, and nothing tells when one is over.
  private func settle(_ path: String) async throws {
    while true {
      let info = try await tool("info", path)
      guard String(decoding: info.output, as: UTF8.self).contains("unsettled") else { return }
    }
  }

  /// Starts a copy to `copy`, and kills it once `pieces` pieces of 64 KiB are noted.
  ///
  /// - Returns: the pieces that are noted then.
  private func copyAndKill(
    _ path: String, at pieces: Int, rate: String, signal: CInt = SIGKILL, errors: String = "/dev/null"
  ) async throws -> Int {
    let process = try start(path, rate: rate, errors: errors)
    let wanted = CopyJournal.headerSize + pieces * CopyJournal.recordSize
    try await wait(for: process) { try length(of: copy + ".rangeio-journal") ?? 0 >= wanted }
    process.send(signal)
    #expect(try await process.wait() == (signal == SIGKILL ? 1009 : 130))
    let noted = try length(of: copy + ".rangeio-journal") ?? 0
    return (noted - CopyJournal.headerSize) / CopyJournal.recordSize
  }

  /// Waits until something is so, or the process has ended.
  private func wait(for process: ToolProcess, until isSo: () throws -> Bool) async throws {
    // Nothing tells of it, and its time does not matter.
    while try !isSo(), !process.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
  }

  private func start(
    _ path: String, rate: String, _ options: [String] = [], errors: String = "/dev/null"
  ) throws -> ToolProcess {
    let output = try FileDescriptor.open(
      errors, .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
    defer { try? output.close() }
    return try ToolProcess(
      ["copy", path, copy, "--limit-rate", rate] + options, output: output.rawValue, errors: output.rawValue)
  }

  private func length(of path: String) throws -> Int? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
  }

  /// What `--stats` says was read.
  private func bytesRead(_ result: ToolResult) throws -> Int {
    let words = result.errors.split(separator: " ")
    let place = try #require(words.firstIndex(of: "bytes,"))
    return try #require(Int(words[place - 1]))
  }

  // MARK: copying

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 2_500_000])
  func `a file of any size is copied, and nothing else is left`(byteCount: Int) async throws {
    let path = try directory.file("source", Array(bytes[..<byteCount]))
    for options in [[], ["--parallel", "1"], ["--parallel", "64"], ["--engine", "direct"]] {
      let result = try await tool(["copy", path, copy, "--force"] + options)
      #expect(result.code == 0 && result.output.isEmpty && result.errors == "")
      #expect(areEqual(try contents(copy), bytes[..<byteCount]))
      #expect(try directory.names == ["copy", "source"])
    }
  }

  @Test func `zeros become holes`() async throws {
    var expected = [UInt8](repeating: 0, count: 8 << 20)
    for offset in [0, 5_000_000, 8 << 20 - 1] { expected[offset] = 7 }
    let path = try directory.file("full", expected)
    #expect(try await tool("copy", path, copy).code == 0)
    var status = stat()
    #expect(stat(copy, &status) == 0 && status.st_size == 8 << 20)
    #expect(status.st_blocks * 512 <= 1 << 18)
    #expect(areEqual(try contents(copy), expected[...]))
  }

  @Test func `a file that is replaced does not pass on the rights of its owner`() async throws {
    let existing = try directory.file("copy", [1, 2, 3])
    // Users who run the new file would get the rights of the one who copied it.
    chmod(existing, 0o6755)
    #expect(try await tool("copy", source, copy, "--force").code == 0)
    var status = stat()
    #expect(stat(existing, &status) == 0 && status.st_mode & 0o7777 == 0o755)
  }

  @Test func `an existing file is replaced only by force, and keeps its permissions`() async throws {
    let existing = try directory.file("copy", [1, 2, 3])
    chmod(existing, 0o640)
    let refused = try await tool("copy", source, copy)
    #expect(refused.code == 1 && refused.hasOneLineOfErrors && refused.errors.contains("--force"))
    #expect(try contents(existing) == [1, 2, 3])
    #expect(try await tool("copy", source, copy, "--force").code == 0)
    #expect(areEqual(try contents(existing), bytes[...]))
    let attributes = try FileManager.default.attributesOfItem(atPath: existing)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try directory.names == ["copy", "source"])
  }

  @Test func `the source is never its own target, by whatever name`() async throws {
    let link = directory("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: source)
    for target in [source, link] {
      let result = try await tool("copy", source, target, "--force")
      #expect(result.code == 1 && result.hasOneLineOfErrors && result.errors.contains("source itself"))
    }
    #expect(areEqual(try contents(source), bytes[...]))
    for name in ["x.rangeio-part", "x.rangeio-journal"] {
      let path = try directory.file(name, bytes)
      let result = try await tool("copy", path, directory("x"))
      #expect(result.code == 1 && result.errors.contains("source itself"), "\(result.errors)")
      #expect(areEqual(try contents(path), bytes[...]))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func `a file of the user beside the target is left alone`() async throws {
    for name in ["copy.rangeio-part", "copy.rangeio-journal"] {
      let path = try directory.file(name, Array(bytes[..<3000]))
      let result = try await tool("copy", source, copy)
      #expect(result.code == 1 && result.hasOneLineOfErrors && result.errors.contains(name), "\(result.errors)")
      #expect(areEqual(try contents(path), bytes[..<3000]))
      try FileManager.default.removeItem(atPath: path)
      #expect(try directory.names == ["source"])
    }
  }

  @Test func `a target that cannot be a file is refused in one line`() async throws {
    let nowhere = directory("missing/copy")
    for target in [directory.path, "/dev/null", nowhere, source + "/copy", ""] {
      let result = try await tool("copy", source, target, "--force")
      #expect(result.code == (target.isEmpty ? 2 : 1) && result.hasOneLineOfErrors, "\(target): \(result.errors)")
    }
    #expect(try await tool("copy", directory("missing"), copy).code == 3)
    #expect(try await tool("copy", source, "-").code == 2)
    #expect(try directory.names == ["source"])
  }

  @Test func `a copy into a directory has the name of the source`() async throws {
    let folder = directory("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: directory("link"), withDestinationPath: "folder")
    #expect(try await tool("copy", source, directory("link")).code == 0)
    #expect(areEqual(try contents(folder + "/source"), bytes[...]))
    let again = try await tool("copy", source, folder)
    #expect(again.code == 1 && again.errors.contains("folder/source exists"), "\(again.errors)")
    #expect(try await tool("copy", source, folder + "/", "--force").code == 0)
    let itself = try await tool("copy", source, directory.path, "--force")
    #expect(itself.code == 1 && itself.errors.contains("source itself"), "\(itself.errors)")
    #expect(try directory.names == ["folder", "link", "source"])
  }

  @Test func `a file that grows is copied to the size that it had`() async throws {
    let process = try start(source, rate: "5MB", ["--growing"])
    try await wait(for: process) { try length(of: copy + ".rangeio-part") ?? 0 > 0 }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: source))
    try handle.seekToEnd()
    try handle.write(contentsOf: [1, 2, 3])
    try handle.close()
    #expect(try await process.wait() == 0)
    #expect(areEqual(try contents(copy), bytes[...]))
    // Without the option, its message names it.
    let changed = ReadError(.sourceChanged, "open it again, or with `onChange: .follow` if it grows")
    #expect(ToolFailure(reading: SourceName("x"), changed, .refused).message.contains("add --growing"))
  }

  @Test func `wrong options end with 2`() async throws {
    for options in [
      ["--parallel", "0"], ["--parallel", "65"], ["--limit-rate", "0"], ["--limit-rate", "x"], ["--sha256", "12"],
      ["--header", "A: b"], ["--profile", "p"], ["--no-sign"], ["--region", "r"], ["--endpoint", "http://e"],
    ] {
      let result = try await tool(["copy", source, copy] + options)
      #expect(result.code == 2 && result.hasOneLineOfErrors, "\(options): \(result.errors)")
    }
    #expect(try directory.names == ["source"])
  }

  @Test func `the digest is compared before the file is put in place`() async throws {
    let digest = Bytes(SHA256.digest(of: bytes)).hex
    let wrong = try await tool("copy", source, copy, "--sha256", String(repeating: "0", count: 64))
    #expect(wrong.code == 1 && wrong.hasOneLineOfErrors && wrong.errors.contains(digest))
    #expect(try !directory.names.contains("copy"))
    let right = try await tool("copy", source, copy, "--sha256", digest)
    #expect(right.code == 0)
    #expect(areEqual(try contents(copy), bytes[...]))
    #expect(try directory.names == ["copy", "source"])
  }

  @Test(.disabled(if: Environment.isSanitized, "a sanitizer's own files meet the limit"))
  func `a disk that is full is told in one line, and leaves no target`() async throws {
    // A limit on the size of files stands in for the disk.
    let result = try await tool(
      ["-c", "ulimit -f 100; exec \"$0\" copy \"$1\" \"$2\"", ToolProcess.path, source, copy], program: "/bin/sh")
    #expect(result.code == 1 && result.hasOneLineOfErrors && result.errors.contains("cannot write to"))
    #expect(try directory.names == ["source"])
  }

  // MARK: going on

  @Test func `killed ten times, it goes on each time, and reads little again`() async throws {
    let all = noise(24 << 20)
    let path = try directory.file("big", all)
    try await settle(path)
    let pieces = all.count >> 16
    var noted = 0
    for kill in 1...10 {
      let now = try await copyAndKill(path, at: max(pieces * kill / 11, noted + 1), rate: "12MB")
      #expect(now > noted)
      noted = now
    }
    let last = try await tool("copy", path, copy, "--stats")
    #expect(last.code == 0 && last.errors.contains("going on"), "\(last.errors)")
    #expect(areEqual(try contents(copy), all[...]))
    #expect(try directory.names == ["big", "copy", "source"])
    // Each noted piece was noted once, and is not read again.
    #expect(try bytesRead(last) == all.count - noted << 16)
  }

  @Test func `a source that has changed starts over and says so`() async throws {
    let path = try directory.file("big", noise(8 << 20))
    try await settle(path)
    _ = try await copyAndKill(path, at: 20, rate: "8MB")
    let other = Array(noise(8 << 20).reversed())
    _ = try directory.file("big", other)
    let result = try await tool("copy", path, copy)
    #expect(result.code == 0 && result.errors.contains("changed") && result.errors.contains("starting over"))
    #expect(areEqual(try contents(copy), other[...]))
  }

  @Test func `another source, and --restart, start over`() async throws {
    let path = try directory.file("big", noise(8 << 20))
    try await settle(path)
    _ = try await copyAndKill(path, at: 20, rate: "8MB")
    let other = try await tool("copy", source, copy, "--limit-rate", "100MB")
    #expect(other.code == 0 && other.errors.contains("another source"))
    #expect(areEqual(try contents(copy), bytes[...]))
    try FileManager.default.removeItem(atPath: copy)
    _ = try await copyAndKill(path, at: 20, rate: "8MB")
    let again = try await tool("copy", path, copy, "--restart", "--stats")
    #expect(try again.code == 0 && bytesRead(again) == 8 << 20 && !again.errors.contains("going on"))
  }

  @Test func `Ctrl-C ends it with 130, and the next run goes on`() async throws {
    let path = try directory.file("big", noise(8 << 20))
    try await settle(path)
    let errors = directory("err")
    let noted = try await copyAndKill(path, at: 20, rate: "8MB", signal: SIGINT, errors: errors)
    #expect(noted >= 20)
    #expect(
      String(decoding: try contents(errors), as: UTF8.self)
        == "rangeio: \(copy): interrupted; what has arrived is kept: run the same command again to go on\n")
    let result = try await tool("copy", path, copy, "--stats")
    #expect(try result.code == 0 && bytesRead(result) == 8 << 20 - noted << 16)
    #expect(areEqual(try contents(copy), noise(8 << 20)[...]))
  }

  @Test func `two copies do not fill one file`() async throws {
    let path = try directory.file("big", noise(8 << 20))
    let process = try start(path, rate: "1MB")
    try await wait(for: process) { try length(of: copy + ".rangeio-part") ?? 0 > 0 }
    let second = try await tool("copy", path, copy)
    process.send(SIGKILL)
    #expect(second.code == 1 && second.hasOneLineOfErrors && second.errors.contains("another rangeio"))
    #expect(try await process.wait() == 1009)
  }
}
#endif
