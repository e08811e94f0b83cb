import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Files are sources, whatever reads them.
struct FileConformanceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: FileSource.Engine.allCases, [1, 4097, 700_001])
  func `a file keeps the contract of sources on every engine`(engine: FileSource.Engine, count: Int) async throws {
    let (path, bytes) = try await directory.file(count: count)
    try await SourceConformance.check(of: Bytes(bytes), seed: UInt64(count), rounds: 40) {
      FileSource(path, configuration: TestEngine.configuration(engine))
    }
  }

  @Test(arguments: FileSource.Engine.allCases, [20_000, 10_000, 3000])
  func `a file tells its versions as the contract asks, on every engine`(
    engine: FileSource.Engine, byteCount: Int
  ) async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    try await SourceConformance.checkVersions(
      of: Bytes(bytes), FileSource(path, configuration: TestEngine.configuration(engine))
    ) {
      let other = Array(SyntheticSource.bytes(0..<byteCount, version: 1))
      try write(other, to: path)
      return Bytes(other)
    }
  }

  @Test(arguments: FileSource.Engine.allCases)
  func `a file that is only added to tells its versions as the contract asks, on every engine`(
    engine: FileSource.Engine
  ) async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let more = Array(SyntheticSource.bytes(0..<30_000))
    let other = Array(SyntheticSource.bytes(0..<30_000, version: 1))
    var configuration = TestEngine.configuration(engine)
    configuration.isAppendOnly = true
    try await SourceConformance.checkVersions(of: Bytes(bytes), FileSource(path, configuration: configuration)) {
      try write(Array(more[10_000...]), to: path, at: 10_000, truncating: false)
      return Bytes(more)
    } replace: {
      try write(other, to: path, truncating: false)
      return Bytes(other)
    }
  }
}
