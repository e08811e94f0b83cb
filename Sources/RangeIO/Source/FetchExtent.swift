/// The number of blocks to fetch around a small range of a source whose requests cost a round trip: as many as later reads have use
/// for. A value: ranges that were missing go in, numbers of blocks come out.
///
/// It begins with the blocks of the range, or with exactly the range where the link brings a block in more than a quarter of a
/// round trip. It doubles while so many of the last ranges lie beside what was fetched before
/// them that twice as much would have saved more time than it costs. After some fetches in a row that say nothing of the
/// kind it halves, down to nothing but the range; then it is ranges within one block that make it a block again. So each
/// size is tried again now and then, the less often the better the one above it does.
package struct FetchExtent: Sendable {
  /// The blocks that are fetched around a range, a power of two; zero: none, exactly the range.
  package private(set) var blocks = 1
  /// The share of the last ranges that twice as much would have brought before.
  private var spared = 0.0
  /// The fetches after which it halves, and how many of them are left.
  private var run = Self.minRun
  private var left = Self.minRun
  private var hasFallen = false
  private var hasRisen = false
  /// The blocks asked for last, each plus one at its number modulo the size. Far more of them fit no default store.
  private var asked: [UInt32] = []

  private static let minRun = 8
  private static let maxRun = 512
  /// The weight of one range.
  private static let weight = 0.25
  /// Two ranges in a row.
  private static let minEvidence = 0.4
  /// The most that a block may be of a request's time before later reads have shown a use for it: a quarter of a round trip.
  private static let mostUnproven = 0.2
  private static let remembered = 1024
  /// The most blocks of one range, at each of its ends, that are remembered.
  private static let maxNoted = 64

  /// A range can be anywhere.
  package init() {}

  /// Decides for a range that is to be fetched, and remembers it.
  ///
  /// - Parameters:
  ///   - most: the most bytes that are worth fetching around a range.
  ///   - cost: as far as is known.
  /// - Returns: ``blocks``.
  /// - Complexity: O(1); constant memory, of 4 KiB.
  package mutating func next(
    _ range: ByteRange, on grid: BlockGrid, most: Int, _ cost: SourceDescription.Cost
  ) -> Int {
    let covered = grid.blocks(covering: range)
    guard !covered.isEmpty else { return blocks }
    let most = max(1, most >> grid.shift)
    while blocks > most { blocks /= 2 }
    if !hasRisen, blocks == 1, Self.share(of: grid.blockSize, cost) > Self.mostUnproven { blocks = 0 }
    spared += Self.weight * ((isNear(covered) ? 1 : 0) - spared)
    let wider = max(1, blocks * 2)
    if spared > Self.leastShare(of: wider << grid.shift, cost) {
      if wider <= most { rise(to: wider) }
      left = run
    } else if blocks > 0 {
      left -= 1
      if left == 0 { fall() }
    }
    note(covered)
    return blocks
  }

  private mutating func rise(to wider: Int) {
    if hasFallen { run = min(run * 2, Self.maxRun) }
    (hasFallen, hasRisen) = (false, true)
    (blocks, spared) = (wider, 0)
  }

  private mutating func fall() {
    if hasFallen { run = Self.minRun }
    hasFallen = true
    (blocks, spared, left) = (blocks / 2, 0, run)
  }

  /// The share of ranges that must lie near others, so that it costs no time to fetch so many bytes with each. And more than
  /// one range shows by chance.
  private static func leastShare(of byteCount: Int, _ cost: SourceDescription.Cost) -> Double {
    max(minEvidence, share(of: byteCount, cost))
  }

  /// The share of a request's time in which so many bytes come.
  private static func share(of byteCount: Int, _ cost: SourceDescription.Cost) -> Double {
    let transfer = Double(byteCount) / max(cost.rate, 1)
    let latency = Double(cost.latency.nanoseconds) * 1e-9
    return transfer > 0 ? transfer / (max(0, latency) + transfer) : 0
  }

  /// True if twice as much around an earlier range would have brought some of these blocks.
  private func isNear(_ covered: Range<Int>) -> Bool {
    guard !asked.isEmpty else { return false }
    let last = covered.upperBound - 1
    // Of several blocks, what is missing lies beside one that was asked for.
    if blocks == 0 || covered.count > 1, wasAsked(covered.lowerBound) || wasAsked(last) { return true }
    guard blocks > 0 else { return false }
    return (1...blocks).contains { wasAsked(covered.lowerBound - $0) || wasAsked(last &+ $0) }
  }

  private func wasAsked(_ block: Int) -> Bool {
    block >= 0 && asked[block % Self.remembered] == UInt32(truncatingIfNeeded: block &+ 1)
  }

  private mutating func note(_ covered: Range<Int>) {
    if asked.isEmpty { asked = Array(repeating: 0, count: Self.remembered) }
    for block in covered.prefix(Self.maxNoted) { note(block) }
    for block in covered.suffix(Self.maxNoted) { note(block) }
  }

  private mutating func note(_ block: Int) {
    asked[block % Self.remembered] = UInt32(truncatingIfNeeded: block &+ 1)
  }
}
