import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

#if canImport(Glibc)
  import Glibc
#endif

struct ByteStreamWritingTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }

  private func contents(_ name: String) throws -> Bytes {
    Bytes(try Data(contentsOf: URL(filePath: directory.path(name))))
  }

  private func mode(_ name: String) throws -> mode_t {
    var status = stat()
    try #require(stat(directory.path(name), &status) == 0)
    return status.st_mode & 0o7777
  }

  @Test(arguments: [0, 1, 1000, 100_000, 3_000_000]) func `a stream becomes a file`(count: Int) async throws {
    let source = SyntheticSource(byteCount: count)
    let reader = try await RangeReader(source)
    #expect(try await reader.stream(chunkSize: .kibibytes(64)).write(to: directory.path("copy")) == count)
    #expect(try contents("copy") == source.expected(0..<count))
    #expect(try names() == ["copy"])
    await reader.close()
  }

  @Test func `pieces of several parts are written in order`() async throws {
    let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    let reader = try await RangeReader(ContentSource(Bytes.cut(content, every: 7)))
    #expect(try await reader.stream(10...).write(to: FilePath(directory.path("copy"))) == 4990)
    #expect(try contents("copy") == Bytes(content[10...]))
    await reader.close()
  }

  @Test func `a file is replaced, and passes its permissions on; a link stays`() async throws {
    _ = try await directory.file("old", [1, 2, 3])
    try #require(chmod(directory.path("old"), 0o640) == 0)
    try #require(symlink("old", directory.path("link")) == 0)
    let reader = try await RangeReader(ContentSource([4, 5]))
    try await reader.stream().write(to: directory.path("link"))
    #expect(try contents("old") == [4, 5])
    #expect(try mode("old") == 0o640)
    #expect(try names() == ["link", "old"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: directory.path("link")) == "old")
    await reader.close()
  }

  @Test func `after an error there is no new file, and the old one is as it was`() async throws {
    _ = try await directory.file("old", [1, 2, 3])
    let faulty = FaultySource(SyntheticSource(byteCount: 8 << 20)) { _, range in
      range.lowerBound >= 4 << 20 ? .fail(ReadError(.inputOutput, "on purpose")) : nil
    }
    let reader = try await RangeReader(faulty)
    for name in ["old", "new"] {
      let error = await #expect(throws: ReadError.self) { try await reader.stream().write(to: directory.path(name)) }
      #expect(error?.code == .inputOutput)
      #expect(try names() == ["old"])
    }
    #expect(try contents("old") == [1, 2, 3])
    await reader.close()
  }

  @Test func `a cancelled task leaves nothing behind`() async throws {
    let source = GatedSource(SyntheticSource(byteCount: 8 << 20))
    let reader = try await RangeReader(source)
    let path = directory.path("copy")
    let writing = Task { try await reader.stream().write(to: path) }
    await source.arrivals(1)
    source.releaseNext()
    await source.arrivals(2)
    writing.cancel()
    await #expect(throws: CancellationError.self) { try await writing.value }
    // A thread removes it, and nobody waits for that.
    while try !names().isEmpty { await Task.yield() }
    source.open()
    await reader.close()
  }

  @Test func `what cannot be written to is refused`() async throws {
    let reader = try await RangeReader(ContentSource([1]))
    try FileManager.default.createDirectory(atPath: directory.path("folder"), withIntermediateDirectories: false)
    try #require(symlink("nowhere", directory.path("dangling")) == 0)
    let refused: [(String, ReadError.Code)] = [
      (directory.path("folder"), .unsupportedSource), (directory.path("dangling"), .unsupportedSource),
      ("/dev/null", .unsupportedSource), ("/", .unsupportedSource), (directory.path("missing/copy"), .notFound),
      ("", .notFound), ("a\0b", .notFound),
    ]
    for (path, code) in refused {
      let error = await #expect(throws: ReadError.self, "\(path)") { try await reader.stream().write(to: path) }
      #expect(error?.code == code, "\(path)")
    }
    #expect(try names() == ["dangling", "folder"])
    await reader.close()
  }
}
