import CBenchmarkPeers

/// Does single runs: brings the page cache into the state asked for, verifies it, measures.
struct Laboratory: Sendable {
  /// Nil where no file takes part.
  private let file: BenchmarkFile?
  private let residency: Residency?
  let settings: Settings

  init(_ file: BenchmarkFile?, _ settings: Settings) throws {
    self.file = file
    self.settings = settings
    residency = try file.map { try Residency($0) }
  }

  /// How many bytes from the start of the file, or of what stands for it, the cell reads.
  func extent(_ cell: Cell) -> Int { cell.extent ?? file?.byteCount ?? 0 }

  /// Throws unless the page cache can be made to do what `cells` need.
  func check(_ cells: [Cell]) throws {
    for cell in cells { try residency?.establish(cell.temperature, extent(cell)) }
  }

  /// Runs `variant` once.
  ///
  /// - Parameters:
  ///   - reads: how many reads; a stream takes no notice.
  ///   - seed: where they are. All contenders of a round get the same.
  /// - Returns: `nil` if the file left the page cache under a resident run, which then means nothing.
  func sample(_ variant: Variant, _ cell: Cell, reads: Int, seed: UInt64) async throws -> Sample? {
    let isCold = cell.temperature == .cold
    let extent = extent(cell)
    let (job, bytes) = job(cell, reads, seed)
    // A guest that has given free pages back to its host pays for each that it takes again. Those that the file has just left are
    // not given back yet, so that all contenders find the same.
    if isCold, cell.workload == .stream { try residency?.establish(.resident, extent) }
    try residency?.establish(cell.temperature, extent)
    let before = bench_usage()
    let outcome = try await variant.run(job)
    let usage = outcome.usage ?? bench_usage() - before
    let residentBytes = cell.temperature == .memory ? 0 : try residency?.residentBytes(extent) ?? 0
    guard cell.temperature != .resident || residentBytes >= extent else { return nil }
    let count: Double
    if case .reads(let offsets, _, _) = job { count = Double(outcome.reads ?? offsets.count) } else { count = 1 }
    return Sample(
      reads: Int(count), nanoseconds: outcome.elapsed.nanoseconds / count,
      faults: Double(usage.minor_faults) / count,
      cpuNanoseconds: Double(usage.cpu_ns) / count,
      amplification: isCold ? Double(residentBytes) / Double(bytes) : nil, lanes: outcome.lanes,
      source: outcome.source)
  }

  private func job(_ cell: Cell, _ reads: Int, _ seed: UInt64) -> (Job, bytes: Int) {
    switch cell.workload {
    case .stream: return (.stream(byteCount: settings.streamByteCount), settings.streamByteCount)
    case .reads(let size, let concurrency):
      let offsets = Offsets.make(reads, cell.order, size: size, extent: extent(cell), seed: seed)
      return (.reads(offsets: offsets, size: size, concurrency: concurrency), reads * size)
    }
  }
}

extension bench_usage {
  /// What was used between two moments.
  static func - (end: bench_usage, start: bench_usage) -> bench_usage {
    bench_usage(minor_faults: end.minor_faults - start.minor_faults, cpu_ns: end.cpu_ns - start.cpu_ns)
  }
}

extension Duration {
  /// The whole duration in nanoseconds.
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}
