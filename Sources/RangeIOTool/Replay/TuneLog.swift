#if Tool
import RangeIO

/// The choices of a tuner during a replay, and the hits that each of its candidates would have had by then, as CSV.
///
/// A line at every change of the choice, and at least one in each hundredth of the trace. The hit ratios are those of
/// recent reads, from 0 to 1.
struct TuneLog {
  private let store: MemoryStore
  /// The bytes of the trace between two lines, if nothing changes.
  private let stride: Int
  private var next: Int
  private var switches = 0
  private(set) var text = ""

  /// - Parameter requestedBytes: of the whole trace.
  init(_ store: MemoryStore, requestedBytes: Int) {
    self.store = store
    stride = max(1, requestedBytes / 100)
    next = stride
  }

  /// To be called after every request.
  mutating func note(_ counts: ReplayCounts) {
    let isDue = counts.requestedBytes >= next
    guard let state = store.tunerState, isDue || state.switches != switches else { return }
    if isDue { next = counts.requestedBytes / stride * stride + stride }
    append(state, counts)
  }

  private mutating func append(_ state: PolicyTuner.State, _ counts: ReplayCounts) {
    guard !state.estimates.isEmpty else { return }
    if text.isEmpty {
      text = "block_reads,hits,changes,chosen,sampled_one_in"
      for estimate in state.estimates { text += ",\"\(estimate.name)\"" }
      text += "\n"
    }
    switches = state.switches
    text += "\(counts.blockAccesses),\(counts.hits),\(switches),\"\(state.estimates[state.chosen].name)\","
    text += "\(state.sampledOneIn)"
    for estimate in state.estimates { text += "," + Figures.decimal(estimate.hitRatio, places: 4) }
    text += "\n"
  }
}
#endif
