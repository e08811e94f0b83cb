#if Tool
import Foundation
import SystemPackage
import Testing

@testable import RangeIOTool

/// How the tool takes what stands on its command line: paths above all.
@Suite(.serialized) struct ToolArgumentsTests {
  let directory: TemporaryDirectory
  let bytes = noise(100_000)
  let source: String

  init() throws {
    directory = try TemporaryDirectory()
    source = try directory.file("source", bytes)
  }

  /// Runs a shell script in which `$0` is the tool, and `$1` and so on are `arguments`.
  private func shell(_ script: String, _ arguments: String...) async throws -> ToolResult {
    try await tool(["-c", script, ToolProcess.path] + arguments, program: "/bin/sh")
  }

  @Test func `the shell completes the names of engines`() async throws {
    let result = try await tool("--generate-completion-script", "bash")
    let script = try #require(String(bytes: result.output, encoding: .utf8))
    let offered = script.split(separator: "'--engine')").dropFirst().map { $0.prefix { $0 != ";" } }
    #expect(!offered.isEmpty && offered.allSatisfy { $0.contains("automatic") && $0.contains("direct") })
  }

  // MARK: ranges

  @Test func `a range of the last bytes needs no equals sign`() async throws {
    let result = try await tool("read", source, "--range", "-5")
    #expect(result.code == 0 && areEqual(result.output, bytes.suffix(5)), "\(result.errors)")
    #expect(areEqual(try await tool("read", source, "--range=-5").output, bytes.suffix(5)))
    #expect(try await tool("explain", source, "--after", "-5", "--after", "0-9", "--range", "-5").code == 0)
  }

  @Test func `several ranges are written one after the other`() async throws {
    let expected = bytes[0...9] + bytes[20..<30] + bytes.suffix(5) + bytes[3...3]
    for options in [["-r", "0-9,20..<30,-5,3-3"], ["--range", "0-9", "-r", "20..<30,-5", "-r3-3"]] {
      let result = try await tool(["read", source] + options)
      #expect(result.code == 0 && areEqual(result.output, Array(expected)[...]), "\(result.errors)")
    }
    // Numbers with commas are not taken for ranges.
    for range in ["1,000-2,000", "0-1,000", "0-9,", ",", "-1,000"] {
      let result = try await tool("read", source, "--range", range)
      #expect(result.code == 2 && result.hasOneLineOfErrors && result.errors.contains("is not a range"), "\(range)")
    }
  }

  @Test func `wrong usage names the help of the command that was called`() async throws {
    let cases: [([String], String)] = [
      (["read", source, "--range", "x"], "rangeio read --help"), (["read", source, "--bogus"], "rangeio read --help"),
      (["replay", "zipf:10:10:1:1"], "rangeio replay --help"), (["spill", "list"], "rangeio spill list --help"),
      (["spill", "lst"], "rangeio spill --help"), (["raed"], "rangeio --help"),
    ]
    for (arguments, hint) in cases {
      let result = try await tool(arguments)
      #expect(result.code == 2 && result.hasOneLineOfErrors, "\(arguments): \(result.errors)")
      #expect(result.errors.contains("(see '\(hint)')"), "\(arguments): \(result.errors)")
    }
  }

  // MARK: paths

  @Test func `a dash as output is standard output`() async throws {
    let result = try await shell(#"cd "$2" && exec "$0" read "$1" --range 0-9 --output -"#, source, directory.path)
    #expect(result.code == 0 && areEqual(result.output, bytes[0..<10]), "\(result.errors)")
    #expect(try directory.names == ["source"])
    let file = try await shell(#"cd "$2" && exec "$0" read "$1" --range 0-9 --output ./-"#, source, directory.path)
    #expect(file.code == 0 && file.output.isEmpty)
    #expect(try directory.names == ["-", "source"])
  }

  @Test func `a tilde is the home directory wherever a path stands`() async throws {
    let home = try TemporaryDirectory()
    let run = #"cd "$2" && HOME="$3" exec "$0""#
    let read = try await shell(run + " read \"$1\" --output='~/copy'", source, directory.path, home.path)
    #expect(read.code == 0, "\(read.errors)")
    #expect(areEqual(try contents(home("copy")), bytes[...]))
    let again = try await shell(run + " cat '~/copy'", source, directory.path, home.path)
    #expect(areEqual(again.output, bytes[...]))
    let own = try await shell(run + " cat '~/copy' >> \"$3\"/copy", source, directory.path, home.path)
    #expect(own.code == 1 && own.errors.contains("source itself"))
    let explain = try await shell(run + " explain \"$1\" --spill='~/cache'", source, directory.path, home.path)
    #expect(!explain.errors.isEmpty && explain.errors.contains(home("cache")), "\(explain.errors)")
    for command in ["list", "verify", "stats", "clear"] {
      let result = try await shell(run + " spill \(command) '~/cache'", source, directory.path, home.path)
      #expect(result.code != 0 && result.errors.contains(home("cache")), "\(command): \(result.errors)")
    }
    let unknown = try await shell(
      run + " read \"$1\" --output='~nobody-of-this-name/x'", source, directory.path, home.path)
    #expect(unknown.code == 2 && unknown.hasOneLineOfErrors && unknown.errors.contains("./~"))
    let literal = try await shell(run + " read \"$1\" --output='./~'", source, directory.path, home.path)
    #expect(literal.code == 0)
    #expect(try directory.names == ["source", "~"])
  }

  #if os(Linux)
  // macOS has no names that are not UTF-8.
  @Test func `a file whose name is not UTF-8 is read`() async throws {
    let name = #"bad=$(printf 'bad\377'); cd "$2" && cp "$1" "$bad" && "#
    for command in [#"cat "$bad""#, #"read "$bad""#, #"read --range 0- -- "$bad""#] {
      let result = try await shell(name + #"exec "$0" "# + command, source, directory.path)
      #expect(result.code == 0 && areEqual(result.output, bytes[...]), "\(command): \(result.errors)")
    }
    for command in [#"info "$bad""#, #"explain "$bad""#, #"demo "$bad""#] {
      let result = try await shell(name + #"exec "$0" "# + command, source, directory.path)
      #expect(result.code == 0, "\(command): \(result.errors)")
    }
  }

  @Test func `what is written to a name that is not UTF-8 is refused with what to do`() async throws {
    let name = #"bad=$(printf 'bad\377'); cd "$2" && "#
    for command in [#"read "$1" --output="$bad""#, #"read "$1" --output "$bad""#, #"demo "$1" --spill="$bad""#] {
      let result = try await shell(name + #"exec "$0" "# + command, source, directory.path)
      #expect(result.code == 2 && result.hasOneLineOfErrors && result.errors.contains("UTF-8"), "\(result.errors)")
    }
    let twins = try await shell(
      #"cd "$2" && exec "$0" read "$(printf 'a\377')" --output "$(printf 'a\376')""#, source, directory.path)
    #expect(twins.code == 2 && twins.errors.contains("/dev/fd/"), "\(twins.errors)")
    #expect(try directory.names == ["source"])
  }
  #endif
}
#endif
