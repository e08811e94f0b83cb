import Dispatch
import Foundation
import RangeIO
import RangeIOTesting
import Synchronization
import Testing

@testable import RangeIOExecutor
@testable import RangeIOTestSupport

struct InPlaceTests {
  private let directory: TemporaryDirectory
  private let executor = ReadingExecutor()

  init() throws { directory = try TemporaryDirectory() }

  @Test func `on its threads a read is in place, and elsewhere it is not`() async throws {
    let (path, bytes) = try directory.file(count: 100_000)
    let source = InPlaceSource(FileSource(path), looks: false)
    let reader = try await RangeReader(source)
    #expect(try await reader.read(10..<5000) == bytes[10..<5000])
    #expect(source.statistics()["inPlace"]?.bytes == 0 && source.statistics().bytesElsewhere == 4990)
    try await withTaskExecutorPreference(executor) { () async throws in
      #expect(try await reader.read(99_000..<100_000) == bytes[99_000..<100_000])
    }
    #expect(source.statistics()["inPlace"]?.bytes == 1000 && source.statistics().bytesElsewhere == 4990)
    #expect(source.statistics()["inPlace"]?["reads"] == 1)
    await reader.close()
  }

  @Test func `every byte is the file's, at every alignment`() async throws {
    let (path, bytes) = try directory.file(count: 12_345)
    let source = InPlaceSource(FileSource(path), looks: false)
    let reader = try await RangeReader(source, [])
    try await withTaskExecutorPreference(executor) { () async throws in
      for edge in [0, 512, 4096, 8192, bytes.count] {
        for lower in max(0, edge - 5)..<min(bytes.count, edge + 5) {
          for count in [1, 7, 8, 511, 512, 4095, 4096, 4097] where lower + count <= bytes.count {
            #expect(try await reader.read(lower..<lower + count) == bytes[lower..<lower + count])
          }
        }
      }
    }
    #expect(source.statistics().bytesElsewhere == 0)
    await reader.close()
  }

  @Test(arguments: [false, true])
  func `a lone read of what is not in memory is right, looked for or waited for`(isCached: Bool) async throws {
    let (path, bytes) = try directory.file(count: 4_000_000)
    let source = InPlaceSource(path)
    // A cache too small for what is read asks for one block at a time.
    let reader = try await RangeReader(
      source, [isCached ? .caching(MemoryStore(limit: .kibibytes(64)), blockSize: .kibibytes(4)) : []])
    try await withTaskExecutorPreference(executor) { () async throws in
      for round in 0..<4 {
        try dropPages(of: path)
        for number in 0..<100 {
          let lower = (number * 7919 + round * 97) % 970 * 4096
          #expect(try await reader.read(lower..<lower + 4096) == bytes[lower..<lower + 4096])
        }
      }
    }
    await reader.close()
  }

  @Test func `long ranges, several ranges and streams are not in place`() async throws {
    let (path, bytes) = try directory.file(count: 2_000_000)
    let source = InPlaceSource(FileSource(path), looks: false)
    let reader = try await RangeReader(source, [])
    try await withTaskExecutorPreference(executor) { () async throws in
      #expect(try await reader.read(0..<262_145) == bytes[0..<262_145])
      #expect(try await reader.read([0..<10, 500..<600]) == [bytes[0..<10], bytes[500..<600]])
      var position = 0
      for try await piece in reader.stream(0...) {
        #expect(piece == bytes[position..<position + piece.count])
        position += piece.count
      }
      #expect(position == bytes.count)
      #expect(source.statistics()["inPlace"]?.bytes == 0)
      #expect(try await reader.read(1..<262_145) == bytes[1..<262_145])
      #expect(source.statistics()["inPlace"]?.bytes == 262_144)
    }
    await reader.close()
  }

