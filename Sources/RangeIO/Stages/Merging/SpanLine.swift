/// The ranges of one read in a line, and the ways to divide it into spans. It deals with numbers only: a span is a range of
/// indices of atoms.
struct SpanLine {
  /// The parts that must not be cut, in order and disjoint; at least one.
  let atoms: [SpanPlanner.Span]
  /// For each atom, the bytes before it that belong to none.
  private let unasked: [Int]
  /// The most bytes in a span of several atoms.
  let longest: Int
  /// The most of them that belong to none.
  private let maxOverRead: Int

  /// - Parameter inEach: the most bytes that belong to no atom in a span, if there are more than `maxOverRead` in all.
  init(_ atoms: [SpanPlanner.Span], longest: Int, maxOverRead: Int, inEach: Int) {
    (self.atoms, self.longest) = (atoms, longest)
    var unasked = [0]
    unasked.reserveCapacity(atoms.count)
    for (before, atom) in zip(atoms, atoms.dropFirst()) {
      unasked.append(unasked[unasked.count - 1] + (atom.range.lowerBound - before.range.upperBound))
    }
    self.unasked = unasked
    self.maxOverRead = unasked[atoms.count - 1] > maxOverRead ? inEach : .max
  }

  /// The bytes of all atoms.
  var askedBytes: Int { byteCount(atoms.indices) - unasked[atoms.count - 1] }

  /// The bytes between each atom and the next.
  var gaps: [Int] { zip(unasked, unasked.dropFirst()).map { $1 - $0 } }

  func byteCount(_ span: Range<Int>) -> Int {
    atoms[span.upperBound - 1].range.upperBound - atoms[span.lowerBound].range.lowerBound
  }

  private func overReadBytes(_ span: Range<Int>) -> Int { unasked[span.upperBound - 1] - unasked[span.lowerBound] }

  func overReadBytes(_ spans: [Range<Int>]) -> Int { spans.reduce(0) { $0 + overReadBytes($1) } }

  func spans(_ spans: [Range<Int>]) -> [SpanPlanner.Span] {
    spans.map {
      let (first, last) = (atoms[$0.lowerBound], atoms[$0.upperBound - 1])
      return SpanPlanner.Span(
        range: first.range.lowerBound..<last.range.upperBound, asked: first.asked.lowerBound..<last.asked.upperBound)
    }
  }

  private func isTooLong(_ span: Range<Int>, _ longest: Int) -> Bool {
    span.count > 1 && (byteCount(span) > longest || overReadBytes(span) > maxOverRead)
  }

  /// The spans with the least sum of their bytes and a `gap` for each, by dynamic programming: the cost up to an atom is the cost
  /// up to an earlier atom, plus one span from there. The cheapest choice is the minimum of a sliding window. A queue whose
  /// keys rise from front to back has it at the front.
  ///
  /// - Parameter longest: the most bytes in a span of several atoms, if that is less than ``longest``.
  /// - Complexity: O(n).
  func cheapest(gap: Int, longest: Int = .max) -> [Range<Int>] {
    let longest = min(longest, self.longest)
    /// The cost of all spans beyond the requested bytes if one span begins with this atom, without the bytes in that
    /// span.
    func key(_ index: Int) -> Int { costs[index] - unasked[index] }
    // Before each atom, and after the last.
    var costs = [0]
    var begins: [Int] = []
    costs.reserveCapacity(atoms.count + 1)
    begins.reserveCapacity(atoms.count)
    var queue: [Int] = []
    var front = 0
    for index in atoms.indices {
      // Of equal keys the earlier one stays, which means fewer spans.
      while queue.count > front, key(queue[queue.count - 1]) > key(index) { queue.removeLast() }
      queue.append(index)
      while isTooLong(queue[front]..<index + 1, longest) { front += 1 }
      costs.append(key(queue[front]) + unasked[index] + gap)
      begins.append(queue[front])
    }
    var spans: [Range<Int>] = []
    var end = atoms.count
    while end > 0 {
      spans.append(begins[end - 1]..<end)
      end = begins[end - 1]
    }
    return spans.reversed()
  }

  /// Joins neighbouring spans, the nearest first, until so many bytes more are over-read. Without this, of several gaps of
  /// the same width either all or none would be read over.
  func join(_ spans: [Range<Int>], within gap: Int, bytes: Double) -> [Range<Int>] {
    func width(_ index: Int) -> Int {
      atoms[spans[index + 1].lowerBound].range.lowerBound - atoms[spans[index].upperBound - 1].range.upperBound
    }
    func stretch(_ first: Int, _ last: Int) -> Range<Int> { spans[first].lowerBound..<spans[last].upperBound }
    // The first and the last span of each joined stretch point to each other.
    var firsts = Array(spans.indices)
    var lasts = firsts
    var bytes = bytes
    for index in (0..<spans.count - 1).sorted(by: { (width($0), $0) < (width($1), $1) }) {
      guard width(index) < gap, Double(width(index)) <= bytes else { break }
      let (first, last) = (firsts[index], lasts[index + 1])
      guard !isTooLong(stretch(first, last), longest) else { continue }
      (lasts[first], firsts[last]) = (last, first)
      bytes -= Double(width(index))
    }
    var joined: [Range<Int>] = []
    var index = 0
    while index < spans.count {
      joined.append(stretch(index, lasts[index]))
      index = lasts[index] + 1
    }
    return joined
  }
}
