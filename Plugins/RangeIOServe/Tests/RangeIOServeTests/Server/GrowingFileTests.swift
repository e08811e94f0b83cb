#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import SystemPackage
  import Testing

  /// Files that become longer while they are served.
  @Suite(.timeLimit(.minutes(2))) struct GrowingFileTests {
    @Test(arguments: [true, false])
    func `an answer has the size of its beginning, if files only grow`(isAppendOnly: Bool) async throws {
      let folder = try ServedFolder()
      let count = 64 << 20
      let file = open(folder.path + "/log", O_CREAT | O_WRONLY | O_APPEND, 0o600)
      #expect(ftruncate(file, off_t(count)) == 0)
      let upstream = try DirectoryUpstream(folder.path, isAppendOnly: isAppendOnly)
      try await withServer([("", upstream)]) { port, _ in
        let reading = SlowReading()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
          .channelOption(.autoRead, value: false)
          .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
          .channelInitializer { $0.pipeline.addHandler(reading) }
          .connect(host: "127.0.0.1", port: port).outcome()
        let request = "GET /log HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request)).outcome()
        channel.read()
        var events = reading.events.makeAsyncIterator()
        _ = await events.next()
        #expect(write(file, [1, 2, 3] as [UInt8], 3) == 3 && close(file) == 0)
        channel.read()
        while await events.next() != nil { channel.read() }
        let received = reading.byteCount.withLock { $0 }
        #expect(isAppendOnly == (received > count))
        // The next one has the new size.
        while try await ask("/log", port: port, method: "HEAD").fields["content-length"] != "\(count + 3)" {}
        #expect(try await ask("/log", port: port, ["Range: bytes=-3"]).body == [1, 2, 3])
      }
    }
  }
#endif
