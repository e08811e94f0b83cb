/// Bounds the number of segments: each time a process opens the directory, it leaves a segment that is not full.
extension SpillWriter {
  /// Merges the smallest segments into the open one while there are more than twice as many as full ones would fit.
  /// Then the smallest is less than half full, so copying it costs less than half a segment.
  func tidy(_ store: SpillStore) throws(Trouble) {
    let most = max(16, configuration.limit.bytes / configuration.segmentBytes * 2)
    while !isBehind(store), let victim = chooseSmallest(moreThan: most, store) {
      guard try drain(victim, true, store) else { return }
    }
  }

  private func chooseSmallest(moreThan most: Int, _ store: SpillStore) -> Victim? {
    guard let open else { return nil }
    let left = configuration.segmentBytes - open.position - filled - gatheredBytes - open.closingCount - reserved
    return store.state.withLock { state in
      guard state.places.count(where: { $0 != nil }) > most else { return nil }
      let candidates = state.places.indices.filter { index in
        guard let place = state.places[index], place.isSealed, !place.isDraining else { return false }
        // `length` includes the footer: otherwise only a part would be copied, and copied again another time.
        return place.length <= configuration.segmentBytes / 2 && place.length <= left
      }
      guard let smallest = candidates.min(by: { state.places[$0]!.length < state.places[$1]!.length }) else {
        return nil
      }
      state.places[smallest]!.isDraining = true
      return Victim(place: UInt32(smallest), isMerged: true)
    }
  }
}
