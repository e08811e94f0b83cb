#if Tool && HTTP
import Foundation
import RangeIOHTTPTestServer
import Testing

/// `rangeio cat --follow`, as a process.
@Suite(.serialized) struct FollowToolTests {
  @Test func `an object is read as it grows, and what is no growth ends with 5`() async throws {
    let directory = try TemporaryDirectory()
    try await LyingServer.with { server in
      func put(_ count: Int, version: Int = 1) {
        var object = ServedObject(count: count, version: version)
        object.tag = .strong("\(version)-\(count)")
        server.objects.put(object, at: "/log")
      }
      put(5000)
      let pipe = try ReadingEnd()
      let process = try pipe.start("cat", server.url("/log"), "--follow", errors: directory("err"))
      #expect(try await pipe.read(5000) == ServedObject.content(0..<5000))
      put(200_000)
      #expect(try await pipe.read(195_000) == ServedObject.content(5000..<200_000))
      put(300_000, version: 2)
      #expect(try await pipe.drain() == 0)
      #expect(try await process.wait() == 5)
      let errors = String(decoding: try contents(directory("err")), as: UTF8.self)
      #expect(errors.contains("truncated, rewritten or replaced"), "\(errors)")
    }
  }

  @Test func `a file is read as it grows`() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("f", [1, 2, 3])
    let pipe = try ReadingEnd()
    let process = try pipe.start("cat", path, "--follow", errors: directory("err"))
    #expect(try await pipe.read(3) == [1, 2, 3])
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: [4, 5])
    try handle.close()
    #expect(try await pipe.read(2) == [4, 5])
    #expect(truncate(path, 1) == 0)
    #expect(try await process.wait() == 5)
  }
}
#endif
