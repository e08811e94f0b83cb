import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What is written, and what is not.
struct SpillKeepingTests {
  private func source(_ store: SpillStore, latency: Duration, id: String = "fill") -> (SourceDescription, ChunkToken) {
    let source = SourceDescription(
      id: id, validator: ModelValidator(number: 0), byteCount: 1 << 20, preferredBlockSize: .kibibytes(4),
      traits: .with { $0.cost.latency = latency })
    return (source, store.sources.token(for: source, grid: BlockGrid(blockSize: 4096)!, reading: false).0)
  }

  private func chunk(_ token: ChunkToken, _ block: Int, _ store: SpillStore) -> Chunk {
    let range = block * 4096..<(block + 1) * 4096
    return Chunk(
      ticket: token.ticket(fetchedAt: store.now), block: block,
      piece: RangedBytes(range, FillSource.bytes(range, token.grid)))
  }

  @Test func `only whole blocks are kept, or what the end leaves of one`() async throws {
    let store = try await SpillOnSimulatedDisk().open()
    let source = FillSource(store.sources, byteCount: 3 * 4096 + 100)
    #expect(!source.put(0, 0..<4095, in: store))
    #expect(!source.put(0, 1..<4096, in: store))
    #expect(source.put(0, in: store) && source.put(3, in: store))
    try await store.flush()
    let statistics = store.counts()
    #expect(statistics.blocks == 2 && statistics.ineligible == 2)
    #expect(source.read(source.block(3), in: store) == [source.block(3)])
    try await store.close()
  }

  @Test func `only sources that are slower than a disk are kept, unless all are to be`() async throws {
    for (keepsFast, latency, isKept) in [
      (false, Duration.milliseconds(20), true), (false, .microseconds(100), false), (true, .microseconds(100), true),
    ] {
      let store = try await SpillOnSimulatedDisk { $0.keepsFastSources = keepsFast }.open()
      let (_, token) = source(store, latency: latency)
      #expect(store.insertDemoted(chunk(token, 1, store)) == isKept)
      try await store.close()
    }
  }

