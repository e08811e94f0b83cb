import Foundation
import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOMedia

// On Apple platforms a client is called on a thread with a run loop, which tests have not.
#if canImport(FoundationNetworking)
  import FoundationNetworking

  /// What the protocol's client is called with, in pieces as on Apple platforms, and in one as on Linux.
  @Suite struct MediaURLProtocolClientTests {
    private static let size = 1 << 20
    private let source = SyntheticSource(byteCount: size)

    private func started(
      _ reader: RangeReader, inOnePiece: Bool, _ range: String? = nil
    ) async throws -> (MediaURLProtocol, Client, PublishedMedia) {
      let published = PublishedMedia(try await PlayableMedia(reader))
      var request = URLRequest(url: published.url)
      request.setValue(range, forHTTPHeaderField: "Range")
      let client = Client()
      let answer = MediaURLProtocol(request: request, cachedResponse: nil, client: client)
      answer.isInOnePiece = inOnePiece
      answer.startLoading()
      return (answer, client, published)
    }

    @Test(arguments: [true, false])
    func `response, bytes, end`(inOnePiece: Bool) async throws {
      let (_, client, _) = try await started(try await RangeReader(source), inOnePiece: inOnePiece, "bytes=7-")
      await client.end()
      let calls = client.calls
      #expect(calls.first == .response(206) && calls.last == .finished)
      #expect(calls.count == (inOnePiece ? 3 : 7), "64, 128, 256, 512 KiB and the rest")
      #expect(Array(client.data) == Array(SyntheticSource.bytes(7..<Self.size)))
    }

    @Test(arguments: [true, false])
    func `after stopLoading the client is not called, and a second start begins anew`(inOnePiece: Bool) async throws {
      let gated = GatedSource(source)
      let reader = try await RangeReader(gated)
      let (answer, client, published) = try await started(reader, inOnePiece: inOnePiece)
      await gated.arrivals(1)
      answer.stopLoading()
      answer.stopLoading()
      let before = client.calls
      gated.open()
      #expect(before == (inOnePiece ? [] : [.response(200)]))
      // As Foundation does on Linux when a suspended task goes on.
      answer.startLoading()
      await client.end()
      #expect(client.calls.dropFirst(before.count).first == .response(200))
      #expect(client.calls.last == .finished)
      #expect(Array(client.data) == Array(SyntheticSource.bytes(0..<Self.size)))
      withExtendedLifetime(published) {}
    }

    @Test(arguments: [true, false])
    func `an error in mid-answer is the last call`(inOnePiece: Bool) async throws {
      let gated = GatedSource(source)
      let (_, client, published) = try await started(try await RangeReader(gated), inOnePiece: inOnePiece)
      await gated.arrivals(1)
      gated.releaseNext()
      await gated.arrivals(2)
      gated.releaseNext(throwing: ReadError(.corrupted, "the second piece"))
      await client.end()
      #expect(client.calls == (inOnePiece ? [.failed] : [.response(200), .bytes(65_536), .failed]))
      withExtendedLifetime(published) {}
    }
  }

  /// Notes the calls.
  // Unchecked: the state is used under the lock.
  private final class Client: NSObject, URLProtocolClient, @unchecked Sendable {
    enum Call: Equatable {
      case response(Int)
      case bytes(Int)
      case finished, failed, other
    }

    private let lock = NSLock()
    private var noted: [Call] = []
    private var received = Data()
    private let (ended, continuation) = AsyncStream<Void>.makeStream()

    var calls: [Call] { lock.withLock { noted } }
    var data: Data { lock.withLock { received } }
    func end() async { for await _ in ended {} }

    private func note(_ call: Call, _ data: Data = Data()) {
      lock.withLock {
        noted.append(call)
        received += data
      }
      if call == .finished || call == .failed { continuation.finish() }
    }

    func urlProtocol(
      _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy: URLCache.StoragePolicy
    ) {
      note(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
    }
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { note(.bytes(data.count), data) }
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { note(.finished) }
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) { note(.failed) }
    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
      note(.other)
    }
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) { note(.other) }
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) { note(.other) }
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) { note(.other) }
  }
#endif
