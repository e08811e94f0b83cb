import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTiers

/// A spill store on a simulated disk, at a time that the test says.
struct SpillOnSimulatedDisk {
  let disk: SimulatedDisk
  let clock = ManualClock()
  var configuration: SpillStore.Configuration

  /// - Parameters:
  ///   - segment: bytes of a file.
  ///   - segments: files that fit.
  init(
    segment: Int = 16 << 10, segments: Int = 8, capacity: Int = 1 << 30,
    _ change: (inout SpillStore.Configuration) -> Void = { _ in }
  ) {
    disk = SimulatedDisk(capacity: capacity)
    configuration = SpillStore.Configuration(
      directory: "/cache/spill", limit: .bytes(segment * segments + SpillFormat.fixedBytes))
    configuration.segmentSize = .bytes(segment)
    configuration.stagingLimit = .kibibytes(64)
    configuration.keepsFastSources = true
    configuration.keepsFirstReads = true
    configuration.codec = IdentityCodec()
    configuration.freeSpaceFloor = .bytes(0)
    configuration.time = ReadClock(clock)
    configuration.work = .tasks(BackgroundWork())
    configuration.wallClock = { [clock] in 1_700_000_000_000_000_000 + clock.now.offset.nanoseconds }
    change(&configuration)
  }

  func open(_ process: SimulatedProcess? = nil) async throws -> SpillStore {
    var configuration = configuration
    configuration.disk = process ?? disk.newProcess()
    return try await SpillStore.open(configuration)
  }

  /// Has three reads fail.
  func sicken(_ source: FillSource, _ store: SpillStore) async {
    disk.faults = .always(.read, .fail(.ioError))
    for block in 0..<3 where await source.load(block, in: store) != nil { Issue.record("a read went past the fault") }
  }
}

extension FillSource {
  /// Writes blocks to the disk.
  func fill(_ blocks: Range<Int>, in store: SpillStore) async throws {
    for block in blocks {
      put(block, in: store)
      // More would not fit into what waits.
      if block % 8 == 7 { try await store.flush() }
    }
    try await store.flush()
  }

  /// Reads a block that is on the disk as a reader does whose bytes are not in the page cache.
  func load(_ block: Int, in store: SpillStore) async -> Bytes? {
    guard let piece = held(self.block(block), in: store).first else { return nil }
    return await piece.loader.load {}
  }
}
