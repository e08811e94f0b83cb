#if Tool
import Foundation
import RangeIO
import SystemPackage
import Testing

@testable import RangeIOTool

/// What the tool says when something is wrong: what it is, and what to do; with the exit code.
@Suite(.serialized) struct MessageToolTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    _ = try directory.file("file", [1, 2, 3])
    for name in ["folder", "foreign"] {
      try FileManager.default.createDirectory(atPath: directory(name), withIntermediateDirectories: false)
      chmod(directory(name), 0o700)
    }
    _ = try directory.file("foreign/file", [1])
    try FileManager.default.createSymbolicLink(atPath: directory("link"), withDestinationPath: "folder")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    /// Names in the directory of the test have a `@` before them.
    var arguments: [String]
    var code: Int
    var parts: [String]
    var environment: [String: String] = [:]

    init(_ arguments: String, _ code: Int, _ parts: String..., environment: [String: String] = [:]) {
      self.arguments = arguments.split(separator: " ").map(String.init)
      self.code = code
      self.parts = parts
      self.environment = environment
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let rows = [
    Row("info www.example.org/x", 3, "(for a URL write https:// before it)"),
    Row("info http:/example.org/x", 3, "(for a URL write http://)"),
    Row("info localhost:8000/x", 3, "(for a URL write https:// before it)"),
    Row("info ftp://example.org/x", 3, "'ftp' is no scheme that rangeio reads"),
    Row("demo http://example.org/x", 3, "(this command reads files only)"),
    Row("info @missing", 3, "check the path"),
    Row("info @link", 3, "this is a directory: name a file in it"),
    Row("read @file --output @link", 1, "@link: it is a directory; name a file in it"),
    Row("read @file --output @missing/x", 1, "make its directory first"),
    Row("copy @file @missing/", 1, "there is no such directory; make it first"),
    Row("copy @file @missing/x", 1, "make its directory first"),
    Row("spill list @link", 3, "behind a symbolic link, which is not followed: name the directory itself"),
    Row("spill clear @foreign", 3, "no cache has kept anything in it; check the path"),
    Row("spill list @foreign", 3, "no cache has kept anything in it; check the path"),
    Row("read @file --hex --output @x", 2, "--hex is for standard output"),
    Row("read @file --limit-rate 0", 2, "--limit-rate: '0' is not a number of bytes a second"),
    Row("cat @file @file --follow", 2, "--follow: name one file or URL"),
    Row("cat - az://c/b --sas -", 2, "standard input is a source"),
    Row("cat @file https://h/x --profile p", 2, "--profile is for sources that begin with s3://"),
    Row("read @file --time-limit 5", 2, "--time-limit is for sources that begin with http://"),
    Row("copy @file @x --retries 3", 2, "--retries is for sources that begin with http://"),
    Row("cat s3://b/k --trust-times", 2, "--trust-times is for sources that begin with http:// or https://"),
    Row("info https://h/x --time-limit 0", 2, "--time-limit: write seconds, more than 0"),
    Row("info https://h/x --time-limit -1", 2, "--time-limit: write seconds, more than 0"),
    Row("info https://h/x --retries -1", 2, "--retries: -1 is not from 0 to 1000"),
    Row("read @file --offset -1 --length 3", 2, "--offset: '-1' is negative", "--range -COUNT"),
    Row("read @file --offset 0 --length -3", 2, "--length: '-3' is negative"),
    Row("read @file --suffix -3", 2, "--suffix: '-3' is negative"),
    Row("copy @file @x --parallel -3", 2, "--parallel"),
    Row("copy . @folder", 1, "@folder: the source has no name that a file there could have; name the file"),
    Row("info https://h/x --retries 1001", 2, "--retries: 1001 is not from 0 to 1000"),
  ]

  @Test(arguments: rows) func `a message says what is wrong and what to do`(row: Row) async throws {
    try await check(row)
  }

  private func check(_ row: Row) async throws {
    func named(_ text: String) -> String { text.replacing("@", with: directory.path + "/") }
    let variables = row.environment.map { "\($0)='\($1)' " }.joined()
    let result = try await tool(
      ["-c", "\(variables)exec \"$0\" \"$@\"", ToolProcess.path] + row.arguments.map { named($0) },
      program: "/bin/sh")
    #expect(result.code == row.code && result.hasOneLineOfErrors, "\(result.code): \(result.errors)")
    for part in row.parts { #expect(result.errors.contains(named(part)), "\(result.errors)") }
    #expect(!result.errors.contains("5ecret"))
  }

  @Test func `what is cleared of a directory, and what stays`() async throws {
    let spilled = try await SpilledDirectory(blocks: 8)
    let path = spilled.path
    _ = try spilled.parent.file("spill/notes.txt", [1])
    let result = try await tool("spill", "clear", path)
    #expect(result.code == 0)
    #expect(String(decoding: result.output, as: UTF8.self).contains("1 file of other programs stays"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["notes.txt"])
  }

  /// Whether this may mount file systems, in a namespace of its own.
  static let mayMount: Bool = {
    #if os(Linux)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/tmp"]
    process.standardError = nil
    // `try?`: where there is no such program, nothing can be mounted.
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
    #else
    return false
    #endif
  }()

  @Test(
    .enabled(if: mayMount, "this user may not mount file systems"),
    arguments: [
      ("ro", "it is mounted read-only: write elsewhere"), ("nr_inodes=2", "free some space"),
      ("size=64k", "free some space"),
    ], ["copy $1 $2/x", "read $1 --output $2/x"])
  func `a file system that takes nothing is told with advice, and has no target`(
    system: (options: String, part: String), command: String
  ) async throws {
    // One file fits into two inodes.
    guard system.options != "nr_inodes=2" || command.hasPrefix("copy") else { return }
    let file = try directory.file("big", noise(200_000))
    let script =
      "mount -t tmpfs -o \(system.options) none $2 || exit 99; \"$0\" \(command); code=$?; ls $2; exit $code"
    let result = try await tool(
      ["-m", "/bin/sh", "-c", script, ToolProcess.path, file, directory("folder")], program: "/usr/bin/unshare")
    #expect(result.code == 1 && result.hasOneLineOfErrors && result.errors.contains(system.part), "\(result.errors)")
    #expect(!String(decoding: result.output, as: UTF8.self).split(separator: "\n").contains("x"))
  }

  @Test(
    .enabled(if: mayMount, "this user may not mount file systems"),
    .disabled(if: Environment.isSanitized, "a sanitizer needs /proc itself"),
    arguments: ["mount -t tmpfs none /proc", "mount --bind /dev/null /proc/$$/maps"])
  func `where the arguments cannot be read it says what is missing`(hiding: String) async throws {
    let script = "\(hiding) || exit 99; exec \"$0\" info \"$1\""
    let result = try await tool(
      ["-m", "/bin/sh", "-c", script, ToolProcess.path, directory("file")], program: "/usr/bin/unshare")
    #expect(result.code == 1 && result.hasOneLineOfErrors, "\(result.code): \(result.errors)")
    #expect(result.errors.contains("/proc is not mounted, or hides") && result.errors.contains("mount it"))
  }

  @Test(
    .enabled(if: mayMount, "this user may not mount file systems"),
    arguments: ["read $1 --output $2/x", "read $1 --engine direct --output $2/x", "copy $1 $2/x"])
  func `what else is in /proc may be hidden`(command: String) async throws {
    let bytes = noise(3_000_000)
    let file = try directory.file("big", bytes)
    let hiding = "mount -t tmpfs none /proc/$$/fd && mount -t tmpfs none /proc/pressure"
    let files = ["mountinfo", "cgroup"].map { " && mount --bind /dev/null /proc/$$/\($0)" }.joined()
    let result = try await tool(
      [
        "-m", "/bin/sh", "-c", "\(hiding)\(files) || exit 99; exec \"$0\" \(command)", ToolProcess.path, file,
        directory("folder"),
      ], program: "/usr/bin/unshare")
    #expect(result.code == 0, "\(result.code): \(result.errors)")
    #expect(areEqual(try contents(directory("folder/x")), bytes[...]))
  }

  @Test func `a disk that cannot be written to is told with advice`() {
    for (errno, advice) in [
      (Errno.readOnlyFileSystem, "mounted read-only: write elsewhere"), (.noSpace, "free some space"),
      (.permissionDenied, "write elsewhere"), (.noSuchFileOrDirectory, "make its directory first"),
    ] {
      let message = ToolFailure.writing(to: "x", errno).message
      #expect(message.contains(advice), "\(message)")
    }
    let error = ReadError.errno(.readOnlyFileSystem, "lock the cache directory", source: "x")
    #expect(error.message.contains("isReadOnly") && !ToolAdvice.translated(error.message).contains("isReadOnly"))
  }
}

#if HTTP
import RangeIOHTTPTestServer

extension MessageToolTests {
  @Test func `what a server refuses is told with what to do`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { context in
        let names = context.request.target.split(separator: "/")
        let fields = names.first == "served" ? [ServedField("Server", "rangeio")] : []
        return ScriptedAnswer(Int(names.last ?? "") ?? 500, fields, text: "no\n")
      }
      for row in [
        Row(
          "info \(server.url("/403"))", 3, "403: it does not let everyone read this: add --header 'Authorization: …'"),
        Row(
          "info \(server.url("/401"))", 3, "401: it does not let everyone read this: add --header 'Authorization: …'"),
        Row("info \(server.url("/404"))", 3, "404: there is no such object\n"),
        Row("info \(server.url("/served/403"))", 3, "403: rangeio serve may not read it itself: permit that"),
        Row("info \(server.url("/served/404"))", 3, "404: rangeio serve has nothing to read by this name"),
        Row("info \(server.url("/403")) --header X-Key:5ecret", 3, "these credentials may not read the object"),
        Row("info \(server.url("/401")) --header X-Key:5ecret", 3, "give it other credentials"),
        Row(
          "info --no-sign --region r --endpoint \(server.origin) s3://bucket/403", 3,
          "the object is not public: leave out --no-sign"),
      ] { try await check(row) }
    }
  }

  @Test func `a proxy that is dead, or wants another password, is named`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { _ in ScriptedAnswer(407, text: "no\n") }
      let proxy = "127.0.0.1:\(server.port)"
      let dead = ["https_proxy": "http://user:5ecret@127.0.0.1:1", "no_proxy": ""]
      for row in [
        Row(
          "info https://example.org/x --retries 0", 1,
          "the proxy http://127.0.0.1:1 refused the connection: is it running", environment: dead),
        Row(
          "info https://example.org/x", 3, "the proxy http://\(proxy) refuses the user and the password in its URL",
          environment: ["https_proxy": "http://user:5ecret@\(proxy)", "no_proxy": ""]),
        Row(
          "info https://example.org/x", 3, "the proxy asks for a user and a password: put them into its URL",
          environment: ["https_proxy": "http://\(proxy)", "no_proxy": ""]),
      ] { try await check(row) }
    }
  }

  @Test func `TLS to a server that has none is told so`() async throws {
    let server = try PlainServer()
    try await check(
      Row(
        "info https://127.0.0.1:\(server.port)/x --retries 0", 1, "does not speak TLS at this port", "write http://"))
  }

  @Test func `a certificate that is not trusted is, by --cacert`() async throws {
    try await LyingServer.with(.tls()) { server in
      server.objects.put(ServedObject(count: 9), at: "/object")
      let url = server.url("/object")
      try await check(Row("info \(url) --retries 0", 1, "is not trusted", "with --cacert"))
      try await check(Row("info \(url) --cacert @missing", 1, "@missing"))
      let file = try directory.file("roots.pem", Array(TestCertificate.pem.utf8))
      let result = try await tool("cat", url, "--cacert", file)
      #expect(result.code == 0 && result.output == ServedObject(count: 9).bytes, "\(result.errors)")
    }
  }
}

/// Answers all that it gets with a refusal in HTTP, as servers do at a port without TLS. Stops with its last reference.
private final class PlainServer: Sendable {
  private let listener: CInt
  let port: Int

  init() throws {
    #if canImport(Darwin)
    let listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isBound else { throw Errno(rawValue: errno) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread {
      while case let client = accept(listener, nil, nil), client >= 0 {
        // What was not read would be answered by a reset.
        var buffer = [UInt8](repeating: 0, count: 4096)
        _ = read(client, &buffer, buffer.count)
        let answer = Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".utf8)
        _ = answer.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
        shutdown(client, Int32(SHUT_WR))
        while read(client, &buffer, buffer.count) > 0 {}
        close(client)
      }
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
#endif
#endif
