@testable import RangeIO
@testable import RangeIOTiers

/// A directory for a spill store, and how it is opened.
struct SpillOnDisk {
  let directory: TemporaryDirectory
  var configuration: SpillStore.Configuration

  init(limit: ByteCount, _ change: (inout SpillStore.Configuration) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory()
    configuration = SpillStore.Configuration(directory: directory.path("spill"), limit: limit)
    configuration.keepsFastSources = true
    configuration.freeSpaceFloor = .bytes(0)
    change(&configuration)
  }

  func open() async throws -> SpillStore { try await SpillStore.open(configuration) }
}
