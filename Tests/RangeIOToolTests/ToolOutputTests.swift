#if Tool
import Foundation
import RangeIO
import SystemPackage
import Testing

@testable import RangeIOTool

/// What the tool does to files and terminals that it writes to.
@Suite(.serialized) struct ToolOutputTests {
  let directory: TemporaryDirectory
  private static let noiseOfAll = noise(2_500_000)
  let bytes = noiseOfAll
  let source: String

  init() throws {
    directory = try TemporaryDirectory()
    source = try directory.file("source", bytes)
  }

  @Test func `output goes to a new file that is complete`() async throws {
    let copy = directory("copy")
    let result = try await tool("read", source, "--range", "1000..<2000000", "--output", copy)
    #expect(result.code == 0 && result.output.isEmpty && result.errors == "")
    #expect(areEqual(try contents(copy), bytes[1000..<2_000_000]))
    #expect(try directory.names == ["copy", "source"])
  }

  @Test func `a file that is replaced does not pass on the rights of its owner`() async throws {
    let existing = try directory.file("copy", [1, 2, 3])
    // Users who run the new file would get the rights of the one who copied it.
    chmod(existing, 0o6755)
    #expect(try await tool("read", source, "--output", existing, "--force").code == 0)
    var status = stat()
    #expect(stat(existing, &status) == 0 && status.st_mode & 0o7777 == 0o755)
  }

  @Test func `an existing file is replaced only by force, and keeps its permissions`() async throws {
    let existing = try directory.file("existing", [1, 2, 3])
    chmod(existing, 0o640)
    let refused = try await tool("read", source, "--output", existing)
    #expect(refused.code == 1 && refused.hasOneLineOfErrors && refused.errors.contains("--force"))
    #expect(try contents(existing) == [1, 2, 3])

    let forced = try await tool("read", source, "--output", existing, "--force")
    #expect(forced.code == 0)
    #expect(areEqual(try contents(existing), bytes[...]))
    let attributes = try FileManager.default.attributesOfItem(atPath: existing)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try directory.names == ["existing", "source"])
  }

  @Test func `a link is followed to the file that is replaced, and a dangling one counts as existing`() async throws {
    let target = try directory.file("target", [1])
    let link = directory("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(try await tool("read", source, "--suffix", "5", "--output", link, "--force").code == 0)
    #expect(areEqual(try contents(target), bytes.suffix(5)))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)

    let dangling = directory("dangling")
    try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: directory("nowhere"))
    #expect(try await tool("read", source, "--output", dangling).code == 1)
  }

  @Test func `the source itself is never written to, by whatever name`() async throws {
    let link = directory("link")
    let hardLink = directory("hard")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: source)
    try FileManager.default.linkItem(atPath: source, toPath: hardLink)
    for (name, options) in [(source, []), (link, []), (hardLink, []), (link, ["--growing"])] {
      let result = try await tool(["read", source, "--range", "0..<10", "--output", name, "--force"] + options)
      #expect(result.code == 1 && result.hasOneLineOfErrors && result.errors.contains("source itself"))
    }
    let appended = try await tool(["-c", "\"$0\" cat \"$1\" >> \"$1\"", ToolProcess.path, source], program: "/bin/sh")
    #expect(appended.code == 1 && appended.errors.contains("source itself"))
    #expect(areEqual(try contents(source), bytes[...]))
  }

  @Test func `a failed read leaves no output behind`() async throws {
    #expect(try await tool("read", source, "--range", "0..<9999999", "--output", directory("copy")).code == 4)
    #expect(try await tool("read", directory("missing"), "--output", directory("copy")).code == 3)
    let existing = try directory.file("existing", [7])
    #expect(try await tool("read", source, "--range", "0..<9999999", "--output", existing, "--force").code == 4)
    #expect(try contents(existing) == [7])
    #expect(try directory.names == ["existing", "source"])
  }

  @Test(.disabled(if: Environment.isSanitized, "a sanitizer's own files meet the limit"))
  func `a disk that is full leaves no half file`() async throws {
    // A limit on the size of files stands in for the disk; in blocks of 512 bytes or 1 KiB, as the shell likes.
    let result = try await tool(
      ["-c", "ulimit -f 100; exec \"$0\" read \"$1\" --output \"$2\"", ToolProcess.path, source, directory("copy")],
      program: "/bin/sh")
    #expect(result.code == 1)
    #expect(result.hasOneLineOfErrors && result.errors.contains("cannot write to"))
    #expect(try directory.names == ["source"])
  }

  @Test func `where no file can be made the failure says so`() async throws {
    for name in [directory.path, directory("missing/copy"), source + "/copy"] {
      let result = try await tool("read", source, "--output", name, "--force")
      #expect(result.code == 1, "\(name)")
      #expect(result.hasOneLineOfErrors)
    }
    #expect(try directory.names == ["source"])
  }

  @Test func `a device is written to and not replaced`() async throws {
    #expect(try await tool("read", source, "--output", "/dev/null", "--force").code == 0)
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func `a terminal gets text as it is, and the rest in hex unless forced`() async throws {
    let text = try directory.file("text", Array("plain text\n".utf8))
    let odd = try directory.file("odd", [0x1B] + Array("[2Jab".utf8))
    let dump = "00000000  1b 5b 32 4a 61 62                                 |.[2Jab|\r\n"
    let part = "00000002  32 4a                                             |2J|\r\n"
    let cases = [
      (["cat", text], "plain text\r\n", 0), (["cat", odd], dump, 1), (["read", odd], dump, 1),
      (["cat", odd, "--quiet"], dump, 0), (["read", odd, "-r", "2-3", "--hex"], part, 0),
      (["cat", odd, text, "--force"], "\u{1B}[2Jabplain text\r\n", 0),
    ]
    for (arguments, line, errorLines) in cases {
      let terminal = try Terminal()
      let errors = try FileDescriptor.open(
        directory("err"), .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: .ownerReadWrite)
      let process = try ToolProcess(
        withEngine(arguments), output: terminal.descriptor.rawValue, errors: errors.rawValue)
      #expect(try await process.wait() == 0, "\(arguments)")
      try errors.close()
      #expect(try await terminal.line() == line)
      #expect(try contents(directory("err")).count { $0 == UInt8(ascii: "\n") } == errorLines)
    }
  }

  @Test func `in a pipe bytes are in hex only if that is asked for`() async throws {
    let odd = try directory.file("odd", [0x1B] + Array("[2Jab".utf8))
    #expect(try await tool("cat", odd).output == contents(odd))
    let result = try await tool("read", odd, "--hex", "-r", "5-5,0-1")
    #expect(
      String(decoding: result.output, as: UTF8.self) == """
        00000005  62                                                |b|
        00000006
        00000000  1b 5b                                             |.[|
        00000002

        """)
  }

  @Test func `a hex dump is what hexdump prints`() throws {
    var dump = HexDump(at: 0)
    var text = dump.add(Bytes(Array("0123456789abcdefg".utf8)))
    text += dump.addZeros(100)
    text += dump.addZeros(1 << 40)
    text += dump.add(Bytes([255]))
    text += dump.end()
    // The last line has the offset of the end, which has more digits here.
    #expect(
      String(decoding: text, as: UTF8.self) == """
        00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|
        00000010  67 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |g...............|
        00000020  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
        *
        10000000070  00 00 00 00 00 ff                                 |......|
        10000000076

        """)
  }
}
#endif
