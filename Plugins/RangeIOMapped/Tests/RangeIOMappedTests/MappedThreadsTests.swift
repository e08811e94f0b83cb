import Dispatch
import RangeIO
import Testing

@testable import RangeIOMapped
@testable import RangeIOTestSupport

/// Work that takes long runs on no thread of Swift's, and many short reads not on the thread of their caller.
struct MappedThreadsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @MainActor @Test func `many ranges keep their caller no longer than one does`() async throws {
    let (path, bytes) = try directory.file(count: 12 << 20)
    try await settle(path)
    let populated = Guarded((here: 0, elsewhere: 0))
    let main = pthread_self()
    var configuration = MappedSource.Configuration()
    configuration.calls.isResident = { _ in true }
    configuration.calls.populate = { pages in
      populated.withLock { populated in
        if pthread_equal(pthread_self(), main) != 0 {
          populated.here += pages.count
        } else {
          populated.elsewhere += pages.count
        }
      }
      return MappedCalls().populate(pages)
    }
    let source = MappedSource(path, configuration: configuration)
    let reader = try await RangeReader(source)
    let description = reader.source
    // The first read maps the file, on a thread of the library.
    #expect(try await source.read(0..<1, of: description) == bytes[0..<1])
    #expect(populated.withLock { $0.here } == 0)
    #expect(try await source.read(0..<1 << 20, of: description) == bytes[0..<1 << 20])
    #expect(populated.withLock { $0.here } == 1 << 20)
    let ranges = (0..<48).map { $0 * 262_144..<($0 + 1) * 262_144 }
    let all = try await reader.read(ranges)
    #expect(Bytes(concatenating: all) == bytes)
    #expect(try await source.read(0..<12 << 20, of: description) == bytes)
    #expect(populated.withLock { $0.here } == 1 << 20)
    #expect(populated.withLock { $0.elsewhere } >= 24 << 20)
    await reader.close()
  }

  @Test(arguments: [false, true], [false, true])
  func `a read that is no longer waited for brings in no further pages`(isOne: Bool, byClosing: Bool) async throws {
    let (path, _) = try directory.file(count: isOne ? 20 << 20 : 1 << 20)
    try await settle(path)
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let mayGoOn = DispatchSemaphore(value: 0)
    let populated = Guarded((calls: 0, bytes: 0))
    var configuration = MappedSource.Configuration()
    configuration.calls.isResident = { _ in false }
    configuration.calls.populate = { pages in
      let isFirst = populated.withLock { populated in
        populated.calls += 1
        populated.bytes += pages.count
        return populated.calls == 1
      }
      if isFirst {
        begins.yield()
        mayGoOn.wait()
      }
      return MappedCalls().populate(pages)
    }
    let source = MappedSource(path, configuration: configuration)
    let reader = try await RangeReader(source)
    let ranges = isOne ? [0..<20 << 20] : (0..<16).map { $0 << 16..<($0 + 1) << 16 }
    let reading = Task { try await reader.read(ranges) }
    for await _ in begun { break }
    // Before this, other threads may have gone on with the other ranges: the first one seems to hang.
    var calls = 0
    if byClosing {
      async let isClosed: Void = reader.close()
      await #expect(throws: ReadError.self) { try await reading.value }
      calls = populated.withLock { $0.calls }
      mayGoOn.signal()
      await isClosed
    } else {
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
      calls = populated.withLock { $0.calls }
      mayGoOn.signal()
      // Waits for the thread that still had the file.
      await reader.close()
    }
    #expect(populated.withLock { $0.calls } == calls && (calls == 1 || !isOne))
    #expect(populated.withLock { $0.bytes } <= 8 << 20)
  }
}
