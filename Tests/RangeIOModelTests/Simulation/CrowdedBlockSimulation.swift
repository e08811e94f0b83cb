@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting
@testable import RangeIOTiers

private struct Wrong: Error {
  let what: String
}

/// Many readers that want parts of one block, which is compressed.
final class CrowdedBlockSimulation: Sendable {
  private let simulation: Simulation

  init(_ simulation: Simulation) { self.simulation = simulation }

  func run() async throws {
    let codec = WatchedCodec()
    var configuration = TieredStore.Configuration(memory: .kibibytes(32), compressed: .kibibytes(32))
    configuration.compressed.codec = codec
    // On a task of its own, in the midst of which others come.
    configuration.compressed.inlineLimit = .bytes(0)
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    let store = TieredStore(configuration)
    let source = SyntheticSource(byteCount: 1 << 17, compressibility: 0.8)
    let readers = try await (0..<3).asyncMap { _ in
      try await RangeReader(
        source, [.caching(store, blockSize: .kibibytes(4))], configuration: self.simulation.configuration)
    }
    let token = try await fillUntilCompressed(readers[0], store)
    let tiers = store.memory!
    let pieces = TieredRecount(store).pieces
    guard let block = pieces.first(where: { $0.token === token })?.range else { throw Wrong(what: "nothing is below") }
    guard !tiers.memory.holds(block, token: token.number, grid: token.grid) else { throw Wrong(what: "it is above") }
    // All turns are taken, so that nothing is decompressed before all have come.
    for _ in 0..<4 { try await tiers.compressed!.decodePermits.enter() }
    let before = codec.decodes
    let reads = source.readCount
    let tasks = (0..<100).map { number in
      simulation.start { [reader = readers[number % 3]] in
        let range = block.lowerBound + number..<block.upperBound - number
        guard try await reader.read(range) == source.expected(range) else { throw Wrong(what: "wrong bytes") }
      }
    }
    // Passes when nobody can go on.
    try await simulation.clock.sleep(for: .milliseconds(1))
    guard codec.decodes == before else { throw Wrong(what: "decompressed without a permit") }
    for _ in 0..<4 { tiers.compressed!.decodePermits.leave() }
    for task in tasks { try await task.value }
    guard source.readCount == reads else { throw Wrong(what: "the source was asked") }
    let decodes = codec.decodes - before
    guard decodes == 1 else { throw Wrong(what: "decompressed \(decodes) times") }
    for reader in readers { await reader.close() }
  }

  private func fillUntilCompressed(_ reader: RangeReader, _ store: TieredStore) async throws -> ChunkToken {
    for offset in stride(from: 0, to: 1 << 17, by: 4096) {
      _ = try await reader.read(offset..<offset + 4096)
      while !store.mover.isIdle { await Task.yield() }
    }
    guard let token = store.sources.all.first else { throw Wrong(what: "no token") }
    return token
  }
}

extension CrowdedBlockSimulation: SeededCheck {
  static let name = "many readers of one compressed block"
  static var seeds: Range<Int> { first(40) }

  static func run(seed: UInt64) throws -> NoTally {
    try Simulation.run(seed: seed) { try await CrowdedBlockSimulation($0).run() }
    return NoTally()
  }
}

extension Range<Int> {
  fileprivate func asyncMap<Value>(_ body: (Int) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for number in self { values.append(try await body(number)) }
    return values
  }
}
