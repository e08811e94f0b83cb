import SystemPackage

/// Room for a segment: within the limit, above the minimum of free disk space, and beside other processes.
extension SpillWriter {
  /// Takes room for a segment, within the limit and above the minimum of free disk space.
  func takeSpace(_ size: Int, _ store: SpillStore) throws(Trouble) {
    while !ledger.take(size) {
      store.state.withLock { $0.isFull = true }
      guard dropsOldest else { throw .noRoom }
      if try drainSegment(copying: false, store) { continue }
      // Try again after asking readers to notify: one may have released a segment just now.
      ledger.awaitRoom()
      if ledger.take(size) { break }
      if try drainSegment(copying: false, store) { continue }
      awaitsReaders = store.state.withLock { $0.isReadFrom(charged: ledger.bytes) }
      if !awaitsReaders, try drainSegment(copying: false, store) { continue }
      throw .noRoom
    }
    let before = ledger.bytes
    var missing: Int?
    while true {
      let free: Int
      do throws(Errno) { free = try directory.freeByteCount() } catch {
        ledger.give(size)
        throw .failed(error)
      }
      if free - size >= configuration.freeSpaceFloor.bytes { return }
      // Frees no more than is missing, since some file systems report freed space only later.
      let (wanted, overflow) = configuration.freeSpaceFloor.bytes.addingReportingOverflow(size)
      let most = missing ?? (overflow ? .max : wanted) - max(0, free)
      missing = most
      try drainOldest(before - ledger.bytes < most, for: size, store)
    }
  }

  /// Waits for a turn to take room that is shared with other processes.
  func shareSpace(_ size: Int, _ store: SpillStore) throws(Trouble) -> SpillQuota.Turn? {
    guard let quota else { return nil }
    while true {
      let answer: SpillQuota.Answer
      do throws(Errno) {
        // Slow processes do not mean that this disk is sick.
        takeTime(store)
        defer { goOn(store) }
        answer = try files.withDescriptors { () throws(Errno) in try quota.enter(size) }
      } catch {
        ledger.give(size)
        throw .failed(error)
      }
      switch answer {
      case .turn(let turn): return turn
      case .full: try drainOldest(true, for: size, store)
      case .busy:
        ledger.give(size)
        throw .busy
      }
    }
  }

  /// Frees a segment for `size` charged bytes. If none may be freed, gives them back and throws.
  private func drainOldest(_ mayGo: Bool, for size: Int, _ store: SpillStore) throws(Trouble) {
    do throws(Trouble) {
      guard dropsOldest, mayGo, try drainSegment(copying: false, store) else { throw .noRoom }
    } catch {
      ledger.give(size)
      throw error
    }
  }
}
