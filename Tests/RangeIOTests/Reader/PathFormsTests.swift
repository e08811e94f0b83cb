import Foundation
import RangeIO
import RangeIOTiers
import SystemPackage
import Testing

@testable import RangeIOTestSupport

/// Paths as a program has them: in a variable, as a `String` or a `FilePath`, besides literals.
@Suite struct PathFormsTests {
  @Test func `everything that takes a path takes a string in a variable`() async throws {
    let directory = try TemporaryDirectory()
    let path: String = try await directory.file("data", [1, 2, 3])
    let copy: String = directory.path("copy")
    let reader = try await RangeReader(path)
    #expect(try await reader.stream().write(to: copy) == 3)
    await reader.close()
    #expect(try await withRangeReader(copy) { try await $0.read(...) } == [1, 2, 3])
    let trace: String = directory.path("trace")
    let observing = try await Observing(tracingTo: trace)
    let observed = try await RangeReader(FileSource(copy), [.observing(observing)])
    #expect(try await observed.read(prefix: 2) == [1, 2])
    await observed.close()
    try await observing.close()
    let kept: String = directory.path("kept")
    let store = try await TieredStore(
      .init(memory: .mebibytes(1), compressed: .mebibytes(1)), disk: .init(directory: kept, limit: .mebibytes(32)))
    try await store.close(within: .seconds(10))
    #expect(FileManager.default.fileExists(atPath: trace) && FileManager.default.fileExists(atPath: kept))
  }

  @Test func `what opens or writes a file takes a file path, too`() async throws {
    let directory = try TemporaryDirectory()
    let path = FilePath(try await directory.file("data", [1, 2, 3]))
    let reader = try await RangeReader(path)
    #expect(try await reader.stream().write(to: FilePath(directory.path("copy"))) == 3)
    await reader.close()
    let other = try await RangeReader(FileSource(path))
    #expect(try await other.read(prefix: 9) == [1, 2, 3])
    await other.close()
  }
}
