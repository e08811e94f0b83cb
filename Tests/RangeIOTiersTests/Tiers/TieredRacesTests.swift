import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What may meet on the way of a chunk between two tiers, one by one.
@Suite struct TieredRacesTests {
  // MARK: down

  @Test func `a hit takes a chunk back that waits to be moved`() throws {
    let tiered = TieredSource()
    tiered.put(tiered.block(3))
    tiered.evictAll()
    #expect(tiered.isOnItsWay(3) && !tiered.isAbove(tiered.block(3)))
    guard case .hit(let bytes) = tiered.look(tiered.block(3)) else { throw Missed() }
    #expect(bytes == tiered.expected(tiered.block(3)))
    #expect(tiered.isAbove(tiered.block(3)) && !tiered.isOnItsWay(3))
    tiered.executor.run()
    #expect(tiered.codec.encodes == 0)
    #expect(tiered.counts.moving.cancelled == 1)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `a hit takes a chunk back that is being compressed, and the copy below goes`() {
    let tiered = TieredSource()
    let found = Noted<Bool>()
    tiered.codec.whileEncoding { found.add(tiered.isFound(tiered.block(3))) }
    tiered.sink(tiered.block(3))
    #expect(found.all == [true])
    #expect(tiered.codec.encodes == 1)
    #expect(tiered.isAbove(tiered.block(3)) && !tiered.isBelow(tiered.block(3)))
    #expect(tiered.faults.isEmpty)
  }

  @Test func `a part of a block is found while it is compressed, though another part follows it`() {
    let tiered = TieredSource()
    let isFound = Noted<Bool>()
    tiered.codec.whileEncoding {
      guard isFound.all.isEmpty else { return }
      tiered.put(512..<1024)
      tiered.evictAll()
      isFound.add(tiered.isFound(0..<64))
    }
    tiered.sink(0..<512)
    #expect(isFound.all == [true])
    #expect(tiered.faults.isEmpty)
  }

  @Test func `bytes that come above while the same are compressed are above only`() {
    let tiered = TieredSource()
    tiered.codec.whileEncoding { tiered.put(tiered.block(3)) }
    tiered.sink(tiered.block(3))
    #expect(tiered.isAbove(tiered.block(3)) && !tiered.isBelow(tiered.block(3)))
    #expect(tiered.faults.isEmpty)
  }

  @Test func `bytes that come above after the same arrived below are above only`() {
    let tiered = TieredSource()
    tiered.sink(tiered.block(3))
    #expect(tiered.isBelow(tiered.block(3)))
    tiered.put(tiered.block(3))
    #expect(tiered.isAbove(tiered.block(3)) && !tiered.isBelow(tiered.block(3)))
    #expect(tiered.faults.isEmpty)
  }

  /// A flight that nobody wants any more, but whose read had ended, still publishes; others may have fetched parts of
  /// the same since, and those may be below by now. Seed 8370 of the simulation does this.
  @Test func `bytes that come above and are below in part rest above only`() {
    let tiered = TieredSource()
    tiered.sink(512..<1024)
    tiered.put(0..<700)
    #expect(tiered.faults.isEmpty)
  }

  @Test(arguments: 0..<3) func `what is removed while it is compressed arrives nowhere`(_ kind: Int) {
    let tiered = TieredSource()
    tiered.codec.whileEncoding { tiered.remove(kind) }
    tiered.sink(tiered.block(3))
    #expect(!tiered.isFound(tiered.block(3)))
    #expect(tiered.counts.moving.refused == 1)
    #expect(tiered.counts.compressed.stale == 1)
    #expect(tiered.faults.isEmpty)
  }

  @Test(arguments: 0..<3) func `what is removed while it waits is not compressed`(_ kind: Int) {
    let tiered = TieredSource()
    tiered.put(tiered.block(3))
    tiered.evictAll()
    tiered.remove(kind)
    #expect(!tiered.isFound(tiered.block(3)))
    tiered.executor.run()
    #expect(tiered.codec.encodes == 0)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `a new version retires the old one with chunks on their way`() {
    let tiered = TieredSource()
    for block in 0..<4 { tiered.put(tiered.block(block)) }
    tiered.evictAll()
    #expect(tiered.counts.moving.blocks == 4)
    // While the first of them is compressed.
    tiered.codec.whileEncoding {
      _ = tiered.store.token(of: TieredSource.description(1), on: tiered.token.grid)
      if tiered.store.sources.endReading(tiered.token) { tiered.store.erase(.retired(tiered.token)) }
    }
    tiered.executor.run()
    #expect(!tiered.token.isAlive)
    #expect(tiered.codec.encodes == 1)
    #expect((0..<4).allSatisfy { !tiered.isFound(tiered.block($0)) })
    #expect(tiered.counts.compressed.blocks == 0)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `what finds the queue full is dropped and counted`() {
    let tiered = TieredSource(memory: 40_000) { $0.queueLimit = .bytes(3000) }
    for block in 0..<10 { tiered.put(tiered.block(block)) }
    tiered.evictAll()
    let moving = tiered.counts.moving
    #expect(moving.bytes <= 3000 && moving.blocks == 2)
    #expect(moving.dropped == 8)
    #expect((0..<10).filter { tiered.isFound(tiered.block($0)) }.count == 2)
    #expect(tiered.faults.isEmpty)
  }

