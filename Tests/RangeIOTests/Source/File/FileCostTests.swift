import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What a file costs to read is for its user to say; whether a disk keeps what is read of it follows from that.
@Suite struct FileCostTests {
  private let far = SourceDescription.Cost(latency: .milliseconds(20), bytesPerSecond: 1e8)

  /// - Parameter cost: `nil` for the default.
  private func source(_ path: String, _ cost: SourceDescription.Cost?, isAppendOnly: Bool = false) -> FileSource {
    var configuration = FileSource.Configuration(blockSize: .kibibytes(4), isAppendOnly: isAppendOnly)
    if let cost { configuration.cost = cost }
    // An hour on, so that the file is settled.
    configuration.syscalls = Syscalls(
      .init(wallClock: { (Syscalls.system.call.wallClock().now + 3_600_000_000_000, 1) }))
    return FileSource(path, configuration: configuration)
  }

  private func file() throws -> (directory: TemporaryDirectory, path: String) {
    let directory = try TemporaryDirectory()
    try write([UInt8](repeating: 7, count: 1 << 18), to: directory.path("file"))
    return (directory, directory.path("file"))
  }

  @Test func `a file costs what its configuration says, by default what a local disk does`() async throws {
    let (directory, path) = try file()
    for isAppendOnly in [false, true] {
      let plain = source(path, nil, isAppendOnly: isAppendOnly)
      #expect(try await plain.describe().cost == SourceDescription.Cost())
      let costly = source(path, far, isAppendOnly: isAppendOnly)
      #expect(try await costly.describe().cost == far)
      for source in [plain, costly] { await source.close() }
    }
    #expect(FileSource.Configuration(cost: far).cost == far)
    withExtendedLifetime(directory) {}
  }

  /// Reads a file through a store on a disk that takes what is more expensive than itself.
  private func spilled(_ cost: SourceDescription.Cost?) async throws -> (DiskCounts, ReadExplanation) {
    let (directory, path) = try file()
    let spill = SimulatedSpill { $0.keepsFastSources = false }
    let store = try spill.open()
    let reader = try await RangeReader(source(path, cost), [.caching(store)])
    for block in 0..<4 { _ = try await reader.read(block << 12..<block << 12 + 100) }
    try await store.flush()
    let explanation = try await reader.explain(0..<100)
    await reader.close()
    withExtendedLifetime(directory) {}
    return (store.counts(), explanation)
  }

  @Test func `what a disk does not keep of a local file is counted with the reason`() async throws {
    let (counts, explanation) = try await spilled(nil)
    #expect(counts.offered == 4 && counts.ineligible == 4 && counts.rejectedFastSource == 4 && counts.written == 0)
    #expect("\(counts.counters("disk"))".contains("rejectedFastSource 4"))
    let reason = explanation.parts[0].reasons.first { $0.origin == .disk }?.why
    #expect(reason?.contains("no more to read than a disk") == true && reason?.contains("state its cost") == true)
  }

  @Test func `a file that is said to be slower is kept on a disk`() async throws {
    let (counts, _) = try await spilled(far)
    #expect(counts.offered == 4 && counts.rejectedFastSource == 0 && counts.written == 4)
  }
}
