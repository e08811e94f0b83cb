#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIORemote
  import RangeIOServe
  import RangeIOSupport
  import Testing

  /// The objects of a bucket, and folders that only their names make.
  @Suite(.timeLimit(.minutes(2))) struct BucketTests {
    private struct Line: Decodable, Equatable {
      let name: String?
      let type: String
      var size: Int?
    }

    /// A store that lists as S3 does, and whose objects hold their own names.
    private static func store(_ names: [String]) -> ServerScript {
      ServerScript { asked in
        let request = asked.request
        guard request.parameter("list-type") != nil else {
          let name = String(request.path.dropFirst("/bucket/".count))
          guard names.contains(name) else { return ScriptedAnswer(404, text: "") }
          return ScriptedAnswer.honest(request, ServedObject(Array(name.utf8)), date: HTTPTime.now)
        }
        func value(_ name: String) -> String? { request.parameter(name).map { PercentCoding.decoded($0) } }
        let (lines, next) = NamePages(names).page(
          value("prefix") ?? "", delimiter: value("delimiter"), after: value("continuation-token"), most: 2)
        let items = lines.map { line in
          line.isFolder
            ? "<CommonPrefixes><Prefix>\(line.name)</Prefix></CommonPrefixes>"
            : "<Contents><Key>\(line.name)</Key><Size>\(line.name.utf8.count)</Size></Contents>"
        }
        return ScriptedAnswer(
          200,
          text: "<ListBucketResult><IsTruncated>\(next != nil)</IsTruncated>\(items.joined())"
            + (next.map { "<NextContinuationToken>\($0)</NextContinuationToken>" } ?? "") + "</ListBucketResult>")
      }
    }

    private func serving(
      _ names: [String], mount: String = "", _ body: @escaping @Sendable (_ port: Int, LyingServer) async throws -> Void
    ) async throws {
      try await LyingServer.with { store in
        store.script = Self.store(names)
        var configuration = RemoteConfiguration()
        configuration.proxy = .none
        let (url, remote) = (store.url("/bucket/"), configuration)
        let upstream = ObjectUpstream(freshness: .seconds(60)) { path in
          let name = path.map(\.encoded).joined(separator: "/")
          return try await RangeReader(RemoteObject(url + name, configuration: remote), onChange: .refresh)
        } listBelow: { path in
          let prefix = path.map { $0.description + "/" }.joined()
          return RemoteListing("bucket", ObjectListForm(ListedPrefix(prefix, isRecursive: false)), pipeline: []) {
            try RemoteObject(url, configuration: remote)
          }
        }
        try await withServer([(mount, upstream)]) { port, _ in try await body(port, store) }
      }
    }

    private func lines(_ path: String, _ port: Int) async throws -> [Line] {
      let answer = try await ask(path, port: port)
      #expect(answer.status == 200)
      return try JSONDecoder().decode([Line].self, from: Data(answer.body))
    }

    @Test func `folders are listed, and objects in them read`() async throws {
      try await serving(["a", "d/b", "d/c", "d/e/f", "d/.hidden", "d//x", "z"]) { port, store in
        let top = try await lines("/?format=json", port)
        #expect(top.map(\.name) == ["a", "d", "z"] && top.map(\.type) == ["file", "directory", "file"])
        #expect(top[0].size == 1)
        let folder = try await lines("/d/?format=json", port)
        #expect(folder.map(\.name) == ["b", "c", "e"])
        let object = try await ask("/d/e/f", port: port)
        #expect(object.body == Array("d/e/f".utf8))
        let page = String(decoding: try await ask("/d/", port: port).body, as: UTF8.self)
        #expect(page.contains("<a href=\"e/\">"))
      }
    }

    @Test func `what is no object and no folder is not found`() async throws {
      try await serving(["a", "d/b"]) { port, _ in
        for path in ["/b", "/b/", "/a/"] {
          let status = try await ask(path, port: port).status
          #expect(status == 404, "\(path)")
        }
      }
    }

    @Test func `an empty bucket is an empty list`() async throws {
      try await serving([]) { port, _ in
        let top = try await lines("/?format=json", port)
        #expect(top.isEmpty)
      }
    }

    @Test func `a bucket beside others is listed below its name`() async throws {
      try await serving(["a"], mount: "maps") { port, _ in
        let moved = try await ask("/maps", port: port)
        #expect(moved.fields["location"] == "./maps/")
        let top = try await lines("/maps/?format=json", port)
        #expect(top.map(\.name) == ["a"])
      }
    }

    @Test func `a list goes on after a name`() async throws {
      try await serving(["a", "b", "c"]) { port, _ in
        let rest = try await lines("/?format=json&after=a", port)
        #expect(rest.map(\.name) == ["b", "c"])
      }
    }
  }
#endif
