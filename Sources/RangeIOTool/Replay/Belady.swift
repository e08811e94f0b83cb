#if Tool
/// The optimum: the most hits that any cache can have that knows all reads in advance.
///
/// A block that is read and does not fit replaces the one that is needed last, unless that is the block itself, which
/// is then not kept. Keeping is optional because a cache may refuse blocks; a count that forces each block in would not
/// bound such a cache.
///
/// Exact for blocks of one size. One pass for each capacity: O(n log n) time, 9 bytes for each read at most.
///
/// Source: L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5,
/// 1966; that the block needed last is the one to lose: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger,
/// "Evaluation techniques for storage hierarchies", IBM Systems Journal 9, 1970.
struct Belady {
  private let reads: BlockReads
  /// The place of the next read of the same block; `Int32.max` if there is none.
  private let next: [Int32]

  init(_ reads: BlockReads) {
    self.reads = reads
    var next = [Int32](repeating: .max, count: reads.numbers.count)
    var latest = [Int32](repeating: .max, count: reads.uniqueCount)
    for place in reads.numbers.indices.reversed() {
      next[place] = latest[Int(reads.numbers[place])]
      latest[Int(reads.numbers[place])] = Int32(place)
    }
    self.next = next
  }

  /// The hits of the best cache with room for `capacity` blocks.
  func hits(capacity: Int) -> Int {
    var isKept = [Bool](repeating: false, count: reads.uniqueCount)
    var keptCount = 0
    var hits = 0
    // When each kept block is needed. Entries for reads that are past stay below all others, and are never taken.
    var needs = MaximumHeap()
    for (place, number) in reads.numbers.enumerated() {
      let block = Int(number)
      let need = next[place]
      if isKept[block] {
        hits += 1
        if need == .max {
          isKept[block] = false
          keptCount -= 1
        } else {
          needs.push(need)
        }
        continue
      }
      guard need != .max else { continue }
      if keptCount == capacity {
        guard let last = needs.first, last > need else { continue }
        isKept[Int(reads.numbers[Int(last)])] = false
        needs.replaceFirst(with: need)
      } else {
        keptCount += 1
        needs.push(need)
      }
      isKept[block] = true
    }
    return hits
  }
}

/// A binary heap with the largest number first.
private struct MaximumHeap {
  private var numbers: [Int32] = []

  var first: Int32? { numbers.first }

  mutating func push(_ number: Int32) {
    var place = numbers.count
    numbers.append(number)
    while place > 0, case let parent = (place - 1) / 2, numbers[parent] < number {
      numbers[place] = numbers[parent]
      place = parent
    }
    numbers[place] = number
  }

  /// - Precondition: the heap is not empty.
  mutating func replaceFirst(with number: Int32) {
    var place = 0
    while case var child = 2 * place + 1, child < numbers.count {
      if child + 1 < numbers.count, numbers[child + 1] > numbers[child] { child += 1 }
      guard numbers[child] > number else { break }
      numbers[place] = numbers[child]
      place = child
    }
    numbers[place] = number
  }
}
#endif
