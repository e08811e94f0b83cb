import Foundation
import RangeIO
import RangeIOMedia
import RangeIOTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What real sessions of Foundation get.
@Suite struct MediaURLProtocolTests {
  private let here = MediaSession()

  @Test func `without a range all bytes come, with their type and size`() async throws {
    let media = try await here.published()
    #expect(media.url.pathExtension == "mp4")
    let (data, response) = try await here.load(media.url)
    #expect(response.statusCode == 200)
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(MediaSession.size)")
    #expect(response.value(forHTTPHeaderField: "Accept-Ranges") == "bytes")
    #expect(response.mimeType == "video/mp4")
    #expect(response.expectedContentLength == Int64(MediaSession.size))
    #expect(Array(data) == here.bytes(0..<MediaSession.size))
  }

  @Test(arguments: [
    ("bytes=0-1", 0..<2), ("bytes=1000000-2999999", 1_000_000..<3_000_000),
    ("bytes=3145727-", MediaSession.size - 1..<MediaSession.size),
    ("bytes=3000000-9223372036854775807", 3_000_000..<MediaSession.size),
    ("bytes=-5", MediaSession.size - 5..<MediaSession.size),
    ("bytes=-99999999999999999999", 0..<MediaSession.size), ("bytes=65530-65545", 65_530..<65_546),
  ])
  func `a range is answered with 206 and exactly its bytes`(field: String, range: Range<Int>) async throws {
    let media = try await here.published()
    let (data, response) = try await here.load(media.url, field)
    #expect(response.statusCode == 206)
    #expect(
      response.value(forHTTPHeaderField: "Content-Range")
        == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(MediaSession.size)")
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(range.count)")
    #expect(Array(data) == here.bytes(range))
  }

  @Test(arguments: ["bytes=3145728-", "bytes=9999999-10000000", "bytes=-0", "bytes=99999999999999999999-"])
  func `a range past the end is 416 with the size`(field: String) async throws {
    let media = try await here.published()
    let (data, response) = try await here.load(media.url, field)
    #expect(response.statusCode == 416)
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes */\(MediaSession.size)")
    #expect(data.isEmpty)
    #expect(here.source.readCount == 0)
  }

  @Test(arguments: ["bytes=0-1,5-6", "bytes=5-2", "items=0-1", "nonsense"])
  func `several ranges, and what is no range, are ignored`(field: String) async throws {
    let media = try await here.published()
    let (data, response) = try await here.load(media.url, field)
    #expect(response.statusCode == 200)
    #expect(data.count == MediaSession.size)
  }

  @Test func `a range on a condition is ignored, since there is no tag that could meet it`() async throws {
    let media = try await here.published()
    #expect(try await here.load(media.url, "bytes=0-1", ["If-Range": "\"tag\""]).1.statusCode == 200)
  }

  @Test func `HEAD has the size and the type, and reads nothing`() async throws {
    let media = try await here.published()
    let (data, response) = try await here.load(media.url, "bytes=0-1", method: "HEAD")
    #expect(response.statusCode == 200)
    #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(MediaSession.size)")
    #expect(data.isEmpty)
    #expect(here.source.readCount == 0)
  }

  @Test func `another method is 405, and a URL that is no longer published 404`() async throws {
    let media = try await here.published()
    let (_, response) = try await here.load(media.url, method: "POST")
    #expect(response.statusCode == 405)
    #expect(response.value(forHTTPHeaderField: "Allow") == "GET, HEAD")
    let url = try await here.published().url
    #expect(try await here.load(url).1.statusCode == 404)
    #expect(try await here.load(try #require(URL(string: "rangeio-media:nothing"))).1.statusCode == 404)
  }

  @Test func `an empty object has no bytes`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 0))
    let media = PublishedMedia(try await PlayableMedia(reader))
    let (data, response) = try await here.load(media.url)
    #expect(response.statusCode == 200 && data.isEmpty)
    #expect(response.mimeType == "application/octet-stream")
    #expect(try await here.load(media.url, "bytes=0-").1.statusCode == 416)
  }

  @Test func `many requests at once get their own bytes each`() async throws {
    let media = try await here.published()
    let session = here.session
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<100 {
        group.addTask {
          let start = index * 30_011
          var request = URLRequest(url: media.url)
          request.setValue("bytes=\(start)-\(start + 99_999)", forHTTPHeaderField: "Range")
          let (data, _) = try await session.data(for: request)
          return Array(data) == Array(SyntheticSource.bytes(start..<min(start + 100_000, MediaSession.size)))
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  #if canImport(FoundationNetworking)
    @Test func `an answer that is too long for one piece fails, and its ranges do not`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 257 << 20))
      let media = PublishedMedia(try await PlayableMedia(reader))
      let error = await #expect(throws: URLError.self) { try await here.load(media.url) }
      #expect(error?.code == .dataLengthExceedsMaximum)
      #expect(try await here.load(media.url, "bytes=-2").0 == Data(here.bytes((257 << 20) - 2..<(257 << 20))))
      #expect(try await here.load(media.url, method: "HEAD").1.statusCode == 200)
    }

    @Test func `a download task fails, and does not end the process`() async throws {
      let media = try await here.published()
      let error = await #expect(throws: URLError.self) { try await here.session.download(from: media.url) }
      #expect(error?.code == .unsupportedURL)
    }
  #endif
}
