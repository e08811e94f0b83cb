#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import SystemPackage
  import Testing

  /// Clients that leave without a word.
  @Suite(.timeLimit(.minutes(2))) struct VanishedClientTests {
    /// When a client resets its connection.
    private enum Manner: CaseIterable {
      case atOnce, beforeAsking, inTheHead, afterHalfClosing, afterAskingAhead, inTheBody, inTheBodyAfterHalfClosing

      var text: String {
        let request = "GET /huge.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
        return switch self {
        case .beforeAsking: ""
        case .inTheHead: String(request.dropLast(10))
        case .afterAskingAhead: String(repeating: request, count: 10)
        default: request
        }
      }
      var halfCloses: Bool { self == .afterHalfClosing || self == .inTheBodyAfterHalfClosing }
      var waits: Bool { self == .inTheBody || self == .inTheBodyAfterHalfClosing }
    }

    /// Asks and leaves.
    private func vanish(_ manner: Manner, _ port: Int) async throws {
      let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
      let begun = eventLoop.makePromise(of: Void.self)
      let channel = try await ClientBootstrap(group: eventLoop)
        .channelOption(.allowRemoteHalfClosure, value: true)
        .channelOption(.socketOption(.so_rcvbuf), value: 16_384)
        .channelOption(.autoRead, value: false)
        .channelInitializer { $0.pipeline.addHandler(Beginning(begun)) }
        .connect(host: "127.0.0.1", port: port).outcome()
      try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).outcome()
      if !manner.text.isEmpty { try await channel.writeAndFlush(ByteBuffer(string: manner.text)).outcome() }
      if manner.halfCloses { try await channel.close(mode: .output).outcome() }
      if manner.waits {
        channel.read()
        try await begun.futureResult.outcome()
      }
      try await channel.close().outcome()
    }

    /// Tells that something has come, or that the connection has ended.
    private final class Beginning: ChannelInboundHandler, Sendable {
      typealias InboundIn = ByteBuffer
      private let promise: EventLoopPromise<Void>

      init(_ promise: EventLoopPromise<Void>) { self.promise = promise }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed() }
      func channelInactive(context: ChannelHandlerContext) { promise.succeed() }
    }

    private func metric(_ name: String, _ port: Int) async throws -> Int {
      let stats = String(decoding: try await ask("/-/stats?format=prometheus", port: port).body, as: UTF8.self)
      let line = stats.split(separator: "\n").first { $0.hasPrefix("rangeio_\(name) ") }
      return try #require(line.flatMap { Int($0.split(separator: " ")[1]) })
    }

    @Test func `a thousand clients that reset their connections keep no others waiting, and are sent little`()
      async throws
    {
      let folder = try ServedFolder()
      try folder.write(Array("hello\n".utf8), to: "hello.txt")
      let huge = open(folder.path + "/huge.bin", O_CREAT | O_WRONLY, 0o600)
      #expect(ftruncate(huge, 20 << 30) == 0 && close(huge) == 0)
      let each = 1000 / Manner.allCases.count + 1
      try await withServer([("", try DirectoryUpstream(folder.path))]) { port, _ in
        for manner in Manner.allCases {
          let before = try await metric("server_body_bytes", port)
          try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
              group.addTask { for _ in 0..<each / 4 + 1 { try await vanish(manner, port) } }
            }
            // Beside them, an honest client.
            group.addTask {
              for _ in 0..<each {
                let answer = try await ask("/hello.txt", port: port)
                #expect(answer.status == 200 && answer.body == Array("hello\n".utf8))
              }
            }
            try await group.waitForAll()
          }
          // Only the one that asks.
          while try await metric("answers", port) != 1 {}
          while try await metric("connections", port) != 1 {}
          // A piece is read for a client that has not left yet, as far as the server can know. One that is still there when
          // the body comes gets what the system's buffers take besides: 4 MiB, by default.
          let most = (256 << 10) + (4 << 20)
          let sent = try await metric("server_body_bytes", port) - before
          #expect(sent <= each * most, "\(manner): \(sent / each) bytes to each")
        }
      }
    }
  }
#endif
