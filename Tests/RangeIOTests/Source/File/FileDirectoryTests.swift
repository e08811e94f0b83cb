import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Paths that start from the current directory, and others that are not as the system writes them.
struct FileDirectoryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try CurrentDirectory.temporary() }

  private func make(_ name: String, _ contents: [UInt8]) async throws -> String {
    try #require(mkdir(directory.path(name), 0o700) == 0)
    _ = try await directory.file(name + "/file", contents)
    return directory.path(name)
  }

  @Test(arguments: ["file", "./file", "../first/file"], [false, true])
  func `a relative path leads where it led when it was opened`(_ path: String, _ isText: Bool) async throws {
    let first = try await make("first", [1, 2, 3])
    let second = try await make("second", [4, 5, 6, 7])
    try #require(mkdir(directory.path("second/first"), 0o700) == 0)
    try await CurrentDirectory.comingBack {
      try #require(chdir(first) == 0)
      var configuration = TestEngine.configuration()
      configuration.resting = RestingFiles(.continuous)
      let source =
        isText
        ? FileSource(path, configuration: configuration) : FileSource(FilePath(path), configuration: configuration)
      let old = try await source.describe()
      #expect(old.name == path)
      try #require(chdir(second) == 0)
      #expect(try await source.renew() === old, "the same file")
      // What comes under its name there is found, wherever the process is.
      let new = try await directory.file("new", [8, 9])
      try #require(rename(new, first + "/file") == 0)
      let renewed = try await source.renew()
      #expect(try await source.read(0..<2, of: renewed) == [8, 9])
      #expect(renewed.name == path)
      await source.close()
    }
  }

  @Test func `a relative path starts from the current directory`() async throws {
    let first = try await make("first", [1, 2, 3])
    try await CurrentDirectory.comingBack {
      try #require(chdir(first) == 0)
      for path in ["file", "./file"] {
        let reader = try await RangeReader(TestEngine.file(path))
        #expect(try await reader.read(0..<3) == [1, 2, 3])
        await reader.close()
      }
    }
  }

  #if os(Linux)
    @Test func `changes of a file are told by whichever path without links it was opened`() async throws {
      let first = try await make("first", [1, 2, 3])
      _ = try await make("second", [4])
      try #require(symlink(first + "/file", directory.path("link")) == 0)
      try #require(symlink(first, directory.path("linked")) == 0)
      try await CurrentDirectory.comingBack {
        try #require(chdir(first) == 0)
        let told = [
          "file", "./file", "../first/file", "../second/../first/./file", first + "/file", first + "//./file",
          directory.path("second/../first/file"),
        ]
        for path in told {
          let source = FileSource(path, configuration: TestEngine.configuration())
          #expect(try await source.describe().reportsChanges, "\(path)")
          await source.close()
        }
        for path in [directory.path("link"), directory.path("linked/file"), "../link"] {
          let source = FileSource(path, configuration: TestEngine.configuration())
          #expect(try await !source.describe().reportsChanges, "\(path)")
          await source.close()
        }
      }
    }
  #endif
}
