extension Counters {
  /// The counts of a stage, each under its name.
  ///
  /// - Parameters:
  ///   - names: of the counters from number zero on.
  ///   - wasted: the number of the counter of wasted bytes.
  init(_ stage: String, _ counters: borrowing Stripes, _ names: String..., wasted: Int? = nil) {
    var counts: [Count] = []
    for (number, name) in names.enumerated() { counts.append(Count(name, counters.sum(number))) }
    var wastedBytes = 0
    if let wasted { wastedBytes = counters.sum(wasted) }
    self.init(stage, counts: counts, wastedBytes: wastedBytes)
  }
}
