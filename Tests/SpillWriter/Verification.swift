import RangeIO
import RangeIOTesting
import RangeIOTiers

/// Opens the directory of a process that was killed, and compares what is there with what it said.
struct Verification {
  let directory: String
  let journal: String

  init(_ directory: String, journal: String) {
    self.directory = directory
    self.journal = journal
  }

  /// A block that no writer writes.
  private static let fresh = 1 << 27

  private enum Fate { case stays, mayStay, isGone }

  func run() async throws {
    let fates = try fates()
    var configuration = SpillStore.Configuration(
      known: directory, limit: .gibibytes(1), segmentSize: .kibibytes(256))
    // A clock that stands still: where the disk of a busy machine takes a second, the store would leave it alone.
    configuration.time = ReadClock(ManualClock())
    let store = try await SpillStore.open(configuration)
    let blocks = KnownBlocks(store)
    var (wanted, found, wrong, risen) = (0, 0, 0, 0)
    for (block, fate) in fates {
      let (isFound, isRight) = await blocks.read(block, in: store)
      if !isRight { wrong += 1 }
      if fate == .stays {
        wanted += 1
        if isFound { found += 1 }
      }
      if fate == .isGone, isFound { risen += 1 }
    }
    // It can be used again, too.
    guard blocks.put(Self.fresh, in: store) else { fatalError("a new block was refused") }
    try await store.flush()
    if await blocks.read(Self.fresh, in: store) != (true, true) {
      let token = blocks.token
      let why = store.explain(blocks.range(Self.fresh), token: token.number, grid: token.grid)
      fatalError("a new block was not kept: \(why); \(store.statistics())")
    }
    try await store.close()
    print("\(wanted) flushed, \(found) found, \(wrong) wrong, \(risen) removed and found")
  }

  private func fates() throws -> [Int: Fate] {
    var fates: [Int: Fate] = [:]
    var isFull = false
    for line in try Journal.lines(journal) {
      switch line {
      case .written(let blocks): for block in blocks { fates[block] = isFull ? .mayStay : .stays }
      case .removing(let blocks): for block in blocks { fates[block] = .mayStay }
      case .removed(let blocks): for block in blocks { fates[block] = .isGone }
      case .full:
        isFull = true
        for (block, fate) in fates where fate == .stays { fates[block] = .mayStay }
      case .clearing: for block in fates.keys { fates[block] = .mayStay }
      case .cleared:
        isFull = false
        for block in fates.keys { fates[block] = .isGone }
      case .end: break
      }
    }
    return fates
  }
}
