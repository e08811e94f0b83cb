#if Tool && Serve && HTTP
import Foundation
import RangeIO
import RangeIOHTTP
import RangeIOHTTPTestServer
import Testing

@testable import RangeIOTool

/// What `rangeio serve` has for those who run it.
@Suite(.timeLimit(.minutes(5))) struct ServePeopleToolTests {
  private static let hash = "$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA"

  @Test func `a log is opened anew by SIGHUP, and names those who gave a password`() async throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory("served"), withIntermediateDirectories: false)
    _ = try directory.file("served/a.bin", [1, 2, 3])
    _ = try directory.file("served/index.html", Array("hello".utf8))
    let log = directory("log")
    let options = ["--user", "anna:" + Self.hash, "--access-log", log, "--access-log-format", "json", "--index"]
    try await withServer([directory("served")] + options) { port, process in
      #expect(try await get("/a.bin", port).head.hasPrefix("HTTP/1.1 401"))
      #expect(try await get("/-/readyz", port).head.hasPrefix("HTTP/1.1 200"))
      #expect(rename(log, log + ".1") == 0)
      process.send(SIGHUP)
      let password = "Authorization: Basic " + Data("anna:secret".utf8).base64EncodedString() + "\r\n"
      while !FileManager.default.fileExists(atPath: log) { await Task.yield() }
      let page = try await get("/", port, fields: password)
      #expect(page.body == Array("hello".utf8))
    }
    #expect(try String(contentsOfFile: log + ".1", encoding: .utf8).contains("\"status\":401"))
    #expect(try String(contentsOfFile: log, encoding: .utf8).contains("\"user\":\"anna\""))
  }

  @Test func `a log that cannot be opened for now keeps no signal waiting`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.file("a.bin", [1])
    let log = directory("log")
    try await withServer([file, "--access-log", log], endedBy: SIGTERM) { _, process in
      // A pipe without a reader: opening it waits.
      #expect(unlink(log) == 0 && mkfifo(log, 0o600) == 0)
      process.send(SIGHUP)
    }
  }

  @Test func `TLS is spoken with a certificate, and the address says so`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.file("a.bin", [1, 2, 3])
    let certificate = try directory.file("c.pem", Array(TestCertificate.pem.utf8))
    let key = try directory.file("k.pem", Array(TestCertificate.key.utf8))
    let options = ["--tls", certificate, "--tls-key", key]
    try await withServer([file] + options, says: "https://127.0.0.1:") { port, _ in
      let request = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      let received = try await RawClient.exchange(request, port: port, isTLS: true)
      #expect(received.parts.body == [1, 2, 3])
    }
  }

  @Test(arguments: [RemoteConfiguration.HTTPVersion.http1, .http2])
  func `our own client reads all bytes over TLS, in pieces and in a stream`(
    version: RemoteConfiguration.HTTPVersion
  ) async throws {
    let directory = try TemporaryDirectory()
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }
    let file = try directory.file("a.bin", bytes)
    let certificate = try directory.file("c.pem", Array((TestCertificate.pem + "\n" + TestCertificate.key).utf8))
    let log = directory("log")
    let options = ["--tls", certificate, "--access-log", log]
    try await withServer([file] + options, says: "https://127.0.0.1:") { port, _ in
      var configuration = RemoteConfiguration()
      configuration.httpVersion = version
      configuration.additionalTrustRoots = [.pem(Array(TestCertificate.pem.utf8))]
      let source = HTTPSource("https://localhost:\(port)/a.bin", configuration: configuration)
      let reader = try await RangeReader(source)
      #expect(reader.byteCount == bytes.count)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for start in stride(from: 0, to: bytes.count, by: 150_000) {
          group.addTask {
            let end = min(start + 150_000, bytes.count)
            let piece = try await reader.read(start..<end)
            #expect(piece.elementsEqual(bytes[start..<end]))
          }
        }
        try await group.waitForAll()
      }
      #expect(try await reader.stream(0..<bytes.count).collect(upTo: .mebibytes(4)).elementsEqual(bytes))
      await reader.close()
    }
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.allSatisfy { $0.contains(version == .http2 ? " HTTP/2.0\"" : " HTTP/1.1\"") } && !lines.isEmpty)
  }

  #if os(Linux)
  @Test func `systemd hears when the server listens, and when it stops`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.file("a.bin", [1])
    let path = directory("notify")
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let socket = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    defer { close(socket) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) == 0 }
    }
    #expect(isBound)
    try await withServer([file], variables: ["NOTIFY_SOCKET=" + path], endedBy: SIGTERM) { _, _ in }
    // It has ended: what it told is here.
    let messages = (0..<3).map { _ in
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT))
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
    #expect(messages == ["READY=1", "STOPPING=1", ""])
  }
  #endif

  @Test(arguments: [
    (["--user", "5ecret"], "--user 1 is no name and hash"), (["--user", "anna:5ecret"], "--user anna: "),
    (["--user", "anna:" + hash, "--user", "anna:" + hash], "anna is there twice"),
    (["--user", "anna:" + hash, "--listen", ":0"], "in the clear"),
    (["--tls-key", "k.pem"], "--tls-key: name the certificate"), (["--tls", "/none.pem"], "/none.pem"),
    (["--socket-mode", "660"], "--socket-mode: "),
    (["--socket-mode", "999", "--listen", "unix:/x"], "--socket-mode: "), (["--listen", "unix:"], "--listen: "),
    (["--access-log", "/none/log"], "--access-log: "), (["--stop-delay=-1"], "--stop-delay: "),
  ])
  func `what cannot be is told in words, and no secret is shown`(options: [String], words: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await tool(["serve", directory(".")] + options)
    #expect(result.code != 0 && result.errors.contains(words), "\(result.errors)")
    #expect(!result.errors.contains("5ecret"))
  }
}
#endif
