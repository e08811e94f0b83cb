import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTiers

/// Operations on memory, compressed memory and a disk, whose every byte must be right, whatever is damaged on the disk.
extension FuzzTargets {
  static let tiers: [FuzzTarget] = [
    FuzzTarget(
      "tiers", seeds: [1, 2, 3].map(operations)
    ) { bytes in
      try Simulation.run(seed: UInt64(bytes.first ?? 0)) { simulation in
        var input = FuzzInput(Array(bytes.prefix(1200)))
        let source = SyntheticSource(byteCount: 40_000, id: "source", time: simulation.time, compressibility: 0.8)
        let disk = SimulatedDisk(capacity: 1 << 20)
        let description = try await source.describe()
        while !input.isEmpty {
          let store = try await open(disk, simulation, kilobytes: input.below(6))
          let reader = try await RangeReader(
            source,
            [.caching(store, fill: [.block, .exact, .requestedFirst][input.below(3)], blockSize: .bytes(1024))],
            configuration: simulation.configuration)
          while !input.isEmpty {
            let operation = input.below(16)
            let lower = (Int(input.byte()) << 8 | Int(input.byte())) % 40_000
            let range = lower..<min(40_000, lower + 1 + input.below(256) * 16)
            if operation == 15, input.below(4) == 0 { break }
            switch operation {
            case 0: input.below(8) == 0 ? store.handleMemoryPressure(.critical) : store.remove(range, of: description)
            case 1, 2: try await simulation.clock.sleep(for: .seconds(input.below(20)))
            // `try?`: of a disk that is damaged it may tell.
            case 3: try? await store.flush()
            case 4:
              let files = disk.files
              if !files.isEmpty { disk.flipBit(of: files[lower % files.count], at: lower * 8 + input.below(8)) }
            default:
              let found = try await reader.read(range)
              try promise(found == source.expected(range), "wrong bytes for \(range)")
            }
          }
          await reader.close()
          // `try?`: as above.
          try? await store.close()
        }
      }
    }
  ]

  private static func operations(seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<1200).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private static func open(_ disk: SimulatedDisk, _ simulation: Simulation, kilobytes: Int) async throws -> TieredStore
  {
    var tiers = TieredStore.Configuration(
      memory: .bytes(10_000 + kilobytes * 1024), compressed: .bytes(9000 + kilobytes * 512))
    (tiers.time, tiers.background) = (simulation.time, simulation.configuration.background)
    tiers.compressed.shards = 1
    var spill = SpillStore.Configuration(directory: "/cache", limit: .kibibytes(128))
    (spill.segmentSize, spill.freeSpaceFloor, spill.keepsFirstReads) = (.kibibytes(16), .bytes(0), true)
    spill.keepsFastSources = true
    spill.wallClock = { [clock = simulation.clock] in 1_700_000_000_000_000_000 + clock.now.offset.nanoseconds }
    spill.random = { 4711 }
    spill.disk = disk.newProcess()
    spill.work = .tasks(simulation.configuration.background)
    return try await TieredStore(tiers, disk: spill)
  }
}
