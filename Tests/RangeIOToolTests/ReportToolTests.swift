#if Tool
import Foundation
import SystemPackage
import Testing

@testable import RangeIOTool

/// What the tool tells besides its output, and the options that change it.
@Suite(.serialized) struct ReportToolTests {
  let directory: TemporaryDirectory
  private static let noiseOfAll = noise(300_000)
  let bytes = noiseOfAll
  let source: String

  init() throws {
    directory = try TemporaryDirectory()
    source = try directory.file("source", bytes)
  }

  @Test func `sizes are in powers of 1024, and of 1000 by --si`() async throws {
    for (options, size) in [([], "300,000 bytes (293 KiB)"), (["--si"], "300,000 bytes (300 kB)")] {
      let result = try await tool(["info", source] + options)
      #expect(String(decoding: result.output, as: UTF8.self).contains(size))
    }
    let stats = try await tool("cat", source, "-v", "--si")
    #expect(stats.errors.contains("1 reader, ") && stats.errors.contains(" MB\n"), "\(stats.errors)")
    #expect(try await tool("cat", source, "--stats").errors.contains(" MiB\n"))
    let one = try await tool("info", try directory.file("one", [1]))
    #expect(String(decoding: one.output, as: UTF8.self).contains("1 byte (1 B)"))
  }

  @Test func `short options mean what people expect`() async throws {
    let copy = directory("copy")
    #expect(try await tool("read", source, "-r", "0-9", "-o", copy).code == 0)
    #expect(try await tool("read", source, "-r", "5-9", "-o", copy).code == 1)
    #expect(try await tool("read", source, "-f", "-r5-9", "-o", copy).code == 0)
    #expect(areEqual(try contents(copy), bytes[5...9]))
    #expect(try await tool("copy", "-f", "-j2", source, copy).code == 0)
    #expect(areEqual(try contents(copy), bytes[...]))
    #expect(try await tool("-V").output == tool("--version").output)
    #expect(try await tool("info", source, "-H", "A: b").errors.contains("--header and --header-env are for sources"))
  }

  @Test func `the help of each command has three examples`() async throws {
    for command in ["", "read", "cat", "copy", "ls", "info", "explain", "demo", "replay", "spill"] {
      let help = try await tool([command, "--help"].filter { !$0.isEmpty })
      let lines = String(decoding: help.output, as: UTF8.self).split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("  rangeio \(command)") } >= 3, "\(command)")
      #expect(lines.allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE: ") }, "\(command)")
    }
  }

  @Test func `quiet shows no progress on a terminal`() async throws {
    let errors = try FileDescriptor.open(
      directory("out"), .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
    defer { try? errors.close() }
    // It takes more than a second, and would draw every tenth of one. The error ends what it writes there.
    for (options, draws) in [([], true), (["-q"], false)] {
      let terminal = try Terminal()
      let slow = ["cat", source, directory("missing"), "--limit-rate", "200KB"] + options
      let process = try ToolProcess(slow, output: errors.rawValue, errors: terminal.descriptor.rawValue)
      let line = try await terminal.line()
      #expect(try await process.wait() == 3)
      #expect(line.contains("KiB of 293 KiB") == draws && line.contains("missing"), "\(line)")
    }
  }

  @Test(arguments: ["read", "cat", "copy"])
  func `a rate is not exceeded`(command: String) async throws {
    let start = ContinuousClock.now
    let target = command == "copy" ? [directory("copy")] : []
    let result = try await tool([command, source] + target + ["--limit-rate", "300KB"])
    #expect(result.code == 0 && (command == "copy" || areEqual(result.output, bytes[...])), "\(result.errors)")
    // The last request of a quarter of a second is paid for by nothing after it.
    #expect(ContinuousClock.now - start >= .milliseconds(700))
    let piped = try await tool(
      ["-c", #"cat "$1" | "$0" cat - --limit-rate 1GB"#, ToolProcess.path, source], program: "/bin/sh")
    #expect(piped.code == 0 && areEqual(piped.output, bytes[...]))
  }
}
#endif
