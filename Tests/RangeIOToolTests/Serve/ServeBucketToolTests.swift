#if Tool && Serve && S3
import CRangeIOSystem
import Foundation
import RangeIO
import RangeIOHTTP
import RangeIOHTTPTestServer
import Testing

/// `rangeio serve s3://…`, as a process, over a store that checks signatures.
@Suite(.timeLimit(.minutes(5))) struct ServeBucketToolTests {
  private let large = ServedObject(count: 3 << 20)
  private let small = ServedObject(count: 700, version: 2)

  private func withBucket(
    below prefix: String = "", secret: String? = nil,
    _ body: (_ port: Int, _ store: LyingServer) async throws -> Void
  ) async throws {
    let objects = [
      "tiles/large": large, "tiles/a b%41+ä": small, "tiles/deep/x": small, "tiles/y": small, "other": small,
    ]
    try await LyingServer.with { store in
      store.script = SignedBucket(objects: objects).script
      let arguments = ["s3://bucket/" + prefix, "--endpoint", store.origin]
      let other = secret.map { ["AWS_SECRET_ACCESS_KEY=" + $0] } ?? []
      try await withServer(arguments, variables: SignedBucket.variables + other, endedBy: SIGTERM) { port, _ in
        try await body(port, store)
      }
    }
  }

  private var configuration: RemoteConfiguration {
    var configuration = RemoteConfiguration()
    configuration.proxy = .none
    return configuration
  }

  @Test func `names are listed as the bucket has them, and folders in it`() async throws {
    try await withBucket(below: "tiles/") { port, store in
      func names(_ path: String) async throws -> [String] {
        try await RemoteListing.directory("http://127.0.0.1:\(port)" + path, configuration: configuration)
          .reduce(into: []) { $0.append("\($1.name) \($1.byteCount ?? -1)") }
      }
      let top = try await names("/")
      #expect(top == ["a b%41+ä 700", "deep/ -1", "large \(3 << 20)", "y 700"])
      let deep = try await names("/deep/")
      #expect(deep == ["x 700"])
      // Nothing was refused, and pages followed each other.
      #expect(store.log.requests.contains { $0.parameter("continuation-token") != nil })
      #expect(store.log.requests.allSatisfy { $0["Authorization"] != nil })
    }
  }

  @Test func `the HTTP source reads all bytes, by streams and by ranges`() async throws {
    try await withBucket(below: "tiles/") { port, store in
      let reader = try await RangeReader(
        contentsOf: "http://127.0.0.1:\(port)/large", configuration: configuration)
      #expect(reader.byteCount == large.bytes.count)
      let all = try await reader.read(0..<large.bytes.count)
      #expect(all.withUnsafeBytes { $0.elementsEqual(large.bytes) })
      for range in [0..<1, 999_999..<1_300_000, (3 << 20) - 5..<3 << 20] {
        let bytes = try await reader.read(range)
        #expect(bytes.withUnsafeBytes { $0.elementsEqual(large.bytes[range]) })
      }
      await reader.close()
      let named = try await RangeReader(
        contentsOf: "http://127.0.0.1:\(port)/a%20b%2541+%C3%A4", configuration: configuration)
      let bytes = try await named.read(0..<700)
      #expect(bytes.withUnsafeBytes { $0.elementsEqual(small.bytes) })
      await named.close()
      #expect(store.log.requests.contains { $0.target == "/bucket/tiles/a%20b%2541%2B%C3%A4" })
    }
  }

  @Test func `plain requests get the whole, ranges and 304, and what is kept is not fetched again`() async throws {
    try await withBucket { port, store in
      let whole = try await get("/tiles/large", port)
      #expect(whole.head.hasPrefix("HTTP/1.1 200") && areEqual(whole.body, large.bytes[...]))
      let tag = try #require(
        whole.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("etag:") }?.dropFirst(5))
      for (range, bytes) in [
        ("100-199", 100..<200), ("-5", (3 << 20) - 5..<3 << 20), ("3145720-", 3_145_720..<3 << 20),
      ] {
        let part = try await get("/tiles/large", port, range: range)
        #expect(part.head.hasPrefix("HTTP/1.1 206") && areEqual(part.body, large.bytes[bytes]), "\(range)")
      }
      let beyond = try await get("/tiles/large", port, range: "9999999-")
      #expect(beyond.head.hasPrefix("HTTP/1.1 416"))
      let same = try await get("/tiles/large", port, fields: "If-None-Match:\(tag)\r\n")
      #expect(same.head.hasPrefix("HTTP/1.1 304") && same.body.isEmpty)
      let other = try await get("/tiles/large", port, fields: "If-None-Match: \"other\"\r\n")
      #expect(other.head.hasPrefix("HTTP/1.1 200") && other.body.count == large.bytes.count)
      let failed = try await get("/tiles/large", port, fields: "If-Match: \"other\"\r\n")
      #expect(failed.head.hasPrefix("HTTP/1.1 412"))
      let ifRange = try await get("/tiles/large", port, range: "0-9", fields: "If-Range: \"other\"\r\n")
      #expect(ifRange.head.hasPrefix("HTTP/1.1 200"))
      // Two wholes and more were sent, of which the second came from memory.
      #expect(store.log.bodyBytes < 2 * large.bytes.count)
    }
  }

  @Test func `what is missing is told, and nothing of the key is`() async throws {
    try await withBucket { port, store in
      for path in ["/none", "/tiles/none", "/tiles/deep/x/y"] {
        let answer = try await get(path, port)
        #expect(answer.head.hasPrefix("HTTP/1.1 404"), "\(path)")
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("hunter2"))
      }
      #expect(store.log.requests.allSatisfy { !"\($0)".contains("hunter2") })
    }
  }

  @Test func `a key that the store refuses is no empty list`() async throws {
    try await withBucket(secret: "other") { port, _ in
      for path in ["/", "/other", "/none"] {
        let answer = try await get(path, port)
        let status = Int(answer.head.dropFirst(9).prefix(3)) ?? 0
        #expect([403, 502].contains(status), "\(path): \(answer.head)")
      }
    }
  }
}
#endif