  @Test func `a cache above gets its blocks in place`() async throws {
    let (path, bytes) = try directory.file(count: 1_000_000)
    try await settle(path)
    let source = InPlaceSource(path, blockSize: .kibibytes(16))
    let reader = try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(4)))])
    try await withTaskExecutorPreference(executor) { () async throws in
      #expect(try await reader.read(20_000..<20_010) == bytes[20_000..<20_010])
      #expect(source.statistics()["inPlace"]?.bytes == 16_384)
      #expect(try await reader.read(20_010..<30_000) == bytes[20_010..<30_000])
      #expect(source.statistics()["inPlace"]?.bytes == 16_384)
      // Across blocks.
      #expect(try await reader.read(100_000..<200_000) == bytes[100_000..<200_000])
      #expect(source.statistics()["inPlace"]?.bytes ?? 0 >= 116_384)
    }
    await reader.close()
  }

  @Test func `what is read ahead keeps no thread of the executor waiting`() async throws {
    let (path, bytes) = try directory.file(count: 2_000_000)
    try await settle(path)
    let source = InPlaceSource(FileSource(path, blockSize: .kibibytes(16)), looks: false)
    let reader = try await RangeReader(source, [.readAhead(), .caching(MemoryStore(limit: .mebibytes(4)))])
    try await withTaskExecutorPreference(executor) { () async throws in
      for start in stride(from: 0, to: 1_000_000, by: 4096) {
        #expect(try await reader.read(start..<start + 4096) == bytes[start..<start + 4096])
      }
    }
    let counts = reader.statistics()
    // In place, at most what was asked for, in whole blocks: of the page cache the loop may be quicker than what is read ahead.
    #expect((1...1_015_808).contains(source.statistics()["inPlace"]?.bytes ?? 0), "\(source.statistics()) \(counts)")
    #expect(source.statistics().bytesElsewhere > 0, "\(source.statistics()) \(counts)")
    await reader.close()
  }

  @Test(.timeLimit(.minutes(5))) func `more tasks than threads take turns, though none of them suspends`() async throws
  {
    let (path, bytes) = try directory.file(count: 100_000)
    let narrow = ReadingExecutor(maxThreads: 1, width: 1, timeSlice: 0)
    let reader = try await RangeReader(InPlaceSource(FileSource(path), looks: false), [])
    let hasBegun = (0..<3).map { _ in Flag() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask(executorPreference: narrow) {
          hasBegun[number].set()
          // Reads for as long as another has not had its turn.
          repeat {
            let read = try await reader.read(0..<100)
            #expect(read == bytes[0..<100])
          } while !hasBegun.allSatisfy(\.isSet)
        }
      }
      try await group.waitForAll()
    }
    await reader.close()
  }

  @Test func `a file that changes is another version`() async throws {
    let (path, bytes) = try directory.file(count: 50_000)
    for (isLonger, size) in [(true, 60_000), (false, 30_000)] {
      try write(bytes, to: path)
      let reader = try await RangeReader(InPlaceSource(FileSource(path), looks: false), [])
      await withTaskExecutorPreference(executor) {
        await #expect(throws: Never.self) { try await reader.read(40_000..<41_000) }
        #expect(throws: Never.self) { try write(SyntheticSource.bytes(0..<size, version: 7), to: path) }
        await #expect { try await reader.read(40_000..<41_000) } throws: { error in
          (error as? ReadError)?.code == .sourceChanged
        }
        if isLonger {
          await #expect { try await reader.read(0..<10) } throws: { ($0 as? ReadError)?.code == .sourceChanged }
        }
      }
      await reader.close()
    }
  }

  @Test func `a task that was cancelled before, and a reader that was closed, get no bytes`() async throws {
    let (path, _) = try directory.file(count: 50_000)
    let source = InPlaceSource(FileSource(path), looks: false)
    let description = try await source.describe()
    let task = Task(executorPreference: executor) {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await source.read(0..<10, of: description)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.statistics()["inPlace"]?.bytes == 0)
    await source.close()
    _ = await withTaskExecutorPreference(executor) {
      await #expect { try await source.read(0..<10, of: description) } throws: { ($0 as? ReadError)?.code == .closed }
    }
  }

  @Test(arguments: [false, true], 1...3 as ClosedRange<UInt64>)
  func `it keeps the contract of sources`(isOnExecutor: Bool, seed: UInt64) async throws {
    let (path, bytes) = try directory.file(count: [1, 8193, 300_001][Int(seed) - 1], seed: seed)
    try await withTaskExecutorPreference(isOnExecutor ? executor : nil) { () async throws in
      try await SourceConformance.check(of: bytes, seed: seed) { InPlaceSource(path, blockSize: .kibibytes(4)) }
    }
  }

  @Test(arguments: [false, true])
  func `it tells its versions as the contract of sources asks`(isOnExecutor: Bool) async throws {
    let (path, bytes) = try directory.file(count: 10_000)
    let other = SyntheticSource.bytes(0..<20_001, version: 2)
    try await withTaskExecutorPreference(isOnExecutor ? executor : nil) { () async throws in
      try await SourceConformance.checkVersions(of: bytes, InPlaceSource(FileSource(path), looks: false)) {
        try write(other, to: path, truncating: false)
        return other
      }
    }
  }

  @Test func `a file that only grows is followed, and one that took its place is found`() async throws {
    let (path, bytes) = try directory.file(count: 10_000)
    try await withTaskExecutorPreference(executor) { () async throws in
      let growing = try await RangeReader(InPlaceSource(path, isAppendOnly: true), onChange: .follow)
      #expect(try await growing.read(0..<100) == bytes[0..<100])
      let longer = SyntheticSource.bytes(0..<15_000, version: 0)
      try write(longer, to: path, truncating: false)
      #expect(try await growing.read(14_000..<15_000) == longer[14_000..<15_000])
      await growing.close()

      let refreshed = try await RangeReader(InPlaceSource(FileSource(path), looks: false), onChange: .refresh)
      let other = SyntheticSource.bytes(0..<777, version: 9)
      try write(other, to: path + ".new")
      #expect(rename(path + ".new", path) == 0)
      try await refreshed.refresh()
      #expect(try await refreshed.read(0..<777) == other)
      await refreshed.close()
    }
  }
}

/// Something that happened.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
