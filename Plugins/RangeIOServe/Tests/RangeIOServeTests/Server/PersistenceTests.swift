#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOEmbedded
  import NIOHTTPTypes
  import RangeIOHTTPTestServer
  import SystemPackage
  import Testing

  @testable import RangeIOServe

  /// When a connection stays, and how an answer is cut for a slow one.
  struct PersistenceTests {
    @Test(arguments: [
      ("HTTP/1.1", "", false), ("HTTP/1.1", "Connection: keep-alive", false), ("HTTP/1.1", "Connection: TE", false),
      ("HTTP/1.1", "Connection: Keep-Alive, TE", false), ("HTTP/1.1", "Connection: close", true),
      ("HTTP/1.1", "Connection: Close", true), ("HTTP/1.1", "connection: CLOSE", true),
      ("HTTP/1.1", "Connection: close, TE", true), ("HTTP/1.1", "Connection: TE\r\nConnection: close", true),
      ("HTTP/1.0", "", true), ("HTTP/1.0", "Connection: close", true), ("HTTP/1.0", "Connection: keep-alive", true),
    ])
    func `the last request of a connection is known`(version: String, field: String, isLast: Bool) async throws {
      let folder = try ServedFolder()
      try folder.write([1, 2, 3], to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        for path in ["/a.bin", "/a.bin", "/none", "/"] {
          let fields = field.isEmpty ? "" : field + "\r\n"
          let first = "GET \(path) \(version)\r\nHost: localhost\r\n\(fields)\r\n"
          let second = "GET /second HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
          let received = try await RawClient.exchange(first + second, port: port)
          let answers = received.text.components(separatedBy: "HTTP/1.1 ").count - 1
          #expect(answers == (isLast ? 1 : 2), "\(path)")
          #expect(received.text.lowercased().components(separatedBy: "connection: close").count == 2, "\(path)")
          #expect(received.end == .closed, "\(path)")
        }
      }
    }

    @Test func `a client that has closed its side gets all that was written before the connection closes`() throws {
      let channel = EmbeddedChannel()
      try channel.pipeline.syncOperations.addHandler(
        DeadlineHandler(headTimeout: .seconds(10), stallTimeout: .seconds(10)))
      channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
      channel.write(HTTPResponsePart.body(ByteBuffer(bytes: [1, 2, 3])), promise: nil)
      channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      // As SwiftNIO does when the answer has been written; it closes both sides then, and drops what it has.
      channel.close(mode: .output, promise: nil)
      #expect(channel.isActive)
      channel.flush()
      #expect(!channel.isActive)
      guard case .body(let sent) = try channel.readOutbound(as: HTTPResponsePart.self) else {
        return #expect(Bool(false))
      }
      #expect(Array(sent.readableBytesView) == [1, 2, 3])
      _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `a long body is handed over in parts, so that a slow reader is seen to read`() throws {
      let channel = EmbeddedChannel()
      try channel.pipeline.syncOperations.addHandler(
        DeadlineHandler(headTimeout: .seconds(10), stallTimeout: .seconds(10)))
      let bytes = ServedFolder.bytes(256 * 1024 + 5)
      try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(bytes: bytes)))
      var received: [UInt8] = []
      while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
        guard case .body(let buffer) = part else { continue }
        #expect(buffer.readableBytes <= 32 * 1024)
        received += Array(buffer.readableBytesView)
      }
      #expect(received == bytes)
      _ = try channel.finish()
    }
  }
#endif
