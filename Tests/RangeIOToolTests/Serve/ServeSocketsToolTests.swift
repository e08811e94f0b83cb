#if Tool && Serve && HTTP && os(Linux)
import Foundation
import RangeIOHTTPTestServer
import SystemPackage
import Testing

@testable import RangeIOTool

/// `rangeio serve --listen systemd`: sockets that another process has opened.
@Suite(.timeLimit(.minutes(5))) struct ServeSocketsToolTests {
  /// A socket that listens to this machine, and where.
  private func listening() throws -> (socket: CInt, port: Int) {
    let socket = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, address, &length) == 0
      }
    }
    #expect(result)
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  private func withUnixSocket(
    _ path: String, type: CInt = CInt(SOCK_STREAM.rawValue),
    _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let socket = socket(AF_UNIX, type | CInt(SOCK_CLOEXEC.rawValue), 0)
    let isDone = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard isDone else { throw Errno(rawValue: errno) }
    return socket
  }

  /// What comes back over a unix socket.
  private func ask(_ path: String, at place: String) async throws -> String {
    let socket = FileDescriptor(rawValue: try withUnixSocket(place) { connect($0, $1, $2) == 0 })
    return try await blocking {
      defer { close(socket.rawValue) }
      try socket.writeAll("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      var count = 0
      while case let got = try bytes.withUnsafeMutableBytes({ try socket.read(into: .init(rebasing: $0[count...])) }),
        got > 0
      {
        count += got
      }
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  @Test func `sockets of both kinds are served, and what connects while no server runs is answered by the next`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let file = try directory.file("a.txt", Array("hello".utf8))
    let (first, port) = try listening()
    let second = try withUnixSocket(directory("socket")) { bind($0, $1, $2) == 0 && listen($0, 16) == 0 }
    defer { for socket in [first, second] { close(socket) } }
    for _ in 0..<2 {
      // It waits in the queue of the socket, and no one refuses it.
      let early = Task { try await get("/a.txt", port) }
      try await withServer([file], says: "the sockets of systemd", sockets: [first, second], endedBy: SIGTERM) {
        _, _ in
        #expect(try await early.value.body == Array("hello".utf8))
        #expect(try await get("/a.txt", port).head.hasPrefix("HTTP/1.1 200"))
        let answer = try await ask("/a.txt", at: directory("socket"))
        #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("hello"))
      }
    }
    #expect(FileManager.default.fileExists(atPath: directory("socket")))
  }

  @Test func `what is no socket that listens is told`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.file("a.txt", [1])
    let datagrams = try withUnixSocket(directory("datagrams"), type: CInt(SOCK_DGRAM.rawValue)) {
      bind($0, $1, $2) == 0
    }
    let mute = try withUnixSocket(directory("mute")) { bind($0, $1, $2) == 0 }
    let plain = open(file, O_RDONLY | O_CLOEXEC)
    defer { for descriptor in [datagrams, mute, plain] { close(descriptor) } }
    for descriptor in [datagrams, mute, plain] {
      let (code, text) = try await start([file], passing: descriptor)
      #expect(code != 0)
      #expect(text == "rangeio: descriptor 3 is no socket that listens for connections of a stream\n")
    }
  }

  @Test func `without sockets it says what to do, and passwords cross no network in the clear`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.file("a.txt", [1])
    let none = try await tool(["serve", file, "--listen", "systemd"])
    #expect(none.code != 0 && none.errors.hasPrefix("rangeio: --listen systemd: systemd has given no sockets"))
    let hash = "$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA"
    let open = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(open) }
    // To all addresses.
    #expect(listen(open, 1) == 0)
    let (code, text) = try await start([file, "--user", "anna:" + hash], passing: open)
    #expect(code != 0 && text.contains("in the clear"))
  }

  /// Starts a server that ends by itself.
  private func start(_ arguments: [String], passing descriptor: CInt) async throws -> (code: Int, errors: String) {
    let errors = try ReadingEnd()
    let script = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$@\""
    let process = try ToolProcess(
      ["-c", script, "sh", ToolProcess.path, "serve"] + arguments + ["--listen", "systemd"], program: "/bin/sh",
      output: 2, errors: errors.writing.rawValue, passing: [descriptor])
    try errors.writing.close()
    let (code, text) = try await (process.wait(), errors.read(1 << 16))
    try errors.reading.close()
    return (code, String(decoding: text, as: UTF8.self))
  }
}
#endif
