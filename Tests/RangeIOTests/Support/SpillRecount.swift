@testable import RangeIO

extension SpillStore {
  /// What a store that nobody uses at the moment counts wrong, in words.
  func miscounts() -> [String] {
    state.withLock { state in
      var wrong: [String] = []
      let used = state.sources.used.map { state.sources[$0] }
      let staged = used.reduce(0) { $0 + $1.staged }
      if staged != state.staging.count { wrong.append("\(staged) chunks wait, not \(state.staging.count)") }
      let blocks = used.reduce(0) { $0 + $1.blocks }
      if blocks != state.table.count { wrong.append("sources have \(blocks) blocks, the index \(state.table.count)") }
      let open = state.places.indices.filter { state.places[$0]?.isSealed == false }
      let known = writer.open.map { [Int($0.place)] } ?? []
      if open != known { wrong.append("segments \(open) are open, the writer has \(known)") }
      if state.places.contains(where: { $0?.isDraining == true }) { wrong.append("a segment is being let go of") }
      var live = [Int](repeating: 0, count: state.places.count)
      for slot in 1..<max(1, state.table.slotsUsed) where state.table[UInt32(slot)].isUsed {
        live[Int(state.table[UInt32(slot)].segment)] += state.table[UInt32(slot)].span
      }
      for (place, bytes) in live.enumerated() where (state.places[place]?.liveBytes ?? 0) != bytes {
        wrong.append("segment \(place) has \(bytes) bytes that are found, not \(state.places[place]?.liveBytes ?? 0)")
      }
      return wrong
    }
  }
}
