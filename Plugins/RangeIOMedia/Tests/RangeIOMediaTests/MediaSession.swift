import Foundation
import RangeIO
import RangeIOMedia
import RangeIOTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session of Foundation that loads media, and a source of bytes.
struct MediaSession {
  static let size = 3 << 20
  let source = SyntheticSource(byteCount: size)
  let session: URLSession

  /// - Parameter delegate: of the session.
  init(delegate: (any URLSessionDelegate)? = nil) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [MediaURLProtocol.self]
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  func published() async throws -> PublishedMedia {
    let reader = try await RangeReader(source)
    return PublishedMedia(try await PlayableMedia(reader, contentType: "video/mp4"), name: "a film.mp4")
  }

  /// Sends a request.
  func load(
    _ url: URL, _ range: String? = nil, method: String = "GET", _ fields: [String: String] = [:]
  ) async throws -> (Data, HTTPURLResponse) {
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    if let range { request.setValue(range, forHTTPHeaderField: "Range") }
    let (data, response) = try await session.data(for: request)
    return (data, try #require(response as? HTTPURLResponse))
  }

  /// The bytes of a range of any ``SyntheticSource``.
  func bytes(_ range: Range<Int>) -> [UInt8] { Array(SyntheticSource.bytes(range)) }
}

/// Notes what comes.
// Unchecked: the state is used under the lock.
final class NotingDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var data = Data()
  private var status: Int?
  private var error: (any Error)?
  private var ends = 0
  private let (ended, continuation) = AsyncStream<Void>.makeStream()

  var calls: Int { lock.withLock { ends } }

  func outcome() async -> (Data, Int?, (any Error)?) {
    for await _ in ended {}
    return lock.withLock { (data, status, error) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    lock.withLock { status = (response as? HTTPURLResponse)?.statusCode }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock {
      self.data += data
      // Bytes after the end would be noted as another end.
      if ends > 0 { ends += 1 }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    lock.withLock {
      self.error = error
      ends += 1
    }
    continuation.finish()
  }
}
