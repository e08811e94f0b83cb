internal import RangeIO
internal import RangeIOFoundation

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Loads ``PublishedMedia`` for `URLSession`: `GET` with one range (206, 416) or none, and `HEAD`.
///
/// Put it into the `protocolClasses` of a session's configuration. The bytes are read piece by piece, each when the
/// one before has been handed on. A task that is cancelled ends its read, and gets nothing more.
///
/// With the Foundation of Swift on Linux, an answer is one piece, since tasks with completion handlers, such as
/// `URLSession.data(for:)`, get only the last one there. It has at most 256 MiB: ask for more in ranges. Download tasks fail
/// there.
public final class MediaURLProtocol: URLProtocol, LoadingClient {
  /// `true` if an answer has to be one piece.
  #if canImport(FoundationNetworking)
    static let isInOnePiece = true
  #else
    static let isInOnePiece = false
  #endif
  /// The longest answer in one piece.
  static let maxBytesInOnePiece = 256 * 1024 * 1024

  var isInOnePiece = MediaURLProtocol.isInOnePiece
  private let context = ClientContext()
  private var loads: MediaLoads?
  private var load: Int?
  private var contentType = ""
  /// What comes at the end, if an answer has to be one piece.
  private var response: URLResponse?
  private var pieces: [Bytes] = []
  private var isTooLong = false

  /// `true` for the URL of a ``PublishedMedia``. If that does not live any more, the answer is 404.
  public override class func canInit(with request: URLRequest) -> Bool {
    request.url.map { PublishedMedia.has($0) } ?? false
  }

  /// Returns `request` as it is.
  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// `true` for equal requests.
  public override class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

  /// Begins to answer. `URLSession` calls it once for each request.
  public override func startLoading() {
    context.enter {
      #if canImport(FoundationNetworking)
        // It would end the process.
        if task is URLSessionDownloadTask {
          client?.urlProtocol(self, didFailWithError: URLError(.unsupportedURL))
          return
        }
      #endif
      guard let media = request.url.flatMap({ PublishedMedia.media(at: $0) }) else { return refuse(.notFound) }
      guard method == "GET" || method == "HEAD" else { return refuse(.methodNotAllowed) }
      contentType = media.contentType
      (response, pieces, isTooLong) = (nil, [], false)
      let loads = MediaLoads(media, waits: false, in: context)
      self.loads = loads
      let number = loads.begin(
        MediaAnswer.span(method: method, range: range, ifRange: ifRange), asksForInformation: true, self)
      load = number
      if isTooLong {
        loads.cancel(number)
        fail(URLError(.dataLengthExceedsMaximum))
      }
    }
  }

  /// Ends the answer and its reads.
  public override func stopLoading() {
    context.enter {
      if let load { loads?.cancel(load) }
      (loads, load) = (nil, nil)
      (response, pieces) = (nil, [])
    }
  }

  private var method: String { request.httpMethod ?? "GET" }
  private var range: String? { request.value(forHTTPHeaderField: "Range") }
  private var ifRange: String? { request.value(forHTTPHeaderField: "If-Range") }

  private func refuse(_ answer: MediaAnswer) {
    response = respond(answer)
    finish()
  }

  private func respond(_ answer: MediaAnswer) -> URLResponse? {
    guard let url = request.url else { return nil }
    return HTTPURLResponse(
      url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.fields)
  }

  private func send(_ response: URLResponse) {
    // A cache keeps what the reader would read again as quickly.
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  // MARK: LoadingClient

  func inform(_ information: LoadingRequests<any Error>.Information) {
    response = respond(
      MediaAnswer(method: method, range: range, ifRange: ifRange, contentType: contentType, information))
    guard !isInOnePiece else {
      isTooLong = information.range.count > Self.maxBytesInOnePiece
      return
    }
    if let response { send(response) }
    response = nil
  }

  func answer(_ bytes: Bytes) {
    guard isInOnePiece else {
      client?.urlProtocol(self, didLoad: Data(bytes))
      return
    }
    pieces.append(bytes)
  }

  func finish() {
    if let response { send(response) }
    if !pieces.isEmpty { client?.urlProtocol(self, didLoad: Data(Bytes(concatenating: pieces))) }
    (response, pieces) = (nil, [])
    client?.urlProtocolDidFinishLoading(self)
  }

  func fail(_ error: any Error) {
    (response, pieces) = (nil, [])
    client?.urlProtocol(self, didFailWithError: error)
  }
}
