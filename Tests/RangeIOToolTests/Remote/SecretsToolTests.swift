#if Tool && HTTP

import Foundation
import RangeIOHTTPTestServer
import SystemPackage
import Testing

@testable import RangeIOTool

/// What signs a request is in nothing that the tool writes, however it is called.
@Suite(.serialized) struct SecretsToolTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let header = ["--header", "Authorization: Bearer hunter2"]

  private func expectClean(_ bytes: [UInt8], _ what: @autoclosure () -> String) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let place = text.range(of: SignedTarget.secret) else { return }
    let start = text.index(place.lowerBound, offsetBy: -60, limitedBy: text.startIndex) ?? text.startIndex
    Issue.record("\(what()): …\(text[start..<place.upperBound])")
  }

  private func expectClean(_ arguments: [String]) async throws {
    let result = try await tool(arguments)
    expectClean(result.output, "\(arguments): output")
    expectClean(Array(result.errors.utf8), "\(arguments): errors")
  }

  /// All files below the directory of this test, by names and contents.
  private func expectCleanFiles() throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    for name in names {
      expectClean(Array(name.utf8), "the name of a file")
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: directory(name), isDirectory: &isDirectory), !isDirectory.boolValue
      else { continue }
      expectClean(try contents(directory(name)), name)
    }
  }

  private func url(_ server: LyingServer, _ target: String) -> String {
    server.url(target).replacing("http://", with: "http://user:\(SignedTarget.secret)@")
  }

  /// Whether there is time for every command with every way to sign, as in `make verify`.
  private static let isThorough = ProcessInfo.processInfo.environment["RANGEIO_READS"] != nil

  @Test(arguments: Array(SignedTarget.all.enumerated()))
  func `no command writes what signs a URL`(number: Int, target: SignedTarget) async throws {
    func hasTurn(_ command: Int) -> Bool { Self.isThorough || (number + command).isMultiple(of: 5) }
    try await LyingServer.with { server in
      server.objects.put(ServedObject(count: 300_000), at: target.path("object"))
      let url = url(server, target.text("object"))
      let commands = [
        ["info", url, "--json", "--stats"], ["explain", url, "--range", "0..<9"],
        ["copy", url, directory("copy"), "--stats"],
      ]
      for (command, arguments) in commands.enumerated() where hasTurn(command) {
        try await expectClean(arguments + Self.header)
      }
      #expect(try directory.names == (hasTurn(2) ? ["copy"] : []))
      // The description comes, and no byte.
      server.script = ServerScript { $0.request.method == "HEAD" ? $0.honest : ScriptedAnswer(403, text: "no\n") }
      let refused = [["cat", url, "--stats"], ["copy", url, directory("copy"), "--force"]]
      for (command, arguments) in refused.enumerated() where hasTurn(command + 3) { try await expectClean(arguments) }
    }
    try expectCleanFiles()
  }

  @Test(arguments: [
    "htp://", "htps:/", "https;//", "http//", "https:", "//", "ftp://", "s3://", "S3:/", "http:///", "", "az://",
    "AZ:/",
    "abfss://", "abfs://", "gs://", "GS//", "gcs://",
  ])
  func `a scheme that is mistyped shows no password`(scheme: String) async throws {
    for rest in [
      "user:hunter2@127.0.0.1:1/object", "user:hunter2/x@127.0.0.1:1/object", "user:hunter2?x@127.0.0.1:1/object",
      "user:p@hunter2?x@127.0.0.1:1/object", "user:12/hunter2@127.0.0.1:1/object",
      "127.0.0.1:1/object?sig=hunter2", "127.0.0.1:1/object;jsessionid=hunter2", "127.0.0.1:hunter2/object",
    ] {
      // Without any scheme, a colon belongs to the name of a file.
      if scheme.isEmpty, rest.hasPrefix("127.0.0.1:hunter2") { continue }
      let isS3 = scheme.lowercased().hasPrefix("s3")
      let isOther = ["az://", "abfss://", "gs://"].contains(scheme)
      let commands = [
        ["info", scheme + rest] + (isS3 ? ["--no-sign", "--region", "x"] : isOther ? ["--no-sign"] : []),
        ["copy", scheme + rest, directory("copy")], ["serve", scheme + rest, "--listen", "203.0.113.1:80"],
      ]
      let number = scheme.utf8.count + rest.utf8.count
      for (command, arguments) in commands.enumerated()
      where Self.isThorough || (number + command).isMultiple(of: 6) { try await expectClean(arguments) }
    }
    #expect(try directory.names == [])
  }

  @Test func `wrong usage shows no secret`() async throws {
    let url = "https://user:hunter2@127.0.0.1:1/object?sig=hunter2"
    for arguments in [
      [url], ["info", url, url], ["info", "--json=\(url)", url], ["read", url, "--range", url],
      ["read", "--range", url],
      ["info", url, "Authorization: Bearer hunter2"], ["info", url, "--heder", "Authorization: Bearer hunter2"],
      ["info", url, "Authorization:hunter2"], ["copy", url, url, url], ["spill", url], ["spill", "list", url],
      ["replay", url], ["info", url, "--header", "hunter2"], ["info", url, "--header", "Range: hunter2"],
      ["info", url, "--region", "x"], ["read", url, "--output", url], ["copy", "/nonexistent", url],
      ["copy", url, directory("copy"), "--sha256", url], ["copy", url, directory("copy"), "--limit-rate", url],
      ["info", "s3://key/x", "--no-sign", "--region", "x", "--endpoint", url],
      ["info", "s3://key:hunter2@bucket/object", "--no-sign"],
    ] { try await expectClean(arguments) }
    #if Serve
    for arguments in [
      ["--shared", "redis://user:hunter2@127.0.0.1:1"], ["--shared", url], ["--listen", url], ["--cors", url],
      ["--administration", url],
    ] { try await expectClean(["serve", directory("."), "--listen", "203.0.113.1:80"] + arguments) }
    try await expectClean(["serve", url, url, "--listen", "203.0.113.1:80"])
    #endif
  }

  #if S3 && Azure && GCS
  @Test func `credentials of stores are in no message, though the server repeats what it got`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { exchange in
        let request = exchange.request
        let all = ([request.target] + request.fields.map(\.value) + [String(decoding: request.body, as: UTF8.self)])
          .joined(separator: " ")
        if request.method == "POST" {
          return ScriptedAnswer(
            400, text: #"{"error": "\#(all)", "error_description": "\#(all)"}"#, type: "application/json")
        }
        return ScriptedAnswer(
          403, text: "<Error><Code>AuthenticationFailed</Code><Message>\(all)</Message></Error>",
          type: "application/xml")
      }
      let file = directory("credentials.json")
      let user = #"""
        {"type": "authorized_user", "client_id": "c", "client_secret": "hunter2", "refresh_token": "hunter2",
        "token_uri": "\#(server.origin)/token"}
        """#
      try user.write(toFile: file, atomically: true, encoding: .utf8)
      let entra = ["AZURE_TENANT_ID=t", "AZURE_CLIENT_ID=c", "AZURE_AUTHORITY_HOST=\(server.origin)"]
      let (s3, azure, google) = ("s3://bucket/key", "az://account/container/blob", "gs://bucket/object")
      let cases: [(String, [String])] = [
        (
          s3, ["AWS_ACCESS_KEY_ID=A", "AWS_SECRET_ACCESS_KEY=hunter2", "AWS_SESSION_TOKEN=hunter2", "AWS_REGION=x"]
        ),
        (azure, ["AZURE_STORAGE_ACCOUNT=account", "AZURE_STORAGE_KEY=hunter2="]),
        (azure, ["AZURE_STORAGE_ACCOUNT=account", "AZURE_STORAGE_KEY=hunter2"]),
        (azure, ["AZURE_STORAGE_ACCOUNT=account", "AZURE_STORAGE_SAS_TOKEN=sv=2021-12-02&sig=hunter2"]),
        (azure, ["AZURE_STORAGE_CONNECTION_STRING=AccountName=account;AccountKey=hunter2="]),
        (azure, ["AZURE_STORAGE_CONNECTION_STRING=AccountName=account;AccountKey=hunter2;hunter2"]),
        (azure, entra + ["AZURE_CLIENT_SECRET=hunter2"]),
        (google, ["GOOGLE_APPLICATION_CREDENTIALS=\(file)"]),
      ]
      for (url, variables) in cases {
        for command in [["info", url], ["cat", url, "--stats", "--retries", "0"]] {
          let arguments =
            ["-i", "HOME=\(directory("."))", "PATH=/usr/bin:/bin"] + variables + [ToolProcess.path] + command
          let result = try await tool(arguments + ["--endpoint", server.origin], program: "/usr/bin/env")
          #expect(result.code != 0 && !result.errors.isEmpty, "\(variables)")
          expectClean(result.output, "\(command): output")
          expectClean(Array(result.errors.utf8), "\(command): errors")
        }
      }
    }
  }
  #endif

  #if Serve
  @Test func `serve logs, tells and keeps nothing that signs`() async throws {
    let all = SignedTarget.all.enumerated().filter { Self.isThorough || $0.offset.isMultiple(of: 6) }
    try await LyingServer.with { server in
      for (number, target) in all {
        server.objects.put(ServedObject(count: 200_000, version: number), at: target.path("object\(number)"))
      }
      // What signs a host alone.
      let urls = all.map { url(server, $1.text("object\($0)")) } + ["http://user:hunter2@127.0.0.1:1"]
      let log = try FileDescriptor.open(
        directory("log"), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
      let process = try ToolProcess(
        ["serve"] + urls + [
          "--listen", "127.0.0.1:0", "--verbose", "--spill", directory("spill"), "--administration",
          "everyone",
        ] + Self.header, output: log.rawValue, errors: log.rawValue)
      try log.close()
      // Nothing else tells when it listens.
      while try !contents(directory("log")).contains(UInt8(ascii: "\n")) {
        try await Task.sleep(for: .milliseconds(1))
      }
      let line = String(decoding: try contents(directory("log")), as: UTF8.self)
      let port = try #require(line.split(separator: ":").last.flatMap { Int($0.prefix { $0.isNumber }) }, "\(line)")
      let list = String(decoding: try await get("/?format=json", port), as: UTF8.self)
      expectClean(Array(list.utf8), "the list")
      for (number, target) in all {
        let name = "object\(number)"
        #expect(list.contains(name), "\(target)")
        let mount = try #require(
          Self.names(list).first { $0.hasPrefix(name) && !($0.dropFirst(name.count).first?.isNumber ?? false) })
        // A client's own secrets are in its request.
        let path = "/" + (mount.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        _ = try await get(path + "?token=hunter2", port)
        _ = try await get("/none;jsessionid=hunter2?token=hunter2", port)
        expectClean(try await get("/-/explain?path=\(path)&range=0-99", port), "\(target): explain")
      }
      _ = try await get("/127.0.0.1:1", port)
      expectClean(try await get("/-/stats", port), "stats")
      expectClean(try await get("/-/stats?format=prometheus", port), "stats")
      process.send(SIGINT)
      #expect(try await process.wait() == 0)
    }
    try await expectClean(["spill", "list", directory("spill"), "--segments"])
    try await expectClean(["spill", "list", directory("spill"), "--json"])
    try await expectClean(["spill", "verify", directory("spill"), "--json"])
    let kept = try await tool("spill", "list", directory("spill"), "--json")
    #expect(String(decoding: kept.output, as: UTF8.self).components(separatedBy: "\"id\"").count - 1 == all.count)
    try expectCleanFiles()
  }

  private static func names(_ list: String) -> [String] {
    list.split(separator: "\"name\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  private func get(_ path: String, _ port: Int) async throws -> [UInt8] {
    try await RawClient.exchange(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: port
    ).parts.body
  }
  #endif
}

#endif
