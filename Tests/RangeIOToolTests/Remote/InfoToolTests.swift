#if Tool && HTTP
import Foundation
import RangeIOHTTPTestServer
import Testing

/// What `rangeio info` tells of remote objects, as a process.
@Suite(.serialized) struct InfoToolTests {
  private struct Info: Decodable, Equatable {
    var byteCount: Int
    var version: String
    var versionID: String?
    var tag: String?
    var modified: String?
    var contentType: String?
  }

  /// The lines: their names and values.
  private func lines(_ arguments: [String]) async throws -> [String: String] {
    let result = try await tool(["info"] + arguments)
    #expect(result.code == 0, "\(result.errors)")
    #expect(!result.output.contains(0x1B))
    var lines: [String: String] = [:]
    for line in String(decoding: result.output, as: UTF8.self).split(separator: "\n") {
      let gap = try #require(line.firstRange(of: "  "))
      lines[String(line[..<gap.lowerBound])] = String(line[gap.upperBound...].drop { $0 == " " })
    }
    return lines
  }

  private func json(_ arguments: [String]) async throws -> Info {
    let result = try await tool(["info", "--json"] + arguments)
    #expect(result.code == 0, "\(result.errors)")
    return try JSONDecoder().decode(Info.self, from: Data(result.output))
  }

  @Test func `tag, date and type are told as the server tells them`() async throws {
    try await LyingServer.with { server in
      var object = ServedObject(count: 1234)
      object.contentType = "application/vnd.pmtiles; x=1"
      server.objects.put(object, at: "/object")
      let lines = try await lines([server.url("/object")])
      #expect(lines["tag"] == "v1" && lines["changed"] == "Tue, 14 Nov 2023 22:14:20 GMT", "\(lines)")
      #expect(lines["content type"] == "application/vnd.pmtiles; x=1" && lines["version id"] == nil, "\(lines)")
      #expect(lines["version"]?.hasPrefix("settled") == true && lines["size"]?.hasPrefix("1,234 bytes") == true)
      let info = try await json([server.url("/object")])
      #expect(
        info
          == Info(
            byteCount: 1234, version: "settled", tag: "v1", modified: "Tue, 14 Nov 2023 22:14:20 GMT",
            contentType: "application/vnd.pmtiles; x=1"))
    }
  }

  @Test func `what the server does not tell has no line, and is null`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { asked in
        var answer = asked.honest
        for name in ["ETag", "Last-Modified", "Content-Type"] { answer.fields[name] = nil }
        return answer
      }
      server.objects.put(ServedObject(count: 9), at: "/object")
      let lines = try await lines([server.url("/object")])
      for name in ["tag", "changed", "content type", "version id"] { #expect(lines[name] == nil, "\(name)") }
      #expect(lines["version"]?.hasPrefix("none") == true)
      #expect(try await json([server.url("/object")]) == Info(byteCount: 9, version: "none"))
    }
  }

  @Test func `a weak tag is told as one, and no character harms a terminal`() async throws {
    try await LyingServer.with { server in
      var object = ServedObject(count: 9)
      object.tag = .weak("a b\u{9B}31m\u{202E}")
      server.objects.put(object, at: "/object")
      let tag = try await lines([server.url("/object")])["tag"]
      #expect(tag?.hasPrefix("W/a b") == true && tag?.unicodeScalars.contains("\u{9B}") == false, "\(tag ?? "none")")
      let info = try await json([server.url("/object")])
      #expect(info.tag?.hasPrefix("W/a b") == true)
    }
  }

  #if S3
  @Test func `the version of an object in a bucket is told`() async throws {
    try await LyingServer.with { server in
      server.objects.put(ServedObject(count: 77, version: 3), at: "/bucket/key")
      server.script = ServerScript { asked in
        var answer = asked.honest
        answer.fields["x-amz-version-id"] = "3sL4kqtJlcpXro"
        return answer
      }
      let arguments = ["s3://bucket/key", "--no-sign", "--region", "us-east-1", "--endpoint", server.origin]
      let lines = try await lines(arguments)
      #expect(lines["version id"] == "3sL4kqtJlcpXro" && lines["tag"] == "v3", "\(lines)")
      let info = try await json(arguments)
      #expect(info.versionID == "3sL4kqtJlcpXro" && info.byteCount == 77 && info.version == "settled")
    }
  }
  #endif

  #if GCS
  @Test func `the generation of an object of Google's is told`() async throws {
    try await LyingServer.with { server in
      server.objects.put(ServedObject(count: 77, version: 3), at: "/storage/v1/b/bucket/o/object")
      server.script = ServerScript { asked in
        var answer = asked.honest
        answer.fields["x-goog-generation"] = "1700000000123456"
        return answer
      }
      let info = try await json(["gs://bucket/object", "--no-sign", "--endpoint", server.origin])
      #expect(info.versionID == "1700000000123456" && info.tag == "v3" && info.byteCount == 77)
    }
  }
  #endif

  #if Azure
  @Test func `the tag and the date of a blob are told`() async throws {
    try await LyingServer.with { server in
      server.objects.put(ServedObject(count: 77, version: 3), at: "/container/blob")
      let info = try await json(["az://account/container/blob", "--no-sign", "--endpoint", server.origin])
      #expect(info.tag == "v3" && info.modified == "Tue, 14 Nov 2023 22:16:20 GMT" && info.byteCount == 77)
    }
  }
  #endif

  @Test func `a file has none of these lines but its date`() async throws {
    let directory = try TemporaryDirectory()
    let info = try await json([try directory.file("f", [1, 2, 3])])
    #expect(info.byteCount == 3 && info.tag == nil && info.modified != nil && info.contentType == nil)
  }
}
#endif
