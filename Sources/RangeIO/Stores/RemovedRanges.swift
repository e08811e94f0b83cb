/// The ranges of one source that were removed, each with the generation in which that ended. A few are enough: where they
/// are too many, neighbors become one, and what lies between them counts as removed, which only costs time.
struct RemovedRanges {
  private struct Removal {
    var range: ByteRange
    /// Bytes of an older generation are removed, or about to be. `.max` while the removal runs.
    var end: UInt64
  }

  private var running: [Removal] = []
  /// In order, disjoint, and not touching.
  private var ended: [Removal] = []

  /// The most removals that are remembered one by one.
  static let maxCount = 32

  /// The removals that ended and are remembered.
  var count: Int { ended.count }

  mutating func begin(_ range: ByteRange) { running.append(Removal(range: range, end: .max)) }

  mutating func end(_ range: ByteRange, at generation: UInt64) {
    guard let index = running.firstIndex(where: { $0.range == range }) else { return }
    running.remove(at: index)
    add(range, endingAt: generation)
  }

  /// Adds a removal that ends at once.
  mutating func add(_ range: ByteRange, endingAt generation: UInt64) {
    guard !range.isEmpty else { return }
    // Generations only rise, so that a union has the last one.
    var union = range
    ended.removeAll { old in
      guard old.range.lowerBound <= union.upperBound, union.lowerBound <= old.range.upperBound else { return false }
      union = min(old.range.lowerBound, union.lowerBound)..<max(old.range.upperBound, union.upperBound)
      return true
    }
    let place = ended.firstIndex { $0.range.lowerBound > union.lowerBound } ?? ended.count
    ended.insert(Removal(range: union, end: generation), at: place)
    if ended.count > Self.maxCount { joinNearest() }
  }

  private mutating func joinNearest() {
    func gap(_ index: Int) -> Int { ended[index + 1].range.lowerBound - ended[index].range.upperBound }
    guard let first = (0..<ended.count - 1).min(by: { gap($0) < gap($1) }) else { return }
    let second = ended.remove(at: first + 1)
    ended[first].range = ended[first].range.lowerBound..<second.range.upperBound
    ended[first].end = max(ended[first].end, second.end)
  }

  /// Checks whether some of `range` was removed after bytes of this generation were requested.
  func overlaps(_ range: ByteRange, since generation: UInt64) -> Bool {
    func matters(_ removal: Removal) -> Bool { removal.end > generation && removal.range.overlaps(range) }
    return running.contains(where: matters) || ended.contains(where: matters)
  }
}