  @Test(arguments: [true, false]) func `under pressure nothing is compressed`(_ endsBySignal: Bool) {
    let tiered = TieredSource()
    tiered.put(tiered.block(0))
    tiered.evictAll()
    tiered.store.handleMemoryPressure(.warning)
    #expect(!tiered.isOnItsWay(0))
    #expect(tiered.counts.moving.dropped == 1)
    tiered.clock.advance(by: .seconds(59))
    tiered.sink(tiered.block(1))
    #expect(tiered.codec.encodes == 0)
    #expect(tiered.counts.moving.dropped == 2)
    if endsBySignal { tiered.store.handleMemoryPressure(.normal) } else { tiered.clock.advance(by: .seconds(1)) }
    tiered.sink(tiered.block(2))
    #expect(tiered.isBelow(tiered.block(2)))
    #expect(tiered.faults.isEmpty)
  }

  @Test func `what grew too old on its way is neither found nor moved`() {
    let tiered = TieredSource { $0.ageLimit = .seconds(10) }
    tiered.put(tiered.block(3))
    tiered.evictAll()
    tiered.clock.advance(by: .seconds(9))
    #expect(tiered.store.contains(tiered.block(3), of: tiered.source))
    tiered.clock.advance(by: .seconds(1))
    #expect(!tiered.store.contains(tiered.block(3), of: tiered.source))
    #expect(!tiered.isFound(tiered.block(3)))
    tiered.executor.run()
    #expect(tiered.codec.encodes == 0 && tiered.counts.compressed.blocks == 0)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `a chunk is as old below and above again as it was`() throws {
    let tiered = TieredSource { $0.ageLimit = .seconds(10) }
    tiered.put(tiered.block(3))
    tiered.clock.advance(by: .seconds(4))
    tiered.sink(tiered.block(9))
    #expect(tiered.isBelow(tiered.block(3)))
    for _ in 0..<2 { for piece in tiered.held(tiered.block(3)) { #expect(piece.loader.answeredBytes != nil) } }
    #expect(tiered.isAbove(tiered.block(3)))
    tiered.clock.advance(by: .seconds(6))
    #expect(!tiered.isFound(tiered.block(3)) && tiered.isFound(tiered.block(9)))
  }

  // MARK: up

  @Test func `a piece to promote that is evicted below while it is brought`() throws {
    let tiered = TieredSource()
    tiered.sink(tiered.block(3))
    // Read once before.
    for piece in tiered.held(tiered.block(3)) { #expect(piece.loader.answeredBytes != nil) }
    let piece = try #require(tiered.held(tiered.block(3)).first)
    while tiered.tiers.compressed!.counts().segmentBytes > 0, tiered.tiers.compressed!.evictSegment() {}
    tiered.tiers.compressed!.erase(tiered.block(3), of: tiered.token)
    #expect(!tiered.isBelow(tiered.block(3)))
    #expect(piece.loader.answeredBytes == tiered.expected(tiered.block(3)))
    #expect(tiered.isAbove(tiered.block(3)))
    _ = consume piece
    #expect(tiered.faults.isEmpty)
  }

  @Test(arguments: 0..<3) func `what is removed while it is brought up is served to who waits, and kept nowhere`(
    _ kind: Int
  ) throws {
    let tiered = TieredSource()
    tiered.sink(tiered.block(3))
    _ = tiered.held(tiered.block(3))
    tiered.codec.whileDecoding { tiered.remove(kind) }
    do {
      let piece = try #require(tiered.held(tiered.block(3)).first)
      #expect(piece.loader.answeredBytes == tiered.expected(tiered.block(3)))
    }
    #expect(!tiered.isFound(tiered.block(3)))
    #expect(tiered.counts.memory.reservedBytes == 0)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `what cannot be decoded is a miss, counted and gone`() throws {
    let tiered = TieredSource()
    tiered.sink(tiered.block(3))
    tiered.codec.damage { true }
    do {
      let piece = try #require(tiered.held(tiered.block(3)).first)
      #expect(piece.loader.answeredBytes == nil)
    }
    tiered.codec.damage(if: nil)
    #expect(!tiered.isFound(tiered.block(3)))
    #expect(tiered.counts.compressed.damaged == 1)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `who comes late joins those for whom a block is decompressed`() throws {
    try Simulation.run(seed: 1) { simulation in
      let codec = WatchedCodec()
      var configuration = TieredStore.Configuration(memory: .kibibytes(32), compressed: .kibibytes(32))
      configuration.compressed.codec = codec
      configuration.compressed.inlineLimit = .bytes(0)
      configuration.time = simulation.time
      configuration.background = simulation.configuration.background
      let store = TieredStore(configuration)
      let source = SyntheticSource(byteCount: 4096, compressibility: 0.8)
      let reader = try await RangeReader(
        source, [.caching(store, blockSize: .kibibytes(4))], configuration: simulation.configuration)
      _ = try await reader.read(0..<4096)
      let tiers = try #require(store.memory)
      tiers.memory.giveUp(tiers.memory.ledger.bytes)
      try await simulation.clock.sleep(for: .milliseconds(1))
      #expect(store.counts().compressed.blocks == 1)
      for _ in 0..<4 { try await tiers.compressed!.decodePermits.enter() }
      let first = simulation.start { try await reader.read(0..<4096) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      let late = simulation.start { try await reader.read(100..<200) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      #expect(store.sources.all.map { $0.flights.count } == [1])
      // The one who began it goes; it goes on for the other.
      first.cancel()
      try await simulation.clock.sleep(for: .milliseconds(1))
      for _ in 0..<4 { tiers.compressed!.decodePermits.leave() }
      #expect(try await late.value == source.expected(100..<200))
      #expect(codec.decodes == 1 && source.readCount == 1)
      await #expect(throws: CancellationError.self) { try await first.value }
      await reader.close()
    }
  }

  // MARK: limits

  @Test func `limits are lowered while bytes are on their way up`() async throws {
    let tiered = TieredSource()
    for block in 0..<30 { tiered.put(tiered.block(block)) }
    let ticket = tiered.token.ticket(fetchedAt: tiered.store.now)
    let range = 40 * 1024..<50 * 1024
    let reservation = try #require(
      tiered.store.reserve(range, ofRun: range.count, for: tiered.token))
    let isDone = Locked(false)
    Task(executorPreference: tiered.executor) { [store = tiered.store] in
      try await store.resize(memory: .bytes(8000), compressed: .bytes(12_000))
      isDone.withLock { $0 = true }
    }
    tiered.executor.run()
    let isKept = tiered.store.insert(
      tiered.expected(range), at: range, ticket: ticket, reservation: reservation)
    #expect(isKept)
    tiered.executor.run()
    #expect(isDone.withLock { $0 })
    #expect(tiered.counts.bytes <= 20_000 && tiered.counts.limit == 20_000)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `a larger queue takes room within the limit, not on top of it`() async throws {
    let tiered = TieredSource(memory: 8000, compressed: 52_000)
    // Memory uses what is not used below.
    for block in 0..<60 { tiered.put(tiered.block(block)) }
    #expect(tiered.counts.bytes > 57_000)
    try await tiered.store.resize(memory: .bytes(40_000), compressed: .bytes(20_000))
    #expect(tiered.counts.moving.limit == 10_000)
    #expect(tiered.counts.peakBytes <= 60_000)
    #expect(tiered.counts.bytes <= 60_000)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `what a smaller queue has no room for is counted`() async throws {
    let tiered = TieredSource()
    for block in 0..<8 { tiered.put(tiered.block(block)) }
    tiered.evictAll()
    let chunks = tiered.counts.moving.blocks
    try await tiered.store.resize(memory: .bytes(8000), compressed: .bytes(60_000))
    #expect(chunks > 2 && tiered.counts.moving.dropped == 8)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `what makes room for metadata is moved`() throws {
    let tiered = TieredSource(memory: 24_000, compressed: 20_000)
    for block in 0..<34 { tiered.put(tiered.block(block)) }
    tiered.executor.run()
    let moved = tiered.counts.moving.demoted
    try tiered.store.setMetadata(Bytes(Array(repeating: 7, count: 6000)), of: tiered.source)
    #expect(!tiered.mover.queue.all.isEmpty)
    tiered.executor.run()
    #expect(tiered.counts.moving.demoted > moved && tiered.mover.isIdle)
    #expect(tiered.faults.isEmpty)
  }

  @Test func `a block that was pinned once is not pinned when it comes back up`() throws {
    let tiered = TieredSource()
    let (first, second) = (0..<512, 512..<1024)
    try tiered.store.pin(tiered.block(0), of: tiered.source)
    tiered.put(first)
    tiered.put(second)
    tiered.store.unpin(tiered.block(0), of: tiered.source)
    tiered.evictAll()
    #expect(tiered.isOnItsWay(0))
    // Its memory comes back as it is, a piece at a time.
    #expect(tiered.isFound(first))
    #expect(tiered.counts.memory.pinnedBytes == 0)
    tiered.evictAll()
    #expect(tiered.counts.memory.pinnedBytes == 0 && !tiered.isAbove(first))
    #expect(tiered.faults.isEmpty)
  }

  private struct Missed: Error {}
}

extension TieredSource {
  /// Removes the block numbered 3, by one way of three.
  fileprivate func remove(_ kind: Int) {
    switch kind {
    case 0: store.remove(block(3), of: source)
    case 1: store.remove(source: source.id)
    default: store.removeAll()
    }
  }
}
