import Foundation
import RangeIO
import RangeIOMedia
import RangeIOTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Real sessions of Foundation.
@Suite struct MediaURLProtocolTests {
  private static let size = 3 << 20
  private let source = SyntheticSource(byteCount: size)

  private let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [MediaURLProtocol.self]
    return URLSession(configuration: configuration)
  }()

  private func published() async throws -> PublishedMedia {
    let reader = try await RangeReader(source)
    return PublishedMedia(try await PlayableMedia(reader, contentType: "video/mp4"), name: "a film.mp4")
  }

  /// Sends a request.
  private func load(
    _ url: URL, _ range: String? = nil, method: String = "GET", _ fields: [String: String] = [:]
  ) async throws -> (Data, HTTPURLResponse) {
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    if let range { request.setValue(range, forHTTPHeaderField: "Range") }
    let (data, response) = try await session.data(for: request)
    return (data, try #require(response as? HTTPURLResponse))
  }

  private func bytes(_ range: Range<Int>) -> [UInt8] { Array(SyntheticSource.bytes(range)) }

  @Test func `without a range all bytes come, with their type and size`() async throws {
    let media = try await published()
    #expect(media.url.pathExtension == "mp4")
    let (data, response) = try await load(media.url)
    #expect(response.statusCode == 200)
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(Self.size)")
    #expect(response.value(forHTTPHeaderField: "Accept-Ranges") == "bytes")
    #expect(response.mimeType == "video/mp4")
    #expect(response.expectedContentLength == Int64(Self.size))
    #expect(Array(data) == bytes(0..<Self.size))
  }

  @Test(arguments: [
    ("bytes=0-1", 0..<2), ("bytes=1000000-2999999", 1_000_000..<3_000_000), ("bytes=3145727-", size - 1..<size),
    ("bytes=3000000-9223372036854775807", 3_000_000..<size), ("bytes=-5", size - 5..<size),
    ("bytes=-99999999999999999999", 0..<size), ("bytes=65530-65545", 65_530..<65_546),
  ])
  func `a range is answered with 206 and exactly its bytes`(field: String, range: Range<Int>) async throws {
    let media = try await published()
    let (data, response) = try await load(media.url, field)
    #expect(response.statusCode == 206)
    #expect(
      response.value(forHTTPHeaderField: "Content-Range")
        == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(Self.size)")
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(range.count)")
    #expect(Array(data) == bytes(range))
  }

  @Test(arguments: ["bytes=3145728-", "bytes=9999999-10000000", "bytes=-0", "bytes=99999999999999999999-"])
  func `a range past the end is 416 with the size`(field: String) async throws {
    let media = try await published()
    let (data, response) = try await load(media.url, field)
    #expect(response.statusCode == 416)
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes */\(Self.size)")
    #expect(data.isEmpty)
    #expect(source.readCount == 0)
  }

  @Test(arguments: ["bytes=0-1,5-6", "bytes=5-2", "items=0-1", "nonsense"])
  func `several ranges, and what is no range, are ignored`(field: String) async throws {
    let media = try await published()
    let (data, response) = try await load(media.url, field)
    #expect(response.statusCode == 200)
    #expect(data.count == Self.size)
  }

  @Test func `a range on a condition is ignored, since there is no tag that could meet it`() async throws {
    let media = try await published()
    #expect(try await load(media.url, "bytes=0-1", ["If-Range": "\"tag\""]).1.statusCode == 200)
  }

  @Test func `HEAD has the size and the type, and reads nothing`() async throws {
    let media = try await published()
    let (data, response) = try await load(media.url, "bytes=0-1", method: "HEAD")
    #expect(response.statusCode == 200)
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(Self.size)")
    #expect(data.isEmpty)
    #expect(source.readCount == 0)
  }

  @Test func `another method is 405, and a URL that is no longer published 404`() async throws {
    let media = try await published()
    let (_, response) = try await load(media.url, method: "POST")
    #expect(response.statusCode == 405)
    #expect(response.value(forHTTPHeaderField: "Allow") == "GET, HEAD")
    let url = try await published().url
    #expect(try await load(url).1.statusCode == 404)
    #expect(try await load(try #require(URL(string: "rangeio-media:nothing"))).1.statusCode == 404)
  }

  @Test func `an empty object has no bytes`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 0))
    let media = PublishedMedia(try await PlayableMedia(reader))
    let (data, response) = try await load(media.url)
    #expect(response.statusCode == 200 && data.isEmpty)
    #expect(response.mimeType == "application/octet-stream")
    #expect(try await load(media.url, "bytes=0-").1.statusCode == 416)
  }

  @Test func `a cancelled task gets its error and nothing else, and its read ends`() async throws {
    let gated = GatedSource(source)
    let reader = try await RangeReader(gated)
    let media = PublishedMedia(try await PlayableMedia(reader))
    let task = Task { try await load(media.url) }
    await gated.arrivals(1)
    task.cancel()
    let error = await #expect(throws: (any Error).self) { try await task.value }
    #expect((error as? URLError)?.code == .cancelled || error is CancellationError)
    gated.open()
    await reader.close()
    #expect(reader.statistics().cancellations == 1)
    #expect(source.readCount <= 1, "nothing more was read")
  }

  @Test func `an error of the reader is the error of the task`() async throws {
    let gated = GatedSource(source)
    let reader = try await RangeReader(gated)
    let media = PublishedMedia(try await PlayableMedia(reader))
    let task = Task { try await load(media.url) }
    // In mid-answer.
    await gated.arrivals(1)
    gated.releaseNext()
    await gated.arrivals(2)
    gated.releaseNext(throwing: ReadError(.corrupted, "the second piece"))
    let error = await #expect(throws: ReadError.self) { try await task.value }
    #expect(error?.code == .corrupted)
  }

  @Test func `all answers of a URL are of one version`() async throws {
    let media = try await published()
    #expect(try await load(media.url, "bytes=0-9").1.statusCode == 206)
    source.rewrite()
    let error = await #expect(throws: ReadError.self) { try await load(media.url, "bytes=10-19") }
    #expect(error?.code == .sourceChanged)
  }

  @Test func `bytes that a download does not have yet are waited for`() async throws {
    let growing = SyntheticSource(byteCount: 100, isAppendOnly: true)
    let reader = try await RangeReader(growing, onChange: .follow)
    let media = PublishedMedia(try await PlayableMedia(reader, growth: .to(byteCount: 300)))
    let whole = Task { try await load(media.url) }
    let part = Task { try await load(media.url, "bytes=150-") }
    #expect(try await load(media.url, "bytes=90-99").1.value(forHTTPHeaderField: "Content-Range") == "bytes 90-99/300")
    growing.grow(by: 100)
    try await reader.refresh()
    growing.grow(by: 100)
    try await reader.refresh()
    #expect(Array(try await whole.value.0) == bytes(0..<300))
    #expect(Array(try await part.value.0) == bytes(150..<300))
  }

  @Test func `a recording has the size that it has when it is asked for`() async throws {
    let growing = SyntheticSource(byteCount: 100, isAppendOnly: true)
    let reader = try await RangeReader(growing, onChange: .follow)
    let media = PublishedMedia(try await PlayableMedia(reader, growth: .until { false }))
    #expect(try await load(media.url).0.count == 100)
    growing.grow(by: 50)
    try await reader.refresh()
    let (data, response) = try await load(media.url, "bytes=90-")
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 90-149/150")
    #expect(Array(data) == bytes(90..<150))
  }

  @Test func `a source that grows unasked keeps its size`() async throws {
    let growing = SyntheticSource(byteCount: 100, isAppendOnly: true)
    let reader = try await RangeReader(growing, onChange: .follow)
    let media = PublishedMedia(try await PlayableMedia(reader))
    growing.grow(by: 50)
    try await reader.refresh()
    let (data, response) = try await load(media.url, "bytes=90-")
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 90-99/100")
    #expect(Array(data) == bytes(90..<100))
  }

  @Test func `a delegate gets the response, the bytes and the end`() async throws {
    let media = try await published()
    let delegate = Delegate()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [MediaURLProtocol.self]
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    var request = URLRequest(url: media.url)
    request.setValue("bytes=1000000-", forHTTPHeaderField: "Range")
    session.dataTask(with: request).resume()
    let (data, status, error) = await delegate.outcome()
    #expect(status == 206 && error == nil)
    #expect(Array(data) == bytes(1_000_000..<Self.size))
    session.invalidateAndCancel()
  }

  @Test func `a delegate of a cancelled task gets its error, and no bytes`() async throws {
    let gated = GatedSource(source)
    let reader = try await RangeReader(gated)
    let media = PublishedMedia(try await PlayableMedia(reader))
    let delegate = Delegate()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [MediaURLProtocol.self]
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    let task = session.dataTask(with: media.url)
    task.resume()
    await gated.arrivals(1)
    task.cancel()
    let (data, _, error) = await delegate.outcome()
    #expect((error as? URLError)?.code == .cancelled)
    #expect(data.isEmpty)
    gated.open()
    await reader.close()
    #expect(delegate.calls == 1, "nothing follows the end")
    session.invalidateAndCancel()
  }

  @Test func `many requests at once get their own bytes each`() async throws {
    let media = try await published()
    let session = session
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<100 {
        group.addTask {
          let start = index * 30_011
          var request = URLRequest(url: media.url)
          request.setValue("bytes=\(start)-\(start + 99_999)", forHTTPHeaderField: "Range")
          let (data, _) = try await session.data(for: request)
          return Array(data) == Array(SyntheticSource.bytes(start..<min(start + 100_000, Self.size)))
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  #if canImport(FoundationNetworking)
    @Test func `an answer that is too long for one piece fails, and its ranges do not`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 257 << 20))
      let media = PublishedMedia(try await PlayableMedia(reader))
      let error = await #expect(throws: URLError.self) { try await load(media.url) }
      #expect(error?.code == .dataLengthExceedsMaximum)
      #expect(try await load(media.url, "bytes=-2").0 == Data(bytes((257 << 20) - 2..<(257 << 20))))
      #expect(try await load(media.url, method: "HEAD").1.statusCode == 200)
    }

    @Test func `a download task fails, and does not end the process`() async throws {
      let media = try await published()
      let error = await #expect(throws: URLError.self) { try await session.download(from: media.url) }
      #expect(error?.code == .unsupportedURL)
    }
  #endif
}

/// Notes what comes.
// Unchecked: the state is used under the lock.
private final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
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
