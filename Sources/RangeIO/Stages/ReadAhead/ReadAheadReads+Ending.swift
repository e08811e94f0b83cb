// How pieces leave: read, or given up.

extension ReadAheadReads {
  /// Releases everything and stops prefetching.
  func end() {
    state.withLock { $0.isOver = true }
    giveUp()
  }

  /// A reader is closed. Others that share the stage read on.
  func end(_ reader: ObjectIdentifier) {
    drop { _ in { $0.reader == reader } }
  }

  func giveUp() {
    drop { state in
      _ = state.runs.endAll()
      return { _ in true }
    }
  }

  /// The caller will not read `range`.
  func discard(_ range: ByteRange) {
    drop { _ in { range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound } }
  }

  /// A stream is over whose last read ended at one of `offsets`.
  func leave(at offsets: ClosedRange<Int>) {
    drop { state in
      let ended = state.runs.end(at: offsets)
      return { ended.contains($0.run) }
    }
  }

  /// Records that `range` is read.
  func use(_ range: ByteRange, _ state: inout State, _ freed: inout Freed) {
    var isAny = false
    for index in state.pieces.indices {
      guard let part = ByteRanges.intersection(state.pieces[index].range, range) else { continue }
      let used = min(part.count, state.pieces[index].unused)
      state.pieces[index].unused -= used
      counters.add(used, .used)
      isAny = true
    }
    guard isAny else { return }
    state.pieces.removeAll { piece in
      // The run has read to the end of the piece. Parts that it skipped are usually not read later.
      let end = piece.isBackwards ? piece.range.lowerBound : piece.range.upperBound - 1
      guard piece.range.overlaps(range), range.contains(end) || piece.unused == 0 else { return false }
      counters.add(piece.unused, .wasted)
      freed.add(piece)
      return true
    }
  }

  /// Releases the pieces for which `which` returns a test, and cancels what of them is in flight.
  private func drop(_ which: (inout State) -> (Piece) -> Bool) {
    var freed = Freed()
    let tasks = state.withLock { state in
      let isDropped = which(&state)
      return drop(&state, &freed, isDropped)
    }
    release(freed)
    for task in tasks { task.cancel() }
  }

  /// Returns the tasks to cancel.
  func drop(_ state: inout State, _ freed: inout Freed, _ isDropped: (Piece) -> Bool) -> [Task<Void, Never>] {
    var tasks: [Task<Void, Never>] = []
    state.pieces.removeAll { piece in
      guard isDropped(piece) else { return false }
      counters.add(piece.unused, .wasted)
      freed.add(piece)
      if let task = piece.task { tasks.append(task) }
      return true
    }
    return tasks
  }
}
