#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import SystemPackage
  import Testing

  /// Ranges and conditions as RFC 9110 has them, in one table, and beside it what nginx and Apache answer.
  struct ConformanceTests {
    /// A request, and the answer that RFC 9110 asks for, of an object of 1,000 bytes.
    struct Case: Sendable, CustomTestStringConvertible {
      var method = "GET"
      /// `{tag}`, `{modified}`, `{earlier}` and `{later}` stand for those of the server asked.
      var fields: [String]
      var status: Int
      /// The bytes of the body.
      var body: Range<Int>?
      /// Another way than that of nginx and Apache, and why.
      var differs: String?

      var testDescription: String { "\(method) \(fields)" }
    }

    static let size = 1000

    private static func range(_ value: String, _ body: Range<Int>?, _ differs: String? = nil) -> Case {
      Case(
        fields: ["Range: \(value)"], status: body == nil ? 416 : 206, body: body, differs: differs)
    }

    private static func ignored(_ value: String, _ differs: String? = nil) -> Case {
      Case(fields: ["Range: \(value)"], status: 200, body: 0..<size, differs: differs)
    }

    private static func condition(
      _ fields: [String], _ status: Int, _ body: Range<Int>? = nil, _ differs: String? = nil, method: String = "GET"
    ) -> Case {
      Case(method: method, fields: fields, status: status, body: body, differs: differs)
    }

    static let ranges: [Case] = [
      range("bytes=0-0", 0..<1), range("bytes=0-1", 0..<2), range("bytes=0-499", 0..<500),
      range("bytes=500-999", 500..<1000), range("bytes=500-", 500..<1000), range("bytes=0-", 0..<1000),
      range("bytes=999-", 999..<1000), range("bytes=999-999", 999..<1000), range("bytes=-1", 999..<1000),
      range("bytes=-500", 500..<1000), range("bytes=-1000", 0..<1000), range("bytes=-1001", 0..<1000),
      range("bytes=-999999999999", 0..<1000), range("bytes=990-5000", 990..<1000), range("bytes=0-999", 0..<1000),
      range("bytes=0-1000", 0..<1000), range("bytes=1-9223372036854775807", 1..<1000),
      range("bytes=007-008", 7..<9), range("bytes=10-10", 10..<11), range("BYTES=0-1", 0..<2),
      range("bytes=0-1,", 0..<2), range("bytes= 0-1", 0..<2), range("bytes=0-1 ", 0..<2),
      range("bytes=1000-", nil), range("bytes=1000-1001", nil), range("bytes=5000-6000", nil), range("bytes=-0", nil),
      range("bytes=9223372036854775806-", nil), range("bytes=99999999999999999999-", nil),
      range("bytes=1000-,2000-", nil), range("bytes=0-1,5000-6000", 0..<2), range("bytes=5000-6000,-1", 999..<1000),
      ignored("bytes=5-2"), ignored("bytes=abc"), ignored("bytes="), ignored("bytes"), ignored("bytes=-"),
      ignored("bytes=--1"), ignored("bytes=1-2-3"), ignored("items=0-1"), ignored("seconds=1-2"),
      ignored("bytes=0-1,x"), ignored("bytes=0x0-0x1"), ignored("bytes=0-999,0-999"), ignored("bytes=0-998,1-999"),
    ]

    static let conditions: [Case] = [
      condition([], 200, 0..<1000), condition([], 200, method: "HEAD"),
      condition(
        ["Range: bytes=0-1"], 200, nil, "nginx and Apache answer 206: RFC 9110, 14.2, has ranges for GET only",
        method: "HEAD"),
      condition(["If-Match: {tag}"], 200, 0..<1000), condition(["If-Match: *"], 200, 0..<1000),
      condition(["If-Match: \"other\""], 412), condition(["If-Match: \"other\", {tag}"], 200, 0..<1000),
      condition(["If-Match: W/{tag}"], 412), condition(["If-Match: {tag}", "Range: bytes=0-1"], 206, 0..<2),
      condition(["If-Match: \"other\"", "Range: bytes=0-1"], 412),
      condition(["If-Match: \"other\"", "Range: bytes=5000-"], 412),
      condition(["If-None-Match: {tag}"], 304), condition(["If-None-Match: *"], 304),
      condition(["If-None-Match: W/{tag}"], 304), condition(["If-None-Match: \"other\""], 200, 0..<1000),
      condition(["If-None-Match: \"other\", {tag}"], 304),
      condition(["If-None-Match: {tag}", "Range: bytes=0-1"], 304),
      condition(["If-None-Match: \"other\"", "Range: bytes=0-1"], 206, 0..<2),
      condition(["If-None-Match: {tag}"], 304, method: "HEAD"),
      condition(["If-Modified-Since: {modified}"], 304), condition(["If-Modified-Since: {later}"], 304),
      condition(["If-Modified-Since: {earlier}"], 200, 0..<1000),
      condition(["If-Modified-Since: never"], 200, 0..<1000),
      condition(["If-Modified-Since: {modified}", "Range: bytes=0-1"], 304),
      condition(["If-Modified-Since: {modified}"], 304, method: "HEAD"),
      condition(["If-Unmodified-Since: {modified}"], 200, 0..<1000),
      condition(["If-Unmodified-Since: {later}"], 200, 0..<1000),
      condition(["If-Unmodified-Since: {earlier}"], 412),
      condition(["If-Unmodified-Since: {earlier}", "Range: bytes=0-1"], 412),
      condition(["If-Unmodified-Since: never"], 200, 0..<1000),
      condition(
        ["If-Match: {tag}", "If-Unmodified-Since: {earlier}"], 200, 0..<1000,
        "nginx and Apache answer 412: RFC 9110, 13.1.4, ignores the date beside If-Match"),
      condition(["If-Match: \"other\"", "If-None-Match: {tag}"], 412),
      condition(["If-Match: {tag}", "If-None-Match: {tag}"], 304),
      condition(["If-None-Match: \"other\"", "If-Modified-Since: {later}"], 200, 0..<1000),
      condition(
        ["If-None-Match: {tag}", "If-Modified-Since: {earlier}"], 304, nil,
        "nginx and Apache answer 200: RFC 9110, 13.1.3, ignores the date beside If-None-Match"),
      condition(["If-Range: {tag}", "Range: bytes=0-1"], 206, 0..<2),
      condition(["If-Range: \"other\"", "Range: bytes=0-1"], 200, 0..<1000),
      condition(["If-Range: W/{tag}", "Range: bytes=0-1"], 200, 0..<1000),
      condition(
        ["If-Range: {modified}", "Range: bytes=0-1"], 200, 0..<1000,
        "nginx and Apache answer 206: another version can have the same date, and there is a tag"),
      condition(["If-Range: {earlier}", "Range: bytes=0-1"], 200, 0..<1000),
      condition(["If-Range: {later}", "Range: bytes=0-1"], 200, 0..<1000),
      condition(["If-Range: {tag}"], 200, 0..<1000), condition(["If-Range: \"other\""], 200, 0..<1000),
      condition(["If-Range: \"other\"", "Range: bytes=5000-"], 200, 0..<1000),
      condition(["If-Range: {tag}", "Range: bytes=5000-"], 416),
      condition(["If-Range: {tag}", "If-Match: \"other\"", "Range: bytes=0-1"], 412),
      condition([], 405, method: "POST"), condition([], 405, method: "DELETE"), condition([], 405, method: "TRACE"),
    ]

    private static let modified = 1_000_000_000

    /// A date near that of the object.
    private static func date(_ offset: Int) -> String {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(identifier: "GMT")
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(modified + offset)))
    }

    private static func answer(
      _ item: Case, port: Int, tag: String, isKept: Bool = false
    ) async throws -> ReceivedAnswer {
      let fields = item.fields.map {
        $0.replacingOccurrences(of: "{tag}", with: tag)
          .replacingOccurrences(of: "{modified}", with: date(0))
          .replacingOccurrences(of: "{earlier}", with: date(-60))
          .replacingOccurrences(of: "{later}", with: date(60))
      }
      guard isKept else { return try await ask("/object.bin", port: port, method: item.method, fields) }
      return try await askKept("/object.bin", port: port, method: item.method, fields)
    }

    @Test func `every case of the table is answered as RFC 9110 says, and as nginx and Apache do where they agree`()
      async throws
    {
      #expect(Self.ranges.count + Self.conditions.count >= 80)
      let object = ServedFolder.bytes(Self.size)
      let folder = try ServedFolder()
      try folder.write(object, to: "object.bin")
      let others = [RealServer.Kind.nginx, .apache].filter(\.isUsable)
      var peers: [RealServer] = []
      for kind in others {
        let server = try await RealServer.start(kind)
        try server.replace("object.bin", with: object, modified: Self.modified)
        peers.append(server)
      }
      let upstream = try DirectoryUpstream(folder.path)
      var compared = 0
      try await withServer([("", upstream)]) { port, _ in
        let tag = try #require(try await ask("/object.bin", port: port, method: "HEAD").fields["etag"])
        #expect(tag.first == "\"")
        var peerTags: [String] = []
        for peer in peers {
          peerTags.append(try #require(try await ask("/object.bin", port: peer.port, method: "HEAD").fields["etag"]))
        }
        for item in Self.ranges + Self.conditions {
          let ours = try await Self.answer(item, port: port, tag: tag)
          Self.check(ours, item, object)
          // On a connection that stays, most are answered by `ReadyHandler`.
          Self.check(try await Self.answer(item, port: port, tag: tag, isKept: true), item, object)
          var theirs: [ReceivedAnswer] = []
          for (peer, tag) in zip(peers, peerTags) {
            theirs.append(try await Self.answer(item, port: peer.port, tag: tag))
          }
          guard theirs.count == 2, Self.isSame(theirs[0], theirs[1]), item.differs == nil else { continue }
          compared += 1
          let isSame = Self.isSame(ours, theirs[0])
          #expect(
            isSame,
            "\(item.testDescription): \(ours.status) \(ours.fields["content-range"] ?? ""), and nginx and Apache \(theirs[0].status) \(theirs[0].fields["content-range"] ?? "")"
          )
        }
      }
      for peer in peers { await peer.stop() }
      if peers.count == 2 {
        print(
          "conformance: \(Self.ranges.count + Self.conditions.count) cases, in \(compared) of them nginx and Apache agree"
        )
        #expect(compared > 60)
      }
    }

    private static func check(_ answer: ReceivedAnswer, _ item: Case, _ object: [UInt8]) {
      let name = Comment(rawValue: item.testDescription)
      #expect(answer.status == item.status, name)
      switch item.status {
      case 206:
        let body = item.body!
        #expect(answer.fields["content-range"] == "bytes \(body.lowerBound)-\(body.upperBound - 1)/\(size)", name)
        #expect(answer.fields["content-length"] == "\(body.count)", name)
      case 200:
        #expect(answer.fields["content-range"] == nil, name)
        #expect(answer.fields["content-length"] == "\(size)", name)
      case 416: #expect(answer.fields["content-range"] == "bytes */\(size)", name)
      case 304:
        #expect(answer.body.isEmpty, name)
        #expect(answer.fields["etag"] != nil, name)
      case 405: #expect(answer.fields["allow"] == "GET, HEAD, OPTIONS", name)
      default: break
      }
      if item.method == "HEAD" { #expect(answer.body.isEmpty, name) }
      if let body = item.body { #expect(answer.body == Array(object[body]), name) }
      if item.status < 300 { #expect(answer.fields["accept-ranges"] == "bytes", name) }
    }

    /// `true` if both answers mean the same to a client.
    private static func isSame(_ a: ReceivedAnswer, _ b: ReceivedAnswer) -> Bool {
      guard a.status == b.status, a.fields["content-range"] == b.fields["content-range"] else { return false }
      return a.status >= 300 || a.body == b.body
    }

    @Test func `several ranges come in one body, in the order in which they were asked for`() async throws {
      let object = ServedFolder.bytes(700_000)
      let folder = try ServedFolder()
      try folder.write(object, to: "object.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let answer = try await ask("/object.bin", port: port, ["Range: bytes=650000-650003,0-599999,-2"])
        #expect(answer.status == 206)
        let type = try #require(answer.fields["content-type"])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(answer.fields["content-length"] == "\(answer.body.count)")
        var expected: [UInt8] = []
        for (index, range) in [650_000..<650_004, 0..<600_000, 699_998..<700_000].enumerated() {
          expected += Array((index == 0 ? "" : "\r\n").utf8)
          expected += Array(
            "--\(boundary)\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/700000\r\n\r\n"
              .utf8)
          expected += object[range]
        }
        expected += Array("\r\n--\(boundary)--\r\n".utf8)
        #expect(answer.body == expected)
      }
    }

    @Test func `nothing is served as nothing`() async throws {
      let folder = try ServedFolder()
      try folder.write([], to: "empty")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        let whole = try await ask("/empty", port: port)
        #expect(whole.status == 200 && whole.body.isEmpty && whole.fields["content-length"] == "0")
        let part = try await ask("/empty", port: port, ["Range: bytes=0-"])
        #expect(part.status == 416 && part.fields["content-range"] == "bytes */0")
        #expect(try await ask("/empty", port: port, ["Range: bytes=-5"]).status == 200)
      }
    }
  }
#endif
