import SystemPackage

/// Room for a segment: within the limit, above the floor, and beside other processes.
extension SpillWriter {
  /// Takes room for a segment within the limit and above the floor of the disk's free space.
  func takeSpace(_ size: Int, _ store: SpillStore) throws(Trouble) {
    while !ledger.take(size) {
      store.state.withLock { $0.isFull = true }
      guard dropsOldest, try drainSegment(copying: false, store) else { throw .noRoom }
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
      // No more goes than is missing: some file systems tell of freed space a while later.
      let most = missing ?? configuration.freeSpaceFloor.bytes + size - free
      missing = most
      var isDrained = false
      if dropsOldest, before - ledger.bytes < most {
        do throws(Trouble) { isDrained = try drainSegment(copying: false, store) } catch {
          ledger.give(size)
          throw error
        }
      }
      guard isDrained else {
        ledger.give(size)
        throw .noRoom
      }
    }
  }

  /// Waits for a turn to take room that is shared with other processes.
  func shareSpace(_ size: Int, _ store: SpillStore) throws(Trouble) -> SpillQuota.Turn? {
    guard let quota else { return nil }
    while true {
      let turn: SpillQuota.Turn?
      do throws(Errno) {
        turn = try quota.enter(size)
      } catch {
        ledger.give(size)
        throw .failed(error)
      }
      if let turn { return turn }
      var isDrained = false
      if dropsOldest {
        do throws(Trouble) { isDrained = try drainSegment(copying: false, store) } catch {
          ledger.give(size)
          throw error
        }
      }
      guard isDrained else {
        ledger.give(size)
        throw .noRoom
      }
    }
  }
}
