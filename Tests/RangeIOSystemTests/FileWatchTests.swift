import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Readers that the system tells of changes: of what another process writes, and of what takes a file's name.
struct FileWatchTests {
  @Test func `a hundred readers follow a file that another process records`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("recording")
    try write([], to: path)
    let (byteCount, seed) = (8_000_000, UInt64(7))
    let process = try BuiltProgram("Recorder").start(
      [path, "\(byteCount)", "\(seed)"], output: directory.path("output"))
    let hasEnded = Locked(false)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask { @Sendable in
          let reader = try await RangeReader(path, onChange: .follow)
          var position = 0
          let stream = reader.stream(following: 0..., chunkSize: .bytes(1000 + number * 3001)) {
            hasEnded.withLock { $0 }
          }
          for try await piece in stream {
            // Every byte once, and in order.
            let range = position..<position + piece.count
            guard piece == SyntheticSource.bytes(range, version: seed) else { return -range.lowerBound - 1 }
            position = range.upperBound
          }
          #expect(reader.byteCount == byteCount)
          await reader.close()
          return position
        }
      }
      group.addTask { @Sendable in
        let status = try await process.end()
        #expect(status == 0)
        hasEnded.withLock { $0 = true }
        return byteCount
      }
      for try await position in group { #expect(position == byteCount) }
    }
  }

  @Test func `the size grows by itself, without a read`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 1000).path
    let reader = try await RangeReader(path, onChange: .follow)
    #expect(reader.byteCount == 1000)
    try write(Array(repeating: 1, count: 500), to: path, at: 1000, truncating: false)
    try await reader.becomes { $0.byteCount == 1500 }
    await reader.close()
  }

  @Test func `a file under the same name is opened anew, and the old one let go of`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 5000, seed: 1).path
    let reader = try await RangeReader(path, onChange: .refresh)
    _ = try await reader.read(0..<100)
    let next = try await directory.file("next", count: 7000, seed: 2)
    try #require(rename(next.path, path) == 0)
    try await reader.becomes { $0.byteCount == 7000 }
    #expect(try await reader.read(0..<7000) == Bytes(next.bytes))
    await reader.close()
  }
}
