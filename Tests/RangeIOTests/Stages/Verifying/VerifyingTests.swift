import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct VerifyingTests {
  private static let byteCount = 10_100
  private static let blockSize = 1000

  private static func digests(_ byteCount: Int = byteCount) -> [[UInt8]] {
    let blocks = EqualBlocks(size: blockSize)
    return (0..<blocks.count(in: byteCount)).map {
      quickHash(SyntheticSource.bytes(blocks.range(of: $0..<$0 + 1, in: byteCount)))
    }
  }

  private static func verifying(_ digests: [[UInt8]] = digests()) -> ReadPipeline {
    ReadPipeline.verifying(blockSize: .bytes(blockSize), digests: digests, hash: quickHash)
  }

  private static let tree = WholeTree(byteCount: byteCount, blockSize: blockSize)

  /// A stage over the tree, whose nodes come from `nodes`.
  private static func treeStage(
    remembering most: Int = 1000, byteCount: Int = byteCount,
    nodes: @escaping @Sendable ([(level: Int, index: Int)]) async throws -> [[UInt8]] = { $0.map { tree.digest($0) } }
  ) -> ReadPipeline {
    .verifying(
      merkleRoot: tree.digests[tree.root]!, byteCount: byteCount, blockSize: .bytes(blockSize),
      maxRememberedNodes: most,
      hash: quickHash, nodes: nodes)
  }

  private func source() -> SyntheticSource { SyntheticSource(byteCount: Self.byteCount) }

  @Test(arguments: [false, true])
  func `ranges of every alignment come out as they are`(withTree: Bool) async throws {
    let stage = withTree ? Self.treeStage() : Self.verifying()
    let reader = try await RangeReader(source(), [stage])
    let edges = [0, 1, 999, 1000, 1001, 4999, 5000, 9999, 10_000, 10_001, 10_099, 10_100]
    for lower in edges {
      for upper in edges where upper >= lower { #expect(try await reader.isRight(lower..<upper)) }
    }
    for seed in testSeeds.prefix(10) {
      var random = TestRandom(seed)
      let ranges = (0..<6).map { _ in random.range(within: Self.byteCount) }
      #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    }
    var all: [UInt8] = []
    for try await piece in reader.stream(chunkSize: .bytes(777)) { all += Array(piece) }
    #expect(all == Array(SyntheticSource.bytes(0..<Self.byteCount)))
    #expect(stage.statistics()?.figures["corrupted"] == nil)
  }

  @Test func `whole blocks are read as one request, each checked once`() async throws {
    let stage = Self.verifying()
    let time = ReadClock(ManualClock())
    let source = ScriptedSource(byteCount: Self.byteCount, time: time) { _ in .answer }
    let reader = try await RangeReader(source, [stage])
    _ = try await reader.read([1500..<1600, 1700..<2100, 9000..<9001, 10_050..<10_060, 1999..<2001])
    #expect(source.asked.map(\.ranges) == [[1000..<3000, 9000..<10_100]])
    #expect(stage.statistics()?.figures["blocks"] == 4)
    _ = try await reader.read(3000..<5000)
    #expect(source.asked.last?.ranges == [3000..<5000])
    #expect(stage.statistics()?.figures["bytes beside"] == 3100 - 513)
  }

  @Test(arguments: [false, true])
  func `a block that came damaged is told, and is right when it is read again`(withTree: Bool) async throws {
    let stage = withTree ? Self.treeStage() : Self.verifying()
    let faulty = FaultySource(source()) { number, _ in number == 0 ? .damage : nil }
    let reader = try await RangeReader(faulty, [stage])
    let error = await #expect(throws: ReadError.self) { try await reader.read(2500..<4500) }
    #expect(error?.code == .corrupted)
    #expect(error?.isTransient == true)
    // The middle of the three blocks that were read.
    #expect(error?.context == .init(source: "synthetic", offset: 3000, count: 1000))
    #expect(error?.message.hasPrefix("block 3 ") == true)
    #expect(try await reader.isRight(2500..<4500))
    #expect(stage.statistics()?.figures["corrupted"] == 1)
  }

  @Test func `with retrying above, what came damaged is read again, and only what is right is kept`() throws {
    let store = MemoryStore(limit: .mebibytes(1))
    try Simulation.run(seed: 1) { simulation in
      let source = ScriptedSource(byteCount: Self.byteCount, time: simulation.time) { $0 < 2 ? .damage : .answer }
      let reader = try await RangeReader(
        source,
        [.caching(store, blockSize: .bytes(4096)), .retrying(random: LargestNumbers()), Self.verifying()],
        configuration: simulation.configuration)
      #expect(try await reader.isRight(100..<200))
      #expect(source.times == [.zero, .milliseconds(100), .milliseconds(300)])
      #expect(try await reader.isRight(0..<4096))
      #expect(source.asked.count == 3)
    }
  }

  @Test func `of two tries the one that is right counts`() throws {
    let hedging: ReadPipeline = .hedging(maxShare: 1, minSamples: 1)
    try Simulation.run(seed: 1) { simulation in
      let source = ScriptedSource(byteCount: Self.byteCount, time: simulation.time) {
        $0 == 1 ? .answer(after: .milliseconds(50)) : $0 == 2 ? .damage : .answer(after: .milliseconds(10))
      }
      let reader = try await RangeReader(
        source,
        [hedging, Self.verifying()], configuration: simulation.configuration)
      #expect(try await reader.isRight(100..<200))
      #expect(try await reader.isRight(100..<200))
      #expect(source.asked.count == 3)
    }
  }

  // MARK: what does not fit

  @Test func `digests of another size, count or hash are refused with what to do`() async throws {
    func code(_ stage: ReadPipeline) async throws -> (ReadError.Code?, Bool?) {
      let reader = try await RangeReader(source(), [stage])
      let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      return (error?.code, error?.isTransient)
    }
    #expect(try await code(Self.verifying(Self.digests().dropLast())) == (.invalidConfiguration, false))
    #expect(try await code(Self.verifying(Self.digests() + [[]])) == (.invalidConfiguration, false))
    var odd = Self.digests()
    odd[4].removeLast()
    #expect(try await code(Self.verifying(odd)) == (.invalidConfiguration, false))
    let short = Self.digests().map { Array($0.prefix(8)) }
    #expect(try await code(Self.verifying(short)) == (.invalidConfiguration, false))
    #expect(try await code(Self.treeStage(byteCount: 10_099)) == (.invalidConfiguration, false))
  }

  @Test func `a source that has grown does not fit its digests any more`() async throws {
    let source = source()
    let reader = try await RangeReader(source, [Self.verifying()])
    #expect(try await reader.isRight(0..<10))
    source.grow(by: 1000)
    let error = await #expect(throws: ReadError.self) { try await reader.read(10_100..<10_110) }
    #expect(error?.code == .invalidConfiguration)
  }

  // MARK: trees

  @Test func `nodes are asked for once and remembered`() async throws {
    let asked = Noted<[(level: Int, index: Int)]>()
    let stage = Self.treeStage { nodes in
      asked.add(nodes)
      return nodes.map { Self.tree.digest($0) }
    }
    let reader = try await RangeReader(source(), [stage])
    #expect(try await reader.isRight(0..<1))
    // Eleven blocks: 0..<8 and 8..<11, and so on down to 0 and 1.
    #expect(asked.all.map(\.count) == [8])
    #expect(try await reader.isRight(0..<2000))
    #expect(asked.all.count == 1)
    #expect(try await reader.isRight(2500..<2600))
    #expect(asked.all.count == 2 && asked.all[1].count == 2)
    #expect(try await reader.isRight(0..<Self.byteCount))
    #expect(try await reader.isRight(0..<Self.byteCount))
    #expect(asked.all.count == 3)
    #expect(Set(asked.all.joined().map { [$0.level, $0.index] }).count == asked.all.joined().count)
  }

  @Test func `without memory each read asks again, and is right`() async throws {
    let stage = Self.treeStage(remembering: 0)
    let reader = try await RangeReader(source(), [stage])
    for _ in 0..<3 { #expect(try await reader.isRight(0..<1)) }
    #expect(stage.statistics()?.figures["nodes asked for"] == 24)
  }

  @Test func `a provider that lies is found out, whatever it lies about`() async throws {
    for place in 0..<8 {
      let isLying = Locked(true)
      let stage = Self.treeStage { nodes in
        var digests = nodes.map { Self.tree.digest($0) }
        if isLying.withLock({ $0 }) { digests[place][0] ^= 0x80 }
        return digests
      }
      let reader = try await RangeReader(source(), [stage])
      let error = await #expect(throws: ReadError.self) { try await reader.read(0..<1) }
      #expect(error?.code == .corrupted && error?.isTransient == true)
      isLying.withLock { $0 = false }
      #expect(try await reader.isRight(0..<1))
    }
  }

  @Test func `a provider and a source that lie together are found out`() async throws {
    // Another source, with the digests that belong to it: only the root is that of the right one.
    let other = (0..<11).map { Bytes(repeatElement(UInt8($0), count: $0 == 10 ? 100 : 1000)) }
    let forged = WholeTree(other, quickHash)
    let stage = Self.treeStage { nodes in nodes.map { forged.digest($0) } }
    let reader = try await RangeReader(ContentSource(Array(Bytes(concatenating: other))), [stage])
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<1) }
    #expect(error?.code == .corrupted)
  }

  @Test func `digests cut at another place are refused, though they hash to the same`() async throws {
    let stage = Self.treeStage { nodes in
      var digests = nodes.map { Self.tree.digest($0) }
      let both = digests[0] + digests[1]
      digests[0] = Array(both.prefix(15))
      digests[1] = Array(both.dropFirst(15))
      return digests
    }
    let reader = try await RangeReader(source(), [stage])
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<1) }
    #expect(error?.code == .invalidResponse)
  }

  @Test func `a provider that answers too few, or fails, is told`() async throws {
    let few = try await RangeReader(source(), [Self.treeStage { nodes in nodes.dropLast().map { _ in [] } }])
    let error = await #expect(throws: ReadError.self) { try await few.read(0..<1) }
    #expect(error?.code == .invalidResponse)
    let failing = try await RangeReader(source(), [Self.treeStage { _ in throw Refusal.no }])
    await #expect(throws: Refusal.no) { try await failing.read(0..<1) }
  }

  @Test(.simulated) func `a provider that hangs keeps no one who is cancelled or closed`() async throws {
    let isAsked = Noted<Int>()
    let stage = Self.treeStage { _ in
      isAsked.add(1)
      let never = Promise<[[UInt8]]>()
      return try await never.value()
    }
    let reader = try await RangeReader(source(), [stage])
    let reads = (0..<2).map { _ in start { try await reader.read(0..<1) } }
    await quiet()
    #expect(isAsked.all.count == 2)
    reads[0].cancel()
    await #expect(throws: CancellationError.self) { try await reads[0].value }
    await reader.close()
    let error = await #expect(throws: ReadError.self) { try await reads[1].value }
    #expect(error?.code == .closed)
  }

  @Test func `a tree of one block is its root`() async throws {
    let bytes = Bytes(Array(0..<100))
    let root = MerkleTree.leafHash(bytes, quickHash)
    let verifying: ReadPipeline = .verifying(
      merkleRoot: root, byteCount: 100, blockSize: .bytes(1000), hash: quickHash, nodes: { _ in throw Refusal.no })
    let reader = try await RangeReader(ContentSource(Array(0..<100)), [verifying])
    #expect(Array(try await reader.read(10..<20)) == Array(10..<20))
  }
}
