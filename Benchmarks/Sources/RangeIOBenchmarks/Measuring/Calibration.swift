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
  func entrant(_ contender: Contender, _ cell: Cell, seconds: Double) async throws -> Entrant? {
    let variants = contender.variants(cell)
    var best: (entrant: Entrant, time: Double)?
    for variant in variants {
      var (reads, time) = try await calibrate(variant, cell, seconds)
      if variants.count > 1 {
        // The first run of a configuration pays for starting its threads.
        for _ in 0..<2 { time = min(time, try await repeated(variant, cell, reads, seed: 1).nanoseconds) }
      }
      if let best, time > best.time * 0.97 { continue }
      best = (Entrant(name: contender.name, variant: variant, reads: reads), time)
    }
    return best?.entrant
  }

  /// How many reads make a run of `seconds`, and what one took.
  private func calibrate(_ variant: Variant, _ cell: Cell, _ seconds: Double) async throws -> (Int, Double) {
    guard case .reads(let size, let concurrency) = cell.workload else {
      return (1, try await repeated(variant, cell, 1, seed: 0).nanoseconds)
    }
    let limit =
      cell.temperature == .cold ? Offsets.coldLimit(size: size, fileSize: file.byteCount) : .max
    var reads = min(limit, max(8, 2 * concurrency))
    while true {
      let time = try await repeated(variant, cell, reads, seed: 0).nanoseconds
      let wanted = min(Double(limit), max(Double(2 * concurrency), seconds * 1e9 / time))
      // A run of a quarter of the length is good enough to judge by.
      if Double(reads) >= wanted / 4 { return (Int(wanted), time) }
      reads = min(Int(wanted), reads * 8)
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
