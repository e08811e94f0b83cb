import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Everything at once on one store, from many tasks. What must hold meanwhile is checked meanwhile; when all is quiet,
/// every account must equal a recount. Runs under the thread sanitizer as well.
struct MemoryStoreStressTests {
  @Test(arguments: Eviction.all.map(\.name))
  func `many tasks on one store leave accounts that add up`(_ policy: String) async {
    let seed = UInt64(TestScale.firstSeed)
    var configuration = MemoryStore.Configuration(limit: .bytes(Hammer.maxBytes))
    configuration.eviction = Eviction.all.first { $0.name == policy }!
    configuration.shards = 4
    configuration.sourceShare = 0.7
    let store = MemoryStore(configuration)
    let sources = (0..<3).map { StoredSource(store, id: "\($0)", byteCount: 50_000, blockSize: 1024, reading: true) }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          var hammer = Hammer(store: store, sources: sources, random: TestRandom(seed &* 1000 &+ UInt64(worker)))
          await hammer.run(operations: TestScale.stress / 24)
        }
      }
    }
    store.setTimeLimits(age: nil, idle: nil)
    check(store)
    store.removeAll()
    #expect(store.counts().bytes == store.ledger.metadataBytes)
    #expect(store.counts().blocks == 0)
  }

  private final class End: Sendable {
    let hasCome = Locked(false)
  }

  @Test(arguments: [false, true])
  func `a limit that is lowered beside reads is reached, and returns`(isPinned: Bool) async throws {
    var configuration = MemoryStore.Configuration(limit: .mebibytes(1))
    configuration.shards = 8
    let store = MemoryStore(configuration)
    let source = StoredSource(store, byteCount: 1 << 40, reading: true)
    let block = MemoryStore.charge(of: 4096)
    if isPinned {
      try store.pin(source.block(0), of: source.source)
      source.put(source.block(0))
    }
    let low = isPinned ? 2 * block : 0
    let end = End()
    let bytes = Bytes([UInt8](repeating: 1, count: 4096))
    let group = DispatchGroup()
    // Threads of their own, that the scheduler may stop anywhere.
    for reader in 1...3 {
      group.enter()
      let thread = Thread {
        var number = reader << 20
        while !end.hasCome.withLock({ $0 }) {
          number += 1
          let range = source.block(number)
          if let reservation = source.reserve(range) {
            store.insert(bytes, at: range, ticket: source.ticket, reservation: reservation)
          } else {
            sched_yield()
          }
        }
        group.leave()
      }
      thread.start()
    }
    defer {
      end.hasCome.withLock { $0 = true }
      group.wait()
    }
    for _ in 0..<max(500, TestScale.stress / 100) {
      try await store.resize(to: .bytes(low))
      #expect(store.ledger.bytes <= low)
      try await store.resize(to: .mebibytes(1))
      await Task.yield()
    }
  }

  private func check(_ store: MemoryStore) {
    let recount = MemoryRecount(store)
    #expect(recount.faults.isEmpty)
    let statistics = store.counts()
    #expect(statistics.bytes == recount.bytes + store.ledger.metadataBytes)
    #expect(statistics.bytes <= statistics.limit)
    #expect(statistics.peakBytes <= Hammer.maxBytes)
    #expect(statistics.reservedBytes == 0)
    #expect(statistics.pinnedBytes == recount.pinnedBytes)
    #expect(statistics.blocks == recount.entries.count)
    #expect(store.ledger.blocks == recount.entries.count)
    for entry in recount.entries {
      let whole = entry.token.grid.range(of: entry.block, in: entry.token.source.byteCount)
      #expect(entry.isPinned == entry.token.entry.pins(whole), "block \(entry.block)")
      for piece in entry.pieces {
        let range = whole.lowerBound + piece.range.lowerBound..<whole.lowerBound + piece.range.upperBound
        #expect(piece.bytes == SyntheticSource.bytes(range))
      }
    }
  }
}

/// One task's share of the operations.
private struct Hammer {
  static let maxBytes = 60_000

  let store: MemoryStore
  let sources: [StoredSource]
  var random: TestRandom

  mutating func run(operations: Int) async {
    for _ in 0..<operations { await operate() }
  }

  private mutating func operate() async {
    let source = sources[random.below(3)]
    let start = random.below(50_000)
    let range = start..<min(50_000, start + 1 + random.below(3000))
    switch random.below(64) {
    case 0..<24: look(source, range)
    case 24..<46: await put(source, range)
    case 46: store.remove(range, of: source.source)
    case 47: store.remove(source: source.source.id)
    case 48, 49: try? store.pin(start..<min(50_000, start + 500), of: source.source)
    case 50, 51, 52: store.unpin(0..<50_000, of: source.source)
    case 53: try? store.setMetadata(Bytes(random.array(random.below(100))), of: source.source)
    case 54: try? await store.trim(to: .bytes(random.below(Self.maxBytes)))
    case 55: try? await store.resize(to: .bytes(Self.maxBytes / 2 + random.below(Self.maxBytes / 2)))
    case 56: store.handleMemoryPressure(.warning)
    case 57: await removeAll()
    case 58: store.setTimeLimits(age: .microseconds(1 + random.below(5000)), idle: nil)
    case 59: store.setTimeLimits(age: nil, idle: .microseconds(1 + random.below(5000)))
    case 60: store.setTimeLimits(age: nil, idle: nil)
    case 61: store.change(.expire)
    case 62:
      for cached in store.cachedRanges(of: source.source, within: range) {
        #expect(cached.clamped(to: range) == cached)
      }
    default: #expect(store.counts().peakBytes <= Self.maxBytes)
    }
  }

  private func look(_ source: StoredSource, _ range: ByteRange) {
    switch source.look(range) {
    case .hit(let bytes): #expect(bytes == source.expected(range))
    case .partial(let pieces, _, let gaps):
      for piece in pieces { #expect(piece.bytes == source.expected(piece.range)) }
      #expect(ByteRanges.normalize(pieces.map(\.range) + gaps) == [range])
    case .miss: break
    }
  }

  private mutating func put(_ source: StoredSource, _ range: ByteRange) async {
    let ticket = source.ticket
    guard let reservation = source.reserve(range) else { return }
    if random.below(4) == 0 { await Task.yield() }
    if random.below(8) == 0 { store.cancel(reservation) } else { source.insert(range, reservation, ticket) }
  }

  private mutating func removeAll() async {
    let steps = random.below(3)
    var removal = store.removeAll().makeAsyncIterator()
    for _ in 0..<steps { _ = await removal.next(isolation: #isolation) }
  }
}
