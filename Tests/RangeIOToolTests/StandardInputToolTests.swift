#if Tool
import Foundation
import RangeIO
import Testing

@testable import RangeIOTool

/// `-` as a source, and several sources.
@Suite(.serialized) struct StandardInputToolTests {
  let directory: TemporaryDirectory
  private static let noiseOfAll = noise(300_000)
  let bytes = noiseOfAll
  let source: String

  init() throws {
    directory = try TemporaryDirectory()
    source = try directory.file("source", bytes)
  }

  /// Runs a shell script in which `$0` is the tool, `$1` the source, and `$2` another file.
  private func shell(_ script: String) async throws -> ToolResult {
    try await tool(["-c", script, ToolProcess.path, source, directory("other")], program: "/bin/sh")
  }

  @Test func `a dash is standard input, be it a pipe or a file`() async throws {
    let scripts: [(String, ArraySlice<UInt8>)] = [
      (#"cat "$1" | "$0" cat -"#, bytes[...]), (#""$0" cat - < "$1""#, bytes[...]),
      (#"cat "$1" | "$0" read - -r 5-9,100...200000"#, (bytes[5...9] + bytes[100...200_000])[...]),
      (#""$0" read - -r 100-200,5-9 < "$1""#, (bytes[100...200] + bytes[5...9])[...]),
      (#""$0" read - --suffix 9 < "$1""#, bytes.suffix(9)), (#"cat "$1" | "$0" read - -r '7..<7'"#, []),
      // What was read before is not read again.
      (#"(dd bs=4096 count=1 of=/dev/null 2>/dev/null; "$0" cat -) < "$1""#, bytes[4096...]),
      (#"cat "$1" | "$0" read - --offset 65530 --length 20"#, bytes[65_530..<65_550]),
      (#"cat "$1" | "$0" copy - "$2" && cat "$2""#, bytes[...]),
      (#"cat "$1" | "$0" read - -f -o "$2" && cat "$2""#, bytes[...]),
      (#"cat "$1" | "$0" cat "$1" - "$1""#, (bytes + bytes + bytes)[...]),
    ]
    for (script, expected) in scripts {
      let result = try await shell(script)
      #expect(result.code == 0 && areEqual(result.output, Array(expected)[...]), "\(script): \(result.errors)")
    }
    // A file of that name.
    let named = try await shell(#"cd "${1%/*}" && cp "$1" - && "$0" read ./- -r 0-0"#)
    #expect(named.code == 0 && named.output == [bytes[0]])
  }

  @Test func `what a pipe cannot give is told`() async throws {
    let cases = [
      ("read - --suffix 5", 2, "pipe it to tail -c"), ("read - -r 9-10,5-6", 2, "give the ranges in their order"),
      ("read - -r 299999-300000", 4, "it has 300,000 bytes, and 299999..<300001 was to be read"),
      ("read - -r 300001-", 4, "300001... was to be read"), ("info -", 3, "/dev/stdin: this is a FIFO"),
      ("copy - other --sha256 \(String(repeating: "0", count: 64))", 2, "then check with sha256sum"),
      ("replay -", 2, "--capacity"),
    ]
    for (command, code, message) in cases {
      let result = try await shell("cat \"$1\" | \"$0\" \(command)")
      #expect(result.code == code && result.errors.contains(message), "\(command): \(result.errors)")
    }
    let copy = try await shell(#"cat "$1" | "$0" read - -r 0-300000 -o "$2""#)
    #expect(copy.code == 4)
    #expect(try directory.names == ["source"])
  }

  @Test func `a pipe is read no further than the last range`() async throws {
    let result = try await shell(#"yes | "$0" read - -r 2-5"#)
    #expect(result.code == 0 && result.output == Array("y\ny\n".utf8))
  }

  @Test func `a trace may come in a pipe`() async throws {
    let result = try await shell(#"printf 'offset,length\n0,4096\n0,4096\n' | "$0" replay - --blocks 2"#)
    let text = String(decoding: result.output, as: UTF8.self)
    #expect(result.code == 0 && text.hasPrefix("standard input: 2 requests; a cache of 2 blocks"), "\(result.errors)")
  }

  @Test func `the first source that cannot be read ends cat, after those before it`() async throws {
    let result = try await tool("cat", source, directory("missing"), source)
    #expect(result.code == 3 && result.hasOneLineOfErrors && result.errors.contains("missing"))
    #expect(areEqual(result.output, bytes[...]))
  }

  @Test func `ranges are picked from pieces of any size`() throws {
    for size in [1, 2, 3, 7, 100] {
      var picking = try ForwardPicking([
        .span(offset: 2, count: 5), .span(offset: 7, count: 0), .span(offset: 9, count: 1), .from(40),
      ])
      var picked: [UInt8] = []
      for start in stride(from: 0, to: 50, by: size) {
        #expect(!picking.isDone)
        for part in picking.take(Bytes((start..<min(start + size, 50)).map { UInt8($0) })) {
          guard case .bytes(let bytes, let offset) = part else { continue }
          #expect(Int(bytes[0]) == offset)
          picked += bytes
        }
      }
      try picking.end()
      #expect(picked == [2, 3, 4, 5, 6, 9] + Array(40..<50))
    }
  }
}
#endif
