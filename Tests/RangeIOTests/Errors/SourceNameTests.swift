import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Errors name a source as the user named it.
struct SourceNameTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func failure(_ read: () async throws -> Void) async throws -> ReadError {
    try #require(await #expect(throws: ReadError.self) { try await read() })
  }

  @Test func `an error names the file by the path as it was given`() async throws {
    let (path, _) = try await directory.file("a file", count: 10)
    // As nobody would spell it but a user: `FilePath` would make one slash of two.
    let given = path.replacing("/a file", with: "//a file")
    let reader = try await RangeReader(given, cache: nil)
    #expect(reader.source.name == given)
    #expect(try await failure { _ = try await reader.read(0..<11) }.context?.source == given)
    #expect(try await failure { _ = try await reader.read(suffix: -1) }.context?.source == given)
    #expect(try await failure { _ = try await reader.read(offset: 8, count: 8) }.context?.source == given)
    #expect(try await failure { for try await _ in reader.stream(11...) {} }.context?.source == given)
    let error = try await failure { _ = try await reader.read(11...) }
    #expect("\(error)".contains("[\(given)"))
    #expect(!"\(error)".contains("file:"))
    await reader.close()
  }

  @Test func `an error names a file that changed, or is not there, by its path`() async throws {
    let (path, bytes) = try await directory.file(count: 5000)
    let reader = try await RangeReader(path, cache: nil)
    try write([UInt8](bytes.prefix(10)), to: path)
    let changed = try await failure { _ = try await reader.read(0..<10) }
    #expect(changed.code == .sourceChanged && changed.context?.source == path)
    let missing = directory.path("missing")
    #expect(try await failure { _ = try await RangeReader(missing) }.context?.source == missing)
    await reader.close()
  }

  @Test func `a recording and a file named by a FilePath are called by their path`() async throws {
    let (path, _) = try await directory.file(count: 10)
    let recording = try await FileSource(path, configuration: .init(isAppendOnly: true)).describe()
    #expect(recording.name == path && recording.id.hasPrefix("file:"))
    #expect(try await FileSource(FilePath(path)).describe().name == FilePath(path).string)
  }

  @Test func `what a stage derives is called as the file is`() {
    let file = SourceDescription(id: "file:1:2", name: "/a", validator: nil, byteCount: 10)
    #expect(file.deriving("xor", byteCount: 5).deriving("skip", byteCount: 3).name == "/a")
  }

  @Test func `a source without a name is called by its id`() {
    #expect(SourceDescription(id: "bucket/key", validator: nil, byteCount: 10).name == "bucket/key")
  }
}
