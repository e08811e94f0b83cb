#if Tool
import Foundation
import SystemPackage
import Testing

/// The tool as a process. One at a time: some of them measure.
@Suite(.serialized) struct ToolTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  // MARK: reading

  @Test func `read writes exactly the bytes of random ranges`() async throws {
    let bytes = noise(3_000_001)
    let path = try directory.file("f", bytes)
    for _ in 0..<(Environment.isStress ? 1000 : 100) {
      let lower = Int.random(in: 0...bytes.count)
      let upper = Int.random(in: lower...min(bytes.count, lower + (Bool.random() ? 100 : 2_000_000)))
      let result = try await tool("read", path, "--range", "\(lower)..<\(upper)")
      #expect(result.code == 0)
      #expect(areEqual(result.output, bytes[lower..<upper]), "\(lower)..<\(upper)")
      #expect(result.errors == "")
    }
  }

  @Test func `every way of choosing a range gives its bytes`() async throws {
    let bytes = noise(200_000)
    let path = try directory.file("f", bytes)
    let ways: [([String], Range<Int>)] = [
      ([], 0..<200_000), (["--range", "64KiB..."], 65_536..<200_000), (["--range", "..<1KiB"], 0..<1024),
      (["--offset", "5", "--length", "7"], 5..<12), (["--suffix", "9"], 199_991..<200_000),
      (["--suffix", "1GiB"], 0..<200_000), (["--range", "200000..."], 200_000..<200_000), (["--suffix", "0"], 0..<0),
    ]
    for (options, range) in ways {
      let result = try await tool(["read", path] + options)
      #expect(result.code == 0)
      #expect(areEqual(result.output, bytes[range]), "\(options)")
    }
    #expect(areEqual(try await tool("cat", path).output, bytes[...]))
    #expect(areEqual(try await tool("cat", path, "--engine", "direct").output, bytes[...]))
    let part = try await tool("read", path, "--range", "1001-2000", "--engine", "direct")
    #expect(areEqual(part.output, bytes[1001...2000]))
  }

  @Test func `an empty file gives nothing and no error`() async throws {
    let path = try directory.file("empty", [])
    for command in ["read", "cat"] {
      let result = try await tool(command, path)
      #expect(result.code == 0 && result.output.isEmpty && result.errors == "")
    }
  }

  @Test func `cat of more than four gigabytes stays within 64 MiB of memory`() async throws {
    let marks: [(offset: Int, byte: UInt8)] = [(0, 1), (1 << 32 - 1, 2), (1 << 32, 3), (1 << 32 + 5_000_000, 4)]
    let byteCount = 1 << 32 + 5_000_001
    let path = try directory.sparseFile("big", byteCount: byteCount)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    for mark in marks {
      try handle.seek(toOffset: UInt64(mark.offset))
      try handle.write(contentsOf: [mark.byte])
    }
    try handle.close()

    let pipe = try ReadingEnd()
    let process = try pipe.start("cat", path, errors: directory("err"))
    let watch = StreamWatch(process)
    let total = try await pipe.drain { piece, offset in watch.check(piece, at: offset) }
    #expect(try await process.wait() == 0)
    #expect(total == byteCount)
    #expect(watch.marks.map(\.offset) == marks.map(\.offset) && watch.marks.map(\.byte) == marks.map(\.byte))
    if let peak = watch.peakMemory, !Environment.isSanitized { #expect(peak < 64 * 1024 * 1024) }
  }

  // MARK: exit codes

  @Test func `wrong usage ends with 2 and one line`() async throws {
    let path = try directory.file("f", noise(10))
    let wrong: [[String]] = [
      ["read"], ["frob", path], ["raed", path], ["spill", "lst"], [path], ["read", path, "--bogus"],
      ["read", path, path],
      ["cat", path, "--engine", "steam"], ["cat", "https://localhost/a", "--engine", "direct"],
      ["read", path, "--range", "5..<3"], ["read", path, "--range", "9223372036854775807..<0"],
      ["read", path, "--range", "1.5...3"], ["read", path, "--offset", "1"], ["read", path, "--length", "1"],
      ["read", path, "--offset", "9223372036854775807", "--length", "1"], ["read", path, "--offset", "-1"],
      ["read", path, "--suffix", "1", "--range", "0..."], ["read", path, "--suffix", "x"],
      ["read", path, "--output", ""],
      ["demo", path, "--seed", "x"],
    ]
    for arguments in wrong {
      let result = try await tool(arguments)
      #expect(result.code == 2, "\(arguments)")
      #expect(result.hasOneLineOfErrors, "\(arguments): \(result.errors)")
      #expect(result.output.isEmpty)
    }
  }

  @Test func `a command that there is not is told, with the one that was meant`() async throws {
    let cases: [([String], String)] = [
      (["raed", "f"], "there is no command 'raed': did you mean 'read'?"),
      (["expalin"], "did you mean 'explain'?"), (["inf"], "did you mean 'info'?"),
      (["spill", "lst", "d"], "there is no command 'lst': did you mean 'list'?"),
      (["/data/big.bin"], "name one of read, cat, copy, ls, info, explain, demo, replay, spill"),
      (["spill", "/data/cache"], "name one of list, verify, stats, clear"),
    ]
    for (arguments, message) in cases {
      let result = try await tool(arguments, program: ToolProcess.path)
      #expect(result.code == 2 && result.hasOneLineOfErrors && result.errors.contains(message), "\(result.errors)")
    }
  }

  @Test func `without a command the help is shown`() async throws {
    for (arguments, word) in [([], "replay"), (["spill"], "verify")] {
      let result = try await tool(arguments, program: ToolProcess.path)
      #expect(result.code == 2 && result.output.isEmpty)
      #expect(result.errors.contains("USAGE: ") && result.errors.contains(word), "\(result.errors)")
    }
  }

  @Test func `Tab completes names of files and directories`() async throws {
    let script = try await tool("--generate-completion-script", "zsh")
    let lines = String(decoding: script.output, as: UTF8.self).split(separator: "\n")
    // read and its --output, cat, info, explain, demo, replay.
    #expect(lines.count { $0.contains("_files'") || $0.contains("_files\"") } >= 7)
    // explain --spill, demo --spill, and the four of spill.
    #expect(lines.count { $0.contains("_files -/") } >= 6)
  }

  @Test func `help and version end with 0`() async throws {
    for arguments in [["--help"], ["read", "--help"], ["help", "demo"], ["--version"]] {
      let result = try await tool(arguments, program: ToolProcess.path)
      #expect(result.code == 0 && !result.output.isEmpty && result.errors == "", "\(arguments)")
    }
  }

  @Test func `what cannot be read as a file ends with 3 at once`() async throws {
    let fifo = directory("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    var paths = ["", directory("missing"), directory.path, fifo, "/dev/null", directory("missing/below")]
    #if os(Linux)
    paths.append("/proc/self/status")
    #endif
    if getuid() != 0 {
      paths.append(try directory.file("secret", [1]))
      chmod(directory("secret"), 0)
    }
    for path in paths {
      for command in ["read", "cat", "info", "demo"] {
        let result = try await tool(command, path)
        #expect(result.code == 3, "\(command) \(path): \(result.errors)")
        #expect(result.hasOneLineOfErrors)
        #expect(result.output.isEmpty)
      }
    }
  }

  @Test func `a range past the end ends with 4 and says the size`() async throws {
    let path = try directory.file("f", noise(1000))
    for range in ["999..<1001", "1001...", "0..<\(Int.max)", "5000..<6000"] {
      let result = try await tool("read", path, "--range", range)
      #expect(result.code == 4, "\(range)")
      #expect(result.hasOneLineOfErrors && result.errors.contains("1000 bytes") && result.errors.contains(path))
      #expect(result.output.isEmpty)
    }
  }

  @Test func `a source that is rewritten while it is read ends with 5`() async throws {
    let path = try directory.file("f", [UInt8](repeating: 7, count: 32 << 20))
    let pipe = try ReadingEnd()
    let process = try pipe.start("cat", path, errors: directory("err"))
    // It has begun, and cannot go far: nobody reads on.
    #expect(try await pipe.read(1).count == 1)
    #expect(truncate(path, 100) == 0)
    _ = try await pipe.drain()
    #expect(try await process.wait() == 5)
    #expect(String(decoding: try contents(directory("err")), as: UTF8.self).contains("shrank"))
  }

  @Test func `a file that grows ends with 5, and with --growing is read to its first size`() async throws {
    let byteCount = 32 << 20
    for (options, code) in [([], 5), (["--growing"], 0)] {
      for (command, isHole) in [("cat", false), ("read", false), ("cat", true)] {
        let path =
          isHole
          ? try directory.sparseFile("f", byteCount: byteCount)
          : try directory.file("f", [UInt8](repeating: 7, count: byteCount))
        let pipe = try ReadingEnd()
        let process = try pipe.start([command, path] + options, errors: directory("err"))
        // It has begun, and cannot go far before the file grows.
        #expect(try await pipe.read(1).count == 1)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: [1, 2, 3])
        try handle.close()
        let rest = try await pipe.drain()
        #expect(try await process.wait() == code)
        let errors = String(decoding: try contents(directory("err")), as: UTF8.self)
        if code == 0 {
          #expect(rest == byteCount - 1 && errors == "")
        } else {
          #expect(errors.contains("add --growing") && !errors.contains("onChange"), "\(errors)")
        }
        try FileManager.default.removeItem(atPath: directory("err"))
      }
    }
  }

  @Test func `what --growing reads may be a part`() async throws {
    let path = try directory.file("f", noise(10))
    for (options, size) in [(["--growing", "--range", "5..."], 5), (["--growing", "--suffix", "3"], 3)] {
      let result = try await tool(["read", path] + options)
      #expect(result.code == 0 && result.output.count == size, "\(result.errors)")
    }
  }

  // MARK: pipes and signals

  @Test func `a reader that leaves early is no failure`() async throws {
    let path = try directory.sparseFile("f", byteCount: 8 << 20)
    let pipe = try ReadingEnd()
    let process = try pipe.start("cat", path, errors: directory("err"))
    #expect(try await pipe.read(10) == [UInt8](repeating: 0, count: 10))
    try pipe.reading.close()
    #expect(try await process.wait() == 0)
    #expect(try contents(directory("err")).isEmpty)
  }

  @Test func `Ctrl-C ends it with 130, also while it writes to a pipe that is not read`() async throws {
    let path = try directory.sparseFile("f", byteCount: 8 << 20)
    let pipe = try ReadingEnd()
    let process = try pipe.start("cat", path, errors: directory("err"))
    #expect(try await pipe.read(1).count == 1)
    process.send(SIGINT)
    #expect(try await process.wait() == 130)
    #expect(try contents(directory("err")).isEmpty)
  }

  @Test func `Ctrl-C leaves no half file`() async throws {
    let path = try directory.file("big", [UInt8](repeating: 7, count: 64 << 20))
    // More than can be read in the time of the test.
    let ranges = [[String]](repeating: ["--range", "0-"], count: 500).flatMap(\.self)
    let results = try TemporaryDirectory()
    let errors = try directory.file("err", [])
    let pipe = try ReadingEnd()
    let process = try pipe.start(["read", path, "--output", results("copy")] + ranges, errors: errors)
    // Nothing tells of it, and its time does not matter.
    while try results.names.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    process.send(SIGINT)
    #expect(try await process.wait() == 130)
    #expect(try results.names == [])
  }

  @Test func `output that is full is a failure that says so`() async throws {
    #if os(Linux)
    let path = try directory.file("f", noise(1000))
    let result = try await tool(["-c", "\"$0\" cat \"$1\" > /dev/full", ToolProcess.path, path], program: "/bin/sh")
    #expect(result.code == 1)
    #expect(result.hasOneLineOfErrors && result.errors.contains("no space left"))
    #endif
  }

  // MARK: telling

  @Test func `info tells what a file is, for people and for programs`() async throws {
    let path = try directory.file("a \"b\"\n", noise(12_345))
    let text = try await tool("info", path)
    #expect(text.code == 0)
    #expect(String(decoding: text.output, as: UTF8.self).contains("12,345 bytes"))

    struct Info: Decodable {
      var source: String
      var kind: String
      var byteCount: Int
      var mayGrow: Bool
      var modified: String
      var version: String
      var preferredBlockSize: Int
      var id: String
    }
    let result = try await tool("info", path, "--json")
    let info = try JSONDecoder().decode(Info.self, from: Data(result.output))
    #expect(info.source == path && info.kind == "file" && info.byteCount == 12_345 && !info.mayGrow)
    #expect(info.modified.hasSuffix(" GMT"))
    #expect(["settled", "unsettled"].contains(info.version))
    #expect(info.preferredBlockSize == 65_536 && info.id.hasPrefix("file:"))
  }

  @Test(arguments: [0, 1, 100_003, 5 << 20])
  func `demo compares every byte and prints its figures`(byteCount: Int) async throws {
    let path = try directory.file("f", noise(byteCount))
    let text = try await tool("demo", path, "--seed", "1")
    #expect(text.code == 0 && text.errors == "")
    let table = String(decoding: text.output, as: UTF8.self)
    #expect(table.contains("verdict") && table.contains("OK: compared") && table.contains("32 at a time"))

    struct Report: Decodable {
      struct Row: Decodable {
        var name: String
        var reads: Int
        var bytes: Int
        var cacheHits: Int?
        var nanosecondsPerRead: Double
        var gigabytesPerSecond: Double
        var plainNanosecondsPerRead: Double
      }
      var rows: [Row]
      var slower: [String]
      var barePreadNanoseconds: Double
      var comparedReads: Int
      var comparedBytes: Int
      var isOK: Bool
      var peakMemoryBytes: Int
    }
    let result = try await tool("demo", path, "--seed", "1", "--json")
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output))
    #expect(result.code == 0 && report.isOK)
    #expect(report.rows.count == 7 && report.comparedReads > 300 && report.comparedBytes >= byteCount)
    #expect(report.peakMemoryBytes > 0 && report.slower.allSatisfy { report.rows.map(\.name).contains($0) })
    #expect(report.rows.allSatisfy { $0.plainNanosecondsPerRead > 0 || byteCount == 0 })
    // What is read the second time is kept, so the third time comes from memory.
    let jumps = report.rows.filter { ["jump about", "the same again", "and once more"].contains($0.name) }
    #expect(jumps.count == 3 && jumps.allSatisfy { (1...1000).contains($0.reads) })
    // A machine that is busy ends a step before all is read.
    guard byteCount > 1000, jumps.allSatisfy({ $0.reads == 1000 }) else { return }
    #expect(jumps[2].cacheHits ?? 0 > 900 && jumps[2].bytes == jumps[0].bytes)
  }
}

/// Looks at a stream that should be zeros but for a few marked bytes, and at the memory of who writes it.
///
/// Used by one thread at a time.
private final class StreamWatch: @unchecked Sendable {
  private let process: ToolProcess
  private let zeros = [UInt8](repeating: 0, count: 1 << 20)
  private var nextLook = 0
  private(set) var marks: [(offset: Int, byte: UInt8)] = []
  private(set) var peakMemory: Int?

  init(_ process: ToolProcess) { self.process = process }

  func check(_ piece: UnsafeRawBufferPointer, at offset: Int) {
    if zeros.withUnsafeBytes({ memcmp(piece.baseAddress!, $0.baseAddress!, piece.count) }) != 0 {
      for (position, byte) in piece.enumerated() where byte != 0 { marks.append((offset + position, byte)) }
    }
    // A high-water mark: the last look before the end sees what any earlier one would have.
    if offset >= nextLook {
      peakMemory = process.peakMemory ?? peakMemory
      nextLook += 64 << 20
    }
  }
}
#endif
