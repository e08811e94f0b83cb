#if Tool && HTTP
import Foundation
import RangeIOHTTPTestServer
import Testing

/// `rangeio ls` as a process.
@Suite(.serialized) struct ListToolTests {
  private struct Entry: Decodable, Equatable {
    var name: String
    var type: String
    var byteCount: Int?
    var version: String?
  }

  private func entries(_ arguments: [String]) async throws -> [Entry] {
    let result = try await tool(["ls", "--json"] + arguments)
    #expect(result.code == 0, "\(result.errors)")
    return try JSONDecoder().decode([Entry].self, from: Data(result.output))
  }

  /// The last column of each line.
  private func names(_ result: ToolResult) -> [String] {
    String(decoding: result.output, as: UTF8.self).split(separator: "\n").map { line in
      String(line.dropFirst(14 + 2 + 23 + 2))
    }
  }

  @Test func `a directory is listed in the order of bytes, with what is in it on demand`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("b", [1, 2, 3])
    try FileManager.default.createDirectory(atPath: directory("a/deep"), withIntermediateDirectories: true)
    _ = try directory.file("a/deep/x", [])
    let path = directory("")
    #expect(
      try await entries([path]) == [
        Entry(name: "a/", type: "folder"), Entry(name: "b", type: "object", byteCount: 3),
      ])
    #expect(names(try await tool("ls", "-r", path)) == ["a/", "b", "a/deep/", "a/deep/x"])
    #expect(try await entries([directory("a/deep")]).map(\.name) == ["x"])
    let empty = try await tool("ls", directory("a/deep/x"))
    #expect(empty.code == 0 && names(empty) == [directory("a/deep/x")])
    let missing = try await tool("ls", directory("none"))
    #expect(missing.code == 3 && missing.hasOneLineOfErrors)
  }

  @Test func `an index of a web server, and the folders in it`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { asked in
        let names: [String]? =
          switch asked.request.target {
          case "/d/": ["../", "a%20b", "sub/"]
          case "/d/sub/": ["../", "x"]
          default: nil
          }
        guard let names else { return ScriptedAnswer(404, text: "") }
        let links = names.map { "<a href=\"\($0)\">n</a> 29-Nov-2026 15:47 3\n" }
        return ScriptedAnswer(200, text: "<html><title>Index of</title>\(links.joined())</html>", type: "text/html")
      }
      let header = ["--header", "X-Key: 5ecret"]
      let result = try await tool(["ls", "-r", server.url("/d")] + header)
      #expect(result.code == 0 && names(result) == ["a b", "sub/", "sub/x"], "\(result.errors)")
      #expect(server.log.requests.allSatisfy { $0["X-Key"] == "5ecret" })
      let missing = try await tool("ls", server.url("/none/"))
      #expect(missing.code == 3 && missing.hasOneLineOfErrors)
    }
  }

  @Test(arguments: [false, true]) func `a collection of WebDAV, and what is in it`(isAlone: Bool) async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { asked in
        let names: [String]? =
          switch asked.request.target {
          case "/d/": ["", "a%20b", "sub/"]
          case "/d/sub/": ["", "x"]
          default: nil
          }
        guard let names else { return ScriptedAnswer(404, text: "") }
        guard asked.request.method == "PROPFIND" else { return ScriptedAnswer(405, text: "") }
        let responses = names.map { name in
          let type = name.isEmpty || name.hasSuffix("/") ? "<D:collection/>" : ""
          return
            "<D:response><D:href>\(asked.request.target)\(name)</D:href><D:propstat><D:prop><D:resourcetype>\(type)"
            + "</D:resourcetype><D:getcontentlength>3</D:getcontentlength><D:getetag>\"t\"</D:getetag></D:prop>"
            + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        }
        return ScriptedAnswer(207, text: "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>")
      }
      let all = try await entries(["-r", server.url("/d")] + (isAlone ? ["--webdav"] : []))
      #expect(
        all == [
          Entry(name: "a b", type: "object", byteCount: 3, version: "t"),
          Entry(name: "sub/", type: "folder", version: "t"),
          Entry(name: "sub/x", type: "object", byteCount: 3, version: "t"),
        ])
      #expect(server.log.requestCount == (isAlone ? 2 : 4))
      let missing = try await tool(["ls", server.url("/none/")] + (isAlone ? ["--webdav"] : []))
      #expect(missing.code == 3 && missing.hasOneLineOfErrors)
    }
    let directory = try await tool("ls", "--webdav", ".")
    #expect(directory.code == 2 && directory.hasOneLineOfErrors)
  }

  #if S3
  @Test func `a bucket, page by page, and what is printed before a failure`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { asked in
        let request = asked.request
        if request.parameter("continuation-token") != nil {
          return ScriptedAnswer(403, text: "<Error><Code>AccessDenied</Code></Error>", type: "application/xml")
        }
        let isCut = request.parameter("prefix") == "cut"
        return ScriptedAnswer(
          200,
          text: """
            <ListBucketResult><EncodingType>url</EncodingType><IsTruncated>\(isCut)</IsTruncated>\
            <NextContinuationToken>t</NextContinuationToken><Contents><Key>cut+x%1B</Key><ETag>"e&#27;"</ETag>\
            <Size>7</Size></Contents></ListBucketResult>
            """)
      }
      let options = ["--no-sign", "--endpoint", server.origin, "--region", "us-east-1"]
      let all = try await entries(["s3://bucket/"] + options)
      #expect(all == [Entry(name: "cut x\u{1B}", type: "object", byteCount: 7, version: "e\u{1B}")])
      let long = try await tool(["ls", "--long", "s3://bucket"] + options)
      #expect(String(decoding: long.output, as: UTF8.self).contains("  e\u{FFFD} "))
      #expect(!long.output.contains(0x1B))
      let cut = try await tool(["ls", "s3://bucket/cut"] + options)
      #expect(cut.code == 3 && cut.errors.contains("AccessDenied") && cut.hasOneLineOfErrors)
      let requests = server.log.requests.filter { $0.parameter("prefix") == "cut" }
      #expect(requests.count == 2 && requests[1].parameter("continuation-token") == "t")
    }
  }
  #endif

  @Test func `options that do not belong to the scheme are refused`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.file("sas", Array("sv=1&sig=5ecret".utf8))
    for arguments in [
      ["--account", "x", "s3://bucket"], ["--account", "x", "abfss://c@a.dfs.core.windows.net/"],
      ["--project", "x", "s3://bucket"], ["--sas", file, "gs://bucket"], ["--sas-env", "NONE", "az://a/c"],
      ["--sas", file, "--sas-env", "HOME", "az://a/c"], ["--profile", "x", "."],
      ["--sas", file, "--no-sign", "az://a/c"],
    ] {
      let result = try await tool(["ls"] + arguments)
      #expect(result.code == 2 && result.hasOneLineOfErrors && !result.errors.contains("5ecret"), "\(arguments)")
    }
  }
}
#endif
