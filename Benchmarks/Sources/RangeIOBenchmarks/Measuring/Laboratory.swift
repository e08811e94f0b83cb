import CBenchmarkPeers

/// Does single runs: brings the page cache into the state asked for, verifies it, measures.
struct Laboratory: Sendable {
  let file: BenchmarkFile
  let residency: Residency
  let settings: Settings

  init(_ file: BenchmarkFile, _ settings: Settings) throws {
    self.file = file
    self.settings = settings
    residency = try Residency(file)
  }

  /// Runs `variant` once.
  ///
  /// - Parameters:
  ///   - reads: how many reads; a stream takes no notice.
  ///   - seed: where they are. All contenders of a round get the same.
  /// - Returns: `nil` if the file left the page cache under a resident run, which then means nothing.
  func sample(_ variant: Variant, _ cell: Cell, reads: Int, seed: UInt64) async throws -> Sample? {
    let isCold = cell.temperature == .cold
    let (job, bytes) = job(cell, reads, seed)
    try residency.establish(cell.temperature)
    let before = bench_usage()
    let outcome = try await variant.run(job)
    let after = bench_usage()
    let residentBytes = try residency.residentBytes()
    guard isCold || residentBytes >= file.byteCount else { return nil }
    let count: Double
    if case .reads(let offsets, _, _) = job { count = Double(offsets.count) } else { count = 1 }
    return Sample(
      reads: Int(count), nanoseconds: outcome.elapsed.nanoseconds / count,
      faults: Double(after.minor_faults - before.minor_faults) / count,
      cpuNanoseconds: Double(after.cpu_ns - before.cpu_ns) / count,
      amplification: isCold ? Double(residentBytes) / Double(bytes) : nil, lanes: outcome.lanes)
  }

  private func job(_ cell: Cell, _ reads: Int, _ seed: UInt64) -> (Job, bytes: Int) {
    switch cell.workload {
    case .stream: return (.stream(byteCount: settings.streamByteCount), settings.streamByteCount)
    case .reads(let size, let concurrency):
      let offsets = Offsets.shuffled(
        reads, size: size, fileSize: file.byteCount, cold: cell.temperature == .cold, seed: seed)
      return (.reads(offsets: offsets, size: size, concurrency: concurrency), reads * size)
    }
  }
}

extension Duration {
  /// The whole duration in nanoseconds.
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}
