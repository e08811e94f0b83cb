#if Tool && HTTP

import RangeIOHTTPTestServer
import Synchronization
import Testing

@testable import RangeIOTool

/// `--renew`: a command brings the next URL.
@Suite(.serialized) struct RenewToolTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A server whose URLs end after `count` answers: then another signature is wanted.
  private func withServer(
    after count: Int, _ body: (_ server: LyingServer, _ object: ServedObject) async throws -> Void
  ) async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 3_000_001)
      server.objects.put(object, at: "/object")
      server.script = ServerScript { context in
        let isFirst = context.request.parameter("sig") == "hunter1"
        if isFirst ? context.memory.count("first") < count : context.request.parameter("sig") == "hunter2" {
          return context.honest
        }
        return ScriptedAnswer(403, text: "no\n")
      }
      try await body(server, object)
    }
  }

  @Test func `commands that read go on under the new URL`() async throws {
    for command in ["read", "cat", "copy"] {
      try await withServer(after: 2) { server, object in
        let renew = ["--renew", "echo '\(server.url("/object"))?sig=hunter2'; echo fetched >&2"]
        let copy = directory("copy-\(command)")
        let output = ["copy": [copy], "read": ["--output", copy]][command] ?? []
        let result = try await tool([command, server.url("/object?sig=hunter1")] + output + renew)
        let bytes = output.isEmpty ? result.output : try contents(copy)
        #expect(result.code == 0 && areEqual(bytes, object.bytes[...]), "\(command): \(result.errors)")
        #expect(server.log.requests.last?.parameter("sig") == "hunter2")
      }
    }
    try await withServer(after: 0) { server, object in
      let renew = ["--renew", "printf '%s' '\(server.url("/object"))?sig=hunter2'"]
      for command in [["info"], ["explain", "--range", "0..<9"]] {
        let result = try await tool(command + [server.url("/object?sig=hunter1")] + renew)
        #expect(result.code == 0, "\(command): \(result.errors)")
      }
    }
  }

  @Test func `a command that fails, or prints no URL, is told in one line without secrets`() async throws {
    for (command, words) in [
      ("echo no object for hunter2 >&2; exit 7", "the command of --renew ended with status 7 (no object for …)"),
      ("exit 1", "status 1: run it by hand"), (":", "prints nothing"), ("echo hunter2; echo b", "prints 2 lines"),
      ("echo hunter2", "brought as the new URL"), ("echo 'http://127.0.0.1:1/?sig=hunter3'", ""),
    ] {
      try await withServer(after: 0) { server, _ in
        let result = try await tool(
          "info", server.url("/object?sig=hunter1"), "--renew", command, "--retries", "0")
        #expect(result.code != 0 && result.hasOneLineOfErrors && result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains("hunter"), "\(result.errors)")
      }
    }
  }

  @Test func `it is for URLs of http, and in serve for one object`() async throws {
    for source in ["file", "s3://bucket/key"] {
      let result = try await tool("info", source, "--renew", "true")
      #expect(result.code == 2 && result.errors.contains("--renew is for"), "\(result.errors)")
    }
    #if Serve
    for sources in [["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"], ["http://127.0.0.1:1/a/"]] {
      let result = try await tool(["serve"] + sources + ["--renew", "true", "--listen", "127.0.0.1:0"])
      #expect(result.code == 2 && result.errors.contains("one object"), "\(result.errors)")
    }
    #endif
  }
}

#endif
