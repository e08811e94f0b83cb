import RangeIOTesting
import SystemPackage

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Does all that a store does, on a disk on which anything may go wrong, and looks at what is left.
struct SpillScript {
  let spill: SimulatedSpill
  private let clock = ManualClock()
  /// Blocks whose removal was acknowledged, and that were not written again.
  private(set) var removed: Set<Int> = []
  /// What the last store believes to be on the disk.
  private(set) var believed: Set<Int> = []
  /// What went wrong that must not.
  private(set) var faults: [String] = []

  static let blocks = 0..<64

  init(syncsEvery: ByteCount? = nil) {
    let clock = clock
    spill = SimulatedSpill(limit: .kibibytes(192)) {
      $0.segmentSize = .kibibytes(32)
      $0.stagingLimit = .kibibytes(64)
      $0.time = ReadClock(clock)
      $0.syncsEvery = syncsEvery
    }
  }

  /// - Returns: the calls that it took.
  @discardableResult mutating func run(in process: SimulatedProcess? = nil) async -> Int {
    let process = process ?? spill.disk.newProcess()
    let before = spill.disk.callCount
    if let store = open(process) {
      await write(0..<12, store)
      await remove(3..<5, store)
      await end(store)
    }
    if let store = open(process) {
      for lower in stride(from: 12, to: 48, by: 6) {
        await write(lower..<lower + 6, store)
        // Twice, so that they are copied on.
        for _ in 0..<2 { look(at: 6..<14, in: store) }
      }
      await remove(40..<42, store)
      await write(40..<41, store)
      await write(48..<54, store)
      store.removeAll()
      if await flush(store) { removed.formUnion(0..<54) }
      await write(54..<64, store)
      await end(store)
    }
    return spill.disk.callCount - before
  }

  private mutating func open(_ process: SimulatedProcess) -> SpillStore? {
    // A breaker that has opened, or a pause, is over.
    clock.advance(by: .seconds(600))
    do throws(ReadError) { return try spill.open(in: process) } catch { return nil }
  }

  private mutating func write(_ blocks: Range<Int>, _ store: SpillStore) async {
    clock.advance(by: .seconds(600))
    let source = FillSource(store.sources)
    for block in blocks where source.put(block, in: store) { removed.remove(block) }
    await flush(store)
    look(at: blocks, in: store)
  }

  private mutating func remove(_ blocks: Range<Int>, _ store: SpillStore) async {
    clock.advance(by: .seconds(600))
    FillSource(store.sources).erase(blocks, in: store)
    if await flush(store) { removed.formUnion(blocks) }
  }

  @discardableResult private mutating func flush(_ store: SpillStore) async -> Bool {
    var isDone = true
    do { try await store.flush() } catch { isDone = false }
    faults += store.miscounts()
    if spill.disk.allocatedByteCount > spill.configuration.limit.bytes { faults.append("more than the limit") }
    return isDone
  }

  private mutating func end(_ store: SpillStore) async {
    believed = Set(Self.blocks.filter { FillSource(store.sources).isIn(store, $0) })
    do { try await store.close() } catch { return }
  }

  private mutating func look(at blocks: Range<Int>, in store: SpillStore) {
    let source = FillSource(store.sources)
    for block in blocks where source.isIn(store, block) {
      if source.served(block..<block + 1, by: store) == nil { faults.append("block \(block) is wrong") }
    }
  }

  /// Opens the directory once more, on a disk that is well again.
  ///
  /// - Parameter isComplete: whether all that was believed to be on the disk must be there.
  mutating func verify(isComplete: Bool) async {
    spill.disk.faults = .none
    guard var store = open(spill.disk.newProcess()) else {
      faults.append("it cannot be opened")
      return
    }
    guard let served = FillSource(store.sources).served(Self.blocks, by: store) else {
      faults.append("wrong bytes")
      return
    }
    let risen = served.intersection(removed)
    if !risen.isEmpty { faults.append("\(risen.sorted()) were removed, and are found") }
    let missing = believed.subtracting(served)
    if isComplete, !missing.isEmpty { faults.append("\(missing.sorted()) are not found") }
    // It is good for what comes.
    await write(60..<64, store)
    await end(store)
    guard let again = open(spill.disk.newProcess()) else {
      faults.append("it cannot be opened again")
      return
    }
    store = again
    if FillSource(store.sources).served(60..<64, by: store) != Set(60..<64) { faults.append("it keeps nothing new") }
  }
}
