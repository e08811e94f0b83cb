#if Serve && HTTP
  import Foundation
  import NIOCore
  import NIOPosix
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOServe
  import SystemPackage
  import Testing

  /// A folder that goes with the test.
  final class ServedFolder: Sendable {
    let path: String

    init() throws {
      var template = Array((NSTemporaryDirectory() + "/rangeio-serve-XXXXXX").utf8CString)
      guard let made = mkdtemp(&template), let real = realpath(made, nil) else { throw POSIXError(.EIO) }
      defer { free(real) }
      path = String(cString: real)
    }

    // `try?`: what stays behind is the system's to clean.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// - Parameter settled: whether the file's times are so old that they name its bytes for good.
    func write(_ bytes: [UInt8], to name: String, settled: Bool = true) throws {
      let url = URL(fileURLWithPath: path + "/" + name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
      if settled {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000.5)], ofItemAtPath: url.path)
      }
    }

    /// The names of its entries.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

    /// Bytes that tell where they stand.
    static func bytes(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) ^ seed }
    }
  }

  /// Runs a server on a free port of 127.0.0.1, and stops it when `body` is done.
  func withServer<Result: Sendable>(
    _ upstreams: [(String, any ServedUpstream)], _ configure: (inout RangeServer.Configuration) -> Void = { _ in },
    statistics: @escaping @Sendable () -> [String: any Encodable & Sendable] = { [:] },
    _ body: (_ port: Int, RangeServer) async throws -> Result
  ) async throws -> Result {
    var configuration = RangeServer.Configuration()
    configuration.address = .host("127.0.0.1", port: 0)
    configure(&configuration)
    let server = RangeServer(upstreams, configuration: configuration, statistics: statistics)
    let (ports, port) = AsyncStream<Int>.makeStream()
    let running = Task {
      defer { port.finish() }
      try await server.run { number in
        port.yield(number)
        port.finish()
      }
    }
    var iterator = ports.makeAsyncIterator()
    guard let number = await iterator.next() else {
      try await running.value
      throw POSIXError(.EADDRINUSE)
    }
    do {
      let result = try await body(number, server)
      running.cancel()
      _ = await running.result
      return result
    } catch {
      running.cancel()
      _ = await running.result
      throw error
    }
  }

  /// An answer in parts.
  struct ReceivedAnswer {
    let status: Int
    /// By names in lower case.
    let fields: [String: String]
    let body: [UInt8]
    let end: RawClient.Received.End

    init(_ received: RawClient.Received) {
      let (head, body) = received.parts
      let lines = head.split(separator: "\r\n")
      status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      self.fields = fields
      self.body = body
      end = received.end
    }
  }

  /// Asks for `path` on a connection that stays, and then for nothing, so that it ends.
  func askKept(
    _ path: String, port: Int, method: String = "GET", _ fields: [String] = [], host: String = "127.0.0.1"
  ) async throws -> ReceivedAnswer {
    let first = (["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    let last = "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    let received = try await RawClient.exchange(first + last, port: port)
    let answer = ReceivedAnswer(received)
    let count = method == "HEAD" || answer.status == 304 ? 0 : Int(answer.fields["content-length"] ?? "") ?? 0
    let head = received.parts.head.utf8.count + 4
    #expect(String(decoding: received.bytes.dropFirst(head + count), as: UTF8.self).hasPrefix("HTTP/1.1 404"))
    return ReceivedAnswer(RawClient.Received(bytes: Array(received.bytes.prefix(head + count)), end: received.end))
  }

  /// Asks for `path` on a connection of its own.
  func ask(
    _ path: String, port: Int, method: String = "GET", _ fields: [String] = [], host: String = "127.0.0.1"
  ) async throws -> ReceivedAnswer {
    let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
    return ReceivedAnswer(try await RawClient.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port))
  }

  /// Counts what comes, and is asked for it piece by piece.
  final class SlowReading: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    /// Something has come; it ends with the connection.
    let events: AsyncStream<Void>
    let byteCount = Locked(0)
    private let came: AsyncStream<Void>.Continuation

    init() { (events, came) = AsyncStream.makeStream(of: Void.self) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let count = unwrapInboundIn(data).readableBytes
      byteCount.withLock { $0 += count }
    }
    func channelReadComplete(context: ChannelHandlerContext) { came.yield() }
    func channelInactive(context: ChannelHandlerContext) { came.finish() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { came.finish() }
  }

  /// The number of answers that the server sends now, with the one to this question.
  func answersUnderWay(_ port: Int) async throws -> Int { try await metric("rangeio_answers", port) }

  /// The value of a metric of the server; -1 if it has none of this name.
  func metric(_ name: String, _ port: Int) async throws -> Int {
    let stats = String(decoding: try await ask("/-/stats?format=prometheus", port: port).body, as: UTF8.self)
    let line = stats.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
  }

  /// Counts from any thread.
  final class Counter: Sendable {
    private let number = Locked(0)

    func add() { number.withLock { $0 += 1 } }

    var count: Int { number.withLock { $0 } }
  }
#endif
