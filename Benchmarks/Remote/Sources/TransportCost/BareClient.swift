internal import AsyncHTTPClient
internal import Cost
internal import NIOCore
internal import NIOHTTP1

extension HTTPClient {
  /// A client with as many connections as there are tasks, and otherwise its own defaults.
  static func bare(connections: Int) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    configuration.httpVersion = .http1Only
    return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }
}

extension HTTPHeaders {
  /// Those that ask for a range.
  static func asking(for range: Range<Int>) -> HTTPHeaders {
    ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"]
  }
}

/// `execute` with Swift's concurrency, and `collect`: what most programs do.
struct BareAsync: Contender {
  let url: String
  let client: HTTPClient

  init(url: String, connections: Int) {
    self.url = url
    client = .bare(connections: connections)
  }

  func read(_ range: Range<Int>) async throws {
    var request = HTTPClientRequest(url: url)
    request.headers = .asking(for: range)
    let response = try await client.execute(request, timeout: .seconds(30))
    let body = try await response.body.collect(upTo: range.count)
    body.withUnsafeReadableBytes { Content.check($0, range) }
  }

  func close() async throws { try await client.shutdown() }
}

/// A delegate that copies the body into memory of its size: the least that delivers bytes. Checks nothing of the head.
struct BareDelegate: Contender {
  let request: HTTPClient.Request
  let client: HTTPClient

  /// The URL is parsed once: that takes longer than all else of a request.
  init(url: String, connections: Int) throws {
    request = try HTTPClient.Request(url: url)
    client = .bare(connections: connections)
  }

  func read(_ range: Range<Int>) async throws {
    var request = request
    request.headers = .asking(for: range)
    let body = try await client.execute(request: request, delegate: Filling(range.count)).get()
    body.withUnsafeReadableBytes { Content.check($0, range) }
  }

  func close() async throws { try await client.shutdown() }

  private final class Filling: HTTPClientResponseDelegate, @unchecked Sendable {
    // Unchecked: the client calls it on one event loop.
    private var body: ByteBuffer

    init(_ count: Int) { body = ByteBufferAllocator().buffer(capacity: count) }

    func didReceiveBodyPart(task: HTTPClient.Task<ByteBuffer>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
      var part = part
      body.writeBuffer(&part)
      return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<ByteBuffer>) throws -> ByteBuffer { body }
  }
}
