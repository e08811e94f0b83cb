import Foundation
import RangeIO
import RangeIOMedia
import RangeIOTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sessions whose tasks are cancelled, fail, and load what grows or changes.
@Suite struct MediaURLSessionTests {
  private let here = MediaSession()

  @Test func `a cancelled task gets its error and nothing else, and its read ends`() async throws {
    let gated = GatedSource(here.source)
    let reader = try await RangeReader(gated)
    let media = PublishedMedia(try await PlayableMedia(reader))
    let task = Task { try await here.load(media.url) }
    await gated.arrivals(1)
    task.cancel()
    let error = await #expect(throws: (any Error).self) { try await task.value }
    #expect((error as? URLError)?.code == .cancelled || error is CancellationError)
    gated.open()
    await reader.close()
    #expect(reader.statistics().cancellations == 1)
    #expect(here.source.readCount <= 1, "nothing more was read")
  }

  @Test func `an error of the reader is the error of the task`() async throws {
    let gated = GatedSource(here.source)
    let reader = try await RangeReader(gated)
    let media = PublishedMedia(try await PlayableMedia(reader))
    let task = Task { try await here.load(media.url) }
    // In mid-answer.
    await gated.arrivals(1)
    gated.releaseNext()
    await gated.arrivals(2)
    gated.releaseNext(throwing: ReadError(.corrupted, "the second piece"))
    let error = await #expect(throws: ReadError.self) { try await task.value }
    #expect(error?.code == .corrupted)
  }

  @Test func `all answers of a URL are of one version`() async throws {
    let media = try await here.published()
    #expect(try await here.load(media.url, "bytes=0-9").1.statusCode == 206)
    here.source.rewrite()
    let error = await #expect(throws: ReadError.self) { try await here.load(media.url, "bytes=10-19") }
    #expect(error?.code == .sourceChanged)
  }

  @Test func `bytes that a download does not have yet are waited for`() async throws {
    let growing = SyntheticSource(byteCount: 100, isAppendOnly: true)
    let reader = try await RangeReader(growing, onChange: .follow)
    let media = PublishedMedia(try await PlayableMedia(reader, growth: .to(byteCount: 300)))
    let whole = Task { try await here.load(media.url) }
    let part = Task { try await here.load(media.url, "bytes=150-") }
    #expect(
      try await here.load(media.url, "bytes=90-99").1.value(forHTTPHeaderField: "Content-Range") == "bytes 90-99/300")
    growing.grow(by: 100)
    try await reader.refresh()
    growing.grow(by: 100)
    try await reader.refresh()
    #expect(Array(try await whole.value.0) == here.bytes(0..<300))
    #expect(Array(try await part.value.0) == here.bytes(150..<300))
  }

  @Test func `a recording has the size that it has when it is asked for`() async throws {
    let growing = SyntheticSource(byteCount: 100, isAppendOnly: true)
    let reader = try await RangeReader(growing, onChange: .follow)
    let media = PublishedMedia(try await PlayableMedia(reader, growth: .until { false }))
    #expect(try await here.load(media.url).0.count == 100)
    growing.grow(by: 50)
    try await reader.refresh()
    let (data, response) = try await here.load(media.url, "bytes=90-")
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 90-149/150")
    #expect(Array(data) == here.bytes(90..<150))
  }

  @Test func `a source that grows unasked keeps its size`() async throws {
    let growing = SyntheticSource(byteCount: 100, isAppendOnly: true)
    let reader = try await RangeReader(growing, onChange: .follow)
    let media = PublishedMedia(try await PlayableMedia(reader))
    growing.grow(by: 50)
    try await reader.refresh()
    let (data, response) = try await here.load(media.url, "bytes=90-")
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 90-99/100")
    #expect(Array(data) == here.bytes(90..<100))
  }

  @Test func `a delegate gets the response, the bytes and the end`() async throws {
    let media = try await here.published()
    let delegate = NotingDelegate()
    let session = MediaSession(delegate: delegate).session
    var request = URLRequest(url: media.url)
    request.setValue("bytes=1000000-", forHTTPHeaderField: "Range")
    session.dataTask(with: request).resume()
    let (data, status, error) = await delegate.outcome()
    #expect(status == 206 && error == nil)
    #expect(Array(data) == here.bytes(1_000_000..<MediaSession.size))
    session.invalidateAndCancel()
  }

  @Test func `a delegate of a cancelled task gets its error, and no bytes`() async throws {
    let gated = GatedSource(here.source)
    let reader = try await RangeReader(gated)
    let media = PublishedMedia(try await PlayableMedia(reader))
    let delegate = NotingDelegate()
    let session = MediaSession(delegate: delegate).session
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
}
