#if Tool && Serve && HTTP && os(Linux)
import Foundation
import NIOCore
import NIOPosix
import RangeIOHTTPTestServer
import Testing

@testable import RangeIOTool

/// Clients that leave in every way cost `rangeio serve` nothing that lasts.
@Suite(.timeLimit(.minutes(5))) struct ServeHostileToolTests {
  /// What a client sends before it leaves.
  enum Manner: CaseIterable {
    case nothing, halfAHead, hugeHead, aBody, noise, askingAhead, anAnswer, anAnswerWithAClosedSide

    var text: String {
      let request = "GET /large HTTP/1.1\r\nHost: localhost\r\n"
      return switch self {
      case .nothing: ""
      case .halfAHead: request
      case .hugeHead: request + "X: " + String(repeating: "y", count: 50_000)
      case .aBody: request + "Content-Length: 100000\r\n\r\nabc"
      case .noise: String(repeating: "\u{16}\u{3}\u{1}", count: 100) + "\r\n\r\n"
      case .askingAhead: String(repeating: request + "\r\n", count: 20)
      case .anAnswer, .anAnswerWithAClosedSide: request + "\r\n"
      }
    }
  }

  private func leave(_ manner: Manner, _ port: Int) async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let begun = loop.makePromise(of: Void.self)
    let channel = try await ClientBootstrap(group: loop)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { $0.pipeline.addHandler(Beginning(begun)) }
      .connect(host: "127.0.0.1", port: port).outcome()
    // Its end is a reset. `try?`, here and below: the server may have closed it first.
    try? await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).outcome()
    if !manner.text.isEmpty { try? await channel.writeAndFlush(ByteBuffer(string: manner.text)).outcome() }
    if manner == .anAnswerWithAClosedSide { try? await channel.close(mode: .output).outcome() }
    if manner == .anAnswer || manner == .anAnswerWithAClosedSide { try await begun.futureResult.outcome() }
    try? await channel.close().outcome()
  }

  /// Tells that something has come, or that the connection has ended.
  private final class Beginning: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let promise: EventLoopPromise<Void>

    init(_ promise: EventLoopPromise<Void>) { self.promise = promise }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed() }
    func channelInactive(context: ChannelHandlerContext) { promise.succeed() }
    /// The server says no more: it cannot make TLS of what it was sent.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { promise.succeed() }
  }

  @Test(arguments: [false, true])
  func `clients that leave in every way leave no descriptor behind`(isTLS: Bool) async throws {
    let directory = try TemporaryDirectory()
    let file = open(directory("large"), O_CREAT | O_WRONLY, 0o600)
    #expect(ftruncate(file, 1 << 30) == 0 && close(file) == 0)
    let certificate = try directory.file(".both.pem", Array((TestCertificate.pem + "\n" + TestCertificate.key).utf8))
    let options = isTLS ? ["--tls", certificate] : []
    try await withServer([directory(".")] + options, says: isTLS ? "https://127.0.0.1:" : "http://127.0.0.1:") {
      port, process in
      func connections() async throws -> Int {
        let request = "GET /-/stats?format=prometheus HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let text = try await RawClient.exchange(request, port: port, isTLS: isTLS).text
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("rangeio_connections ") }
        return try #require(line.flatMap { Int($0.split(separator: " ")[1]) })
      }
      func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/fd").count
      }
      // What the first of them need for good is there afterwards.
      for manner in Manner.allCases { try await leave(manner, port) }
      while try await connections() != 1 {}
      let before = try descriptors()
      for manner in Manner.allCases {
        for _ in 0..<25 { try await leave(manner, port) }
        while try await connections() != 1 {}
        // The connection that asked may still be closing.
        while try descriptors() > before + 1 {}
      }
    }
  }
}
#endif
