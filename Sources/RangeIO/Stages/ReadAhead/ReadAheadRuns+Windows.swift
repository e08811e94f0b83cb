// How far ahead, and in which pieces.

extension ReadAheadRuns {
  static func firstWindow(_ range: ByteRange, _ bounds: Bounds) -> Int {
    let wished = max(min(range.count, longest(range, bounds)) * 2, bounds.grid.blockSize * 2)
    return min(wished, longest(range, bounds))
  }

  /// All that the reader will read, if that is no more than may be prefetched.
  static func announcedWindow(_ range: ByteRange, _ bounds: Bounds) -> Int {
    let rest = bounds.byteCount - range.upperBound
    let longest = longest(range, bounds)
    return rest <= longest ? rest : max(firstWindow(range, bounds), min(bounds.least, longest))
  }

  /// The widest window. If a single read is larger than the limit, the window is one such read, if there is room.
  static func longest(_ range: ByteRange, _ bounds: Bounds) -> Int {
    min(max(bounds.longest, range.count), maxAhead, bounds.room)
  }

  /// Where prefetching begins.
  static func next(after run: Run) -> Int {
    switch run.rule {
    case .forwards: run.last.upperBound
    case .backwards: run.last.lowerBound
    case .strided(let stride): sum(run.last.lowerBound, stride)
    }
  }

  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b < 0 ? -1 : .max) : sum
  }

  /// The ranges to prefetch now: if half of the window is used up, or the source ends within it.
  static func extend(_ run: inout Run, _ bounds: Bounds) -> [ByteRange] {
    switch run.rule {
    case .forwards:
      run.frontier = max(run.frontier, run.last.upperBound)
      let target = min(sum(run.last.upperBound, run.window), bounds.byteCount)
      guard target > run.frontier, isDue(target - run.frontier, run, bounds) || target == bounds.byteCount else {
        return []
      }
      // Ends at the end of a block, or of a piece; begins where the last prefetch ended.
      let end = Self.end(run.frontier..<target, run, bounds)
      defer { run.frontier = end }
      return grown(&run, bounds, cut(run.frontier..<end, run, bounds))
    case .backwards:
      run.frontier = min(run.frontier, run.last.lowerBound)
      let target = max(run.last.lowerBound - run.window, 0)
      guard target < run.frontier, isDue(run.frontier - target, run, bounds) || target == 0 else { return [] }
      let start = bounds.grid.outward(target..<run.frontier, in: bounds.byteCount).lowerBound
      defer { run.frontier = start }
      return grown(&run, bounds, cut(start..<run.frontier, run, bounds).reversed())
    case .strided(let stride): return extend(&run, by: stride, bounds)
    }
  }

  /// Where the pieces of a range end. Of a source that measures what a connection brings the last is as large as the others: each
  /// costs a round trip.
  private static func end(_ range: ByteRange, _ run: Run, _ bounds: Bounds) -> Int {
    let end = bounds.grid.outward(range, in: bounds.byteCount).upperBound
    let whole = end - end % pieceSize(run, bounds)
    return bounds.least > 0 && end < bounds.byteCount && whole > range.lowerBound ? whole : end
  }

  static func extend(_ run: inout Run, by stride: Int, _ bounds: Bounds) -> [ByteRange] {
    let count = run.last.count
    let next = next(after: run)
    let isBehind = stride > 0 ? run.frontier < next : run.frontier > next
    if isBehind { run.frontier = next }
    let most = min(max(1, run.window / count), maxStrides)
    // How many of the reads to come have already been prefetched.
    let ahead = (run.frontier - next) / stride
    guard ahead <= most / 2 else { return [] }
    var ask: [ByteRange] = []
    for _ in 0..<most - ahead {
      guard let range = ByteRanges.range(offset: run.frontier, count: count), range.upperBound <= bounds.byteCount
      else {
        break
      }
      ask.append(range)
      run.frontier = sum(run.frontier, stride)
    }
    return grown(&run, bounds, ask)
  }

  /// True if so many bytes are worth asking for: at least two pieces of the window, or one that keeps a connection busy.
  private static func isDue(_ count: Int, _ run: Run, _ bounds: Bounds) -> Bool {
    count >= (bounds.least > 0 ? min(run.window, pieceSize(run, bounds)) : (run.window + 1) / (bounds.pieces / 2))
  }

  private static func grown(_ run: inout Run, _ bounds: Bounds, _ ask: [ByteRange]) -> [ByteRange] {
    guard !ask.isEmpty else { return [] }
    switch run.pace {
    case .waits: run.window *= 2
    case .ahead: break
    case .falls: run.window = max(run.window - run.window / 8, min(run.window, firstWindow(run.last, bounds)))
    }
    run.window = min(run.window, longest(run.last, bounds))
    return ask
  }

  private static func pieceSize(_ run: Run, _ bounds: Bounds) -> Int {
    let block = bounds.grid.blockSize
    guard bounds.least > 0 else { return max(block, min(run.window / bounds.pieces, 4 << 20) / block * block) }
    // No less than the reader reads at once: each costs a round trip. No more than a cache brings by one request.
    return max(block, min(max(run.window / bounds.pieces, run.last.count), 8 << 20) / block * block)
  }

  /// Cuts a range into pieces that arrive one after the other, each a part of the window and at most 4 MiB.
  private static func cut(_ range: ByteRange, _ run: Run, _ bounds: Bounds) -> [ByteRange] {
    let piece = pieceSize(run, bounds)
    var pieces: [ByteRange] = []
    var cursor = range.lowerBound
    while cursor < range.upperBound {
      // Pieces end at multiples of the piece size, so that only the first and the last can be shorter.
      let step = piece - cursor % piece
      let end = range.upperBound - cursor <= step ? range.upperBound : cursor + step
      pieces.append(cursor..<end)
      cursor = end
    }
    return pieces
  }
}