  @Test func `what is here is not written again, nor what waits to be`() async throws {
    let store = try await SpillOnSimulatedDisk().open()
    let source = FillSource(store.sources)
    for _ in 0..<3 { #expect(source.put(1, in: store)) }
    #expect(store.counts().present == 2)
    try await store.flush()
    #expect(source.put(1, in: store))
    try await store.flush()
    #expect(store.counts().written == 1 && store.counts().present == 3)
    #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
    try await store.close()
  }

  @Test func `what waits and is not wanted any more gives way to what is`() async throws {
    let store = try await SpillOnSimulatedDisk().open()
    let source = FillSource(store.sources)
    source.put(1, in: store)
    source.token.raiseGeneration()
    #expect(source.read(source.block(1), in: store) == [])
    #expect(source.put(1, in: store))
    #expect(source.read(source.block(1), in: store) == [source.block(1)])
    try await store.flush()
    #expect(source.isIn(store, 1) && store.counts().stale == 1)
    #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
    try await store.close()
  }

  @Test func `once full, what comes for the first time is not written, and for the second time it is`() async throws {
    let store = try await SpillOnSimulatedDisk(segments: 4) { $0.keepsFirstReads = false }.open()
    let source = FillSource(store.sources)
    var block = 0
    while store.counts().rejectedAdmission == 0 {
      source.put(block, in: store)
      try await store.flush()
      block += 1
      try #require(block < 100)
    }
    #expect(!source.isIn(store, block - 1))
    #expect(source.put(block - 1, in: store))
    try await store.flush()
    #expect(source.isIn(store, block - 1))
    try await store.close()
  }

  @Test func `a store that refuses when full keeps what it has`() async throws {
    let store = try await SpillOnSimulatedDisk(segments: 3) { $0.refusesWhenFull = true }.open()
    let source = FillSource(store.sources)
    for block in 0..<40 {
      source.put(block, in: store)
      try await store.flush()
    }
    let statistics = store.counts()
    #expect(statistics.evictions == 0 && statistics.dropped > 20 && source.isIn(store, 0))
    #expect(statistics.peakBytes <= statistics.limit)
    try await store.close()
  }

  @Test func `a store that only reads changes nothing, whatever is removed`() async throws {
    let spill = SpillOnSimulatedDisk()
    var store = try await spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    let files = spill.disk.files.map { ($0.string, spill.disk.contents(of: $0)) }
    var reading = spill
    reading.configuration.isReadOnly = true
    store = try await reading.open()
    let source = FillSource(store.sources)
    #expect(source.isIn(store, 1) && !source.put(2, in: store))
    source.token.raiseGeneration()
    store.erase(source.block(1), of: source.token)
    #expect(!source.isIn(store, 1))
    store.removeAll()
    try await store.flush()
    try await store.close()
    let after = spill.disk.files.map { ($0.string, spill.disk.contents(of: $0)) }
    #expect(files.map(\.0) == after.map(\.0) && files.map(\.1) == after.map(\.1))
  }

  @Test func `what is removed after closing does not touch a directory that another has by then`() async throws {
    let spill = SpillOnSimulatedDisk()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    source.put(1, in: store)
    try await store.close()
    let again = try await spill.open()
    store.removeAll()
    store.erase(source: "fill")
    try await store.flush()
    #expect(FillSource(again.sources).isIn(again, 1))
    try await again.close()
    let last = try await spill.open()
    #expect(FillSource(last.sources).isIn(last, 1))
    try await last.close()
  }

  @Test(.simulated) func `what is too old while it waits is neither found nor written`() async throws {
    let spill = SpillOnSimulatedDisk { $0.ageLimit = .seconds(10) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    source.put(1, in: store)
    spill.clock.advance(by: .seconds(9))
    #expect(source.isIn(store, 1))
    spill.clock.advance(by: .seconds(1))
    #expect(!source.isIn(store, 1) && source.read(source.block(1), in: store) == [])
    try await store.flush()
    #expect(store.counts().written == 0 && store.counts().stale == 1)
    try await store.close()
  }

  @Test func `files are whole pages, so that what is counted is what they take`() async throws {
    let spill = SpillOnSimulatedDisk(segment: 18_500)
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<60 {
      source.put(block, in: store)
      try await store.flush()
      #expect(spill.disk.allocatedByteCount <= store.counts().bytes)
    }
    try await store.close()
  }

  @Test func `a source of a long name fits, or never does, but does not stop others`() async throws {
    let store = try await SpillOnSimulatedDisk().open()
    let long = FillSource(store.sources, id: String(repeating: "x", count: 8000))
    let other = FillSource(store.sources)
    #expect(!long.put(1, in: store))
    #expect(other.put(1, in: store))
    try await store.flush()
    #expect(store.counts().blocks == 1 && store.counts().ineligible == 1)
    try await store.close()
  }

  @Test func `removals of sources that are forgotten meanwhile are written down or not needed`() async throws {
    let spill = SpillOnSimulatedDisk()
    var store = try await spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    store = try await spill.open()
    // Nobody reads it in this process, and everything is removed first.
    spill.disk.faults = .on(.rename, number: 0, .fail(.ioError))
    store.removeAll()
    store.erase(source: "fill")
    try? await store.flush()
    try await store.flush()
    #expect(store.isEmpty && SpillRecount(store, isAtRest: true).faults.isEmpty)
    try await store.close()
  }

  @Test func `what an earlier process has left of a range is removed by who has not read it`() async throws {
    let spill = SpillOnSimulatedDisk()
    let limits = TieredStore.Configuration(memory: .kibibytes(256), compressed: .bytes(0))
    let description = SourceDescription(
      id: "fill", validator: ModelValidator(number: 0), byteCount: 1 << 20, preferredBlockSize: .kibibytes(4))
    var configuration = spill.configuration
    configuration.disk = spill.disk.newProcess()
    var store = try await TieredStore(limits, disk: configuration)
    for block in 0..<4 { FillSource(store.sources, byteCount: 1 << 20).put(block, in: store.spill!) }
    try await store.close()
    configuration.disk = spill.disk.newProcess()
    store = try await TieredStore(limits, disk: configuration)
    store.remove(4096..<2 * 4096, of: description)
    #expect(!store.contains(4096..<8192, of: description) && store.contains(8192..<12_288, of: description))
    try await store.close()
  }

  // MARK: asked for

  private func description(_ blockSize: Int = 4096, id: String = "asked") -> SourceDescription {
    SourceDescription(
      id: id, validator: ModelValidator(number: 0), byteCount: 1 << 20, preferredBlockSize: .bytes(blockSize),
      traits: .with { $0.cost.latency = .zero })
  }

  @Test func `what is asked for is written, whatever its source costs, and is there after a restart`() async throws {
    let spill = SpillOnSimulatedDisk { $0.keepsFastSources = false }
    var store = try await spill.open()
    let bytes = SyntheticSource.bytes(0..<5 * 4096)
    try await store.store(bytes, at: 0..<5 * 4096, of: description())
    #expect(store.counts().blocks == 5)
    try await store.close()
    store = try await spill.open()
    let token = store.sources.token(for: description(), grid: BlockGrid(blockSize: 4096)!, reading: false).0
    #expect(store.holds(0..<5 * 4096, token: token.number, grid: token.grid))
    try await store.close()
  }

  @Test func `more than may wait at once is written bit by bit`() async throws {
    let store = try await SpillOnSimulatedDisk(segments: 40) { $0.stagingLimit = .kibibytes(10) }.open()
    try await store.store(SyntheticSource.bytes(0..<50 * 4096), at: 0..<50 * 4096, of: description())
    #expect(store.counts().blocks == 50)
    try await store.close()
  }

  @Test func `what can never fit and what does not fit now are two errors`() async throws {
    let store = try await SpillOnSimulatedDisk(segments: 2) { $0.refusesWhenFull = true }.open()
    let large = SyntheticSource.bytes(0..<16_384)
    let never = await #expect(throws: ReadError.self) {
      try await store.store(large, at: 0..<16_384, of: description(16_384, id: "large"))
    }
    #expect(never?.code == .limitExceeded && never?.isTransient == false)
    var now: ReadError?
    for block in 0..<20 {
      let range = block * 4096..<(block + 1) * 4096
      do { try await store.store(SyntheticSource.bytes(range), at: range, of: description()) } catch {
        now = error as? ReadError
        break
      }
    }
    #expect(now?.code == .limitExceeded && now?.isTransient == true)
    #expect(now?.message != never?.message && now?.message.contains("now") == true)
    #expect(never?.message.contains("never") == true)
    try await store.close()
  }

  @Test func `what cannot be kept is told of`() async throws {
    let store = try await SpillOnSimulatedDisk().open()
    let bytes = SyntheticSource.bytes(0..<4096)
    func code(_ bytes: Bytes, _ range: ByteRange, _ source: SourceDescription) async -> ReadError.Code? {
      do { try await store.store(bytes, at: range, of: source) } catch { return (error as? ReadError)?.code }
      return nil
    }
    let nameless = SourceDescription(id: "n", validator: nil, byteCount: 4096, preferredBlockSize: .kibibytes(4))
    let unsettled = SourceDescription(
      id: "u", validator: ModelValidator(number: 0), byteCount: 4096, preferredBlockSize: .kibibytes(4),
      traits: .with { $0.isSettled = false })
    #expect(await code(bytes, 0..<4096, nameless) == .invalidConfiguration)
    #expect(await code(bytes, 0..<4096, unsettled) == .invalidConfiguration)
    #expect(await code(bytes.slice(0..<100), 0..<100, description()) == .rangeNotSatisfiable)
    #expect(await code(bytes, 100..<4196, description()) == .rangeNotSatisfiable)
    #expect(await code(bytes.slice(0..<9), 0..<4096, description()) == .rangeNotSatisfiable)
    #expect(await code(bytes, (1 << 20)..<(1 << 20) + 4096, description()) == .rangeNotSatisfiable)
    try await store.close()
    #expect(await code(bytes, 0..<4096, description()) == .closed)
  }
}
