#if Tool && Serve && HTTP
import CRangeIOSystem
import Foundation
import RangeIOHTTPTestServer
import SystemPackage
import Testing

/// Starts `rangeio serve`, which says where it listens, and stops it as a terminal does.
///
/// - Parameters:
///   - sockets: what it listens to in the place of an address, as if systemd had opened them.
///   - variables: all that its environment has; `nil`: what this process has.
///   - signal: ends it.
func withServer(
  _ arguments: [String], at address: String = "127.0.0.1:0", says: String = "http://127.0.0.1:",
  sockets: [CInt] = [], variables: [String]? = nil, endedBy signal: CInt = SIGINT,
  _ body: (_ port: Int, _ process: ToolProcess) async throws -> Void
) async throws {
  let errors = try ReadingEnd()
  let command = ["serve"] + arguments + ["--listen", sockets.isEmpty ? address : "systemd"]
  let process: ToolProcess
  if let variables {
    process = try ToolProcess(
      ["-i"] + variables + [ToolProcess.path] + command, program: "/usr/bin/env", output: 2,
      errors: errors.writing.rawValue)
  } else if !sockets.isEmpty {
    // The number of the process is known to itself only.
    let script = "export LISTEN_PID=$$ LISTEN_FDS=\(sockets.count); exec \"$@\""
    process = try ToolProcess(
      ["-c", script, "sh", ToolProcess.path] + command, program: "/bin/sh", output: 2,
      errors: errors.writing.rawValue, passing: sockets)
  } else {
    process = try ToolProcess(command, output: 2, errors: errors.writing.rawValue)
  }
  try errors.writing.close()
  var line: [UInt8] = []
  while line.last != UInt8(ascii: "\n"), let byte = try await errors.read(1).first { line.append(byte) }
  var text = String(decoding: line, as: UTF8.self)
  if text.hasPrefix("rangeio: --spill ") {
    #expect(text.hasSuffix("Serving without the disk\n"))
    while let byte = try await errors.read(1).first, byte != UInt8(ascii: "\n") {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
  }
  let port = sockets.isEmpty ? text.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) } : 0
  #expect(text.contains(says))
  do {
    try await body(try #require(port, "\(text)"), process)
  } catch {
    process.send(SIGKILL)
    _ = try await process.wait()
    throw error
  }
  process.send(signal)
  let (status, told) = try await (process.wait(), errors.read(1 << 16))
  // What a sanitizer has found is told there.
  #expect(status == 0, "\(String(decoding: told, as: UTF8.self))")
  try errors.reading.close()
}

/// What a server of this machine answers to a GET.
func get(_ path: String, _ port: Int, range: String? = nil, fields: String = "") async throws -> (
  head: String, body: [UInt8]
) {
  let field = (range.map { "Range: bytes=\($0)\r\n" } ?? "") + fields
  return try await RawClient.exchange(
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(field)\r\n", port: port
  ).parts
}
#endif
