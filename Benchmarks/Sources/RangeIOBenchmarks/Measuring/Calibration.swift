/// One contender in one cell: which configuration takes part, and how many reads it does a run.
struct Entrant: Sendable {
  let name: Contender.Name
  let variant: Variant
  let reads: Int
}

extension Laboratory {
  /// Tries every configuration of `contender` and picks the fastest.
  ///
  /// A later one must be 3% faster to be preferred to an earlier one, so that noise does not choose.
  ///
  /// - Returns: `nil` for a contender that does not do such reads.
  func entrant(_ contender: Contender, _ cell: Cell) async throws -> Entrant? {
    let variants = contender.variants(cell)
    var best: (entrant: Entrant, time: Double)?
    for variant in variants {
      let reads = try await calibrate(variant, cell)
      let entrant = Entrant(name: contender.name, variant: variant, reads: reads)
      if variants.count == 1 { return entrant }
      var time = Double.infinity
      for trial in 0..<settings.trials {
        time = min(time, try await repeated(variant, cell, reads, seed: UInt64(trial)).nanoseconds)
      }
      if let best, time > best.time * 0.97 { continue }
      best = (entrant, time)
    }
    return best?.entrant
  }

  /// How many reads make a run of the length asked for. A stream is one.
  private func calibrate(_ variant: Variant, _ cell: Cell) async throws -> Int {
    guard case .reads(let size, let concurrency) = cell.workload else { return 1 }
    if let exact = cell.topic?.exactReads { return exact }
    let limit = cell.mostReads(size, fileSize: extent(cell))
    var reads = min(limit, max(8, 2 * concurrency))
    while true {
      let time = try await repeated(variant, cell, reads, seed: 0).nanoseconds
      let wanted = min(Double(limit), max(Double(2 * concurrency), settings.secondsPerRun * 1e9 / time))
      // A run of a quarter of the length is good enough to judge by; a short one pays for starting threads.
      if Double(reads) >= wanted / 4 { return Int(wanted) }
      reads = min(Int(wanted), reads * 64)
    }
  }

  /// A sample, in as many attempts as the page cache needs.
  func repeated(_ variant: Variant, _ cell: Cell, _ reads: Int, seed: UInt64) async throws -> Sample {
    for _ in 0..<5 {
      if let sample = try await sample(variant, cell, reads: reads, seed: seed) { return sample }
    }
    throw Residency.Uncontrollable(temperature: .resident)
  }
}
