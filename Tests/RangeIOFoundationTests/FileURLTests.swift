import Foundation
import RangeIO
import RangeIOFoundation
import Testing

@Suite final class FileURLTests {
  private let directory: URL
  private let content = pattern(10_000)

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "rangeio-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  private func makeFile(_ name: String) throws -> URL {
    let url = directory.appending(path: name)
    try Data(content).write(to: url)
    return url
  }

  @Test(arguments: [
    "plain", "with space", "ünïcode-日本", "100%", "percent%20sign", "question?mark", "hash#tag", "semi;colon", "~",
    "a&b=c+d",
    "new\nline", "back\\slash",
  ])
  func `a file of any name is read`(name: String) async throws {
    let url = try makeFile(name)
    for engine in FileSource.Engine.allCases {
      let reader = try await RangeReader(fileURL: url, engine: engine)
      #expect(reader.byteCount == 10_000)
      #expect(Array(try await reader.read(100..<200)) == Array(content[100..<200]))
      await reader.close()
    }
    let viaSource = try await RangeReader(FileSource(url), [.observing()])
    #expect(Array(try await viaSource.read(0..<10_000)) == content)
    await viaSource.close()
  }

  @Test func `percent-encoding and localhost are understood`() async throws {
    let file = try makeFile("a b")
    for prefix in ["file://", "file://localhost", "FILE://", "file:"] {
      let url = try #require(URL(string: prefix + directory.path(percentEncoded: true) + "/%61%20b"))
      let reader = try await RangeReader(fileURL: url)
      #expect(try await reader.read(0..<3) == Bytes(content[0..<3]), "\(url) for \(file)")
      await reader.close()
    }
  }

  @Test func `a relative URL is read from its base`() async throws {
    _ = try makeFile("b")
    let base = URL(fileURLWithPath: directory.path(percentEncoded: false), isDirectory: true)
    let reader = try await RangeReader(fileURL: URL(fileURLWithPath: "b", relativeTo: base))
    #expect(reader.byteCount == 10_000)
    await reader.close()
  }

  @Test(arguments: [
    "https://user:secret@example.org/f", "ftp://example.org/f", "data:text/plain,abc", "/no/scheme",
    "file://server/share/f",
    "file:relative", "file:~/f", "file:",
  ])
  func `a URL that is not a file of this machine is unsupported`(text: String) async throws {
    let url = try #require(URL(string: text))
    let error = #expect(throws: ReadError.self) { try FileSource(url) }
    #expect(error?.code == .unsupportedSource)
    #expect(error.map { !"\($0)".contains("secret") } == true, "credentials are not shown")
    let opening = await #expect(throws: ReadError.self) { try await RangeReader(fileURL: url) }
    #expect(opening?.code == .unsupportedSource)
  }

  @Test(arguments: ["a%2Fb", "a%2fb", "..%2F..%2Fetc%2Fpasswd", "a%00", "%FF"])
  func `a name that no file can have is not found, and names no other file`(name: String) async throws {
    _ = try makeFile("a")
    let url = try #require(URL(string: "file://" + directory.path(percentEncoded: true) + "/" + name))
    let error = await #expect(throws: ReadError.self) { try await RangeReader(fileURL: url) }
    #expect(error?.code == .notFound)
  }

  @Test func `a missing file and a directory are told apart`() async throws {
    let missing = await #expect(throws: ReadError.self) {
      try await RangeReader(fileURL: directory.appending(path: "missing"))
    }
    #expect(missing?.code == .notFound)
    let isDirectory = await #expect(throws: ReadError.self) { try await RangeReader(fileURL: directory) }
    #expect(isDirectory?.code == .unsupportedSource)
  }

  @Test func `a symbolic link is followed`() async throws {
    let file = try makeFile("target")
    let link = directory.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let reader = try await RangeReader(fileURL: link)
    #expect(reader.byteCount == 10_000)
    await reader.close()
  }
}
