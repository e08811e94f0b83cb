import CBenchmarkPeers

/// The C loops: what the system can do, and so the measure of everything else.
///
/// - Buffers are `malloc`ed and freed for each read, since a Swift reader hands out bytes that the caller may keep.
///   glibc recycles most of them, also those of a megabyte once one of that size has been freed; the JSON has the page
///   faults a read, which tell.
/// - One thread at a time, or 32 that share a counter of offsets.
/// - Tried with and without `posix_fadvise` (RANDOM, for streams SEQUENTIAL): it is one line that a C programmer would
///   write if it helped.
/// - Past the page cache (`O_DIRECT`), for cold cells, where the file system allows it.
struct CPeers: Sendable {
  private let plain: CInt
  private let advised: CInt
  private let sequential: CInt
  /// Negative if the file system refuses.
  private let direct: CInt

  init(_ file: BenchmarkFile) throws {
    // Advice belongs to an open file, so each has a descriptor of its own.
    plain = try file.open()
    advised = try file.open()
    sequential = try file.open()
    direct = bench_open_direct(file.path)
    try SystemFailure.check(Int64(bench_advise_random(advised)), "advise random reads")
    try SystemFailure.check(Int64(bench_advise_sequential(sequential)), "advise sequential reads")
  }

  var contenders: [Contender] {
    [
      Contender(name: .cChecked) { reads($0, checksVersion: true) },
      Contender(name: .cBare) { reads($0, checksVersion: false) },
      Contender(name: .cStream) { streams($0, reusesBuffer: false) },
      Contender(name: .cStreamReused) { streams($0, reusesBuffer: true) },
      Contender(name: .cDirect) { $0.workload == .stream ? [] : directly($0) },
      Contender(name: .cDirectStream) { $0.workload == .stream ? directly($0) : [] },
    ]
  }

  private func directly(_ cell: Cell) -> [Variant] {
    guard direct >= 0, cell.temperature == .cold else { return [] }
    return [Variant(label: "O_DIRECT") { try run($0, direct, true, isDirect: true) }]
  }

  private func reads(_ cell: Cell, checksVersion: Bool) -> [Variant] {
    guard case .reads = cell.workload else { return [] }
    let usual = Variant(label: "no advice") { try run($0, plain, checksVersion) }
    // Advice on read-ahead means nothing where there is nothing to read.
    guard cell.temperature == .cold else { return [usual] }
    return [usual, Variant(label: "FADV_RANDOM") { try run($0, advised, checksVersion) }]
  }

  private func streams(_ cell: Cell, reusesBuffer: Bool) -> [Variant] {
    guard case .stream = cell.workload else { return [] }
    let usual = Variant(label: "no advice") { try run($0, plain, reusesBuffer) }
    guard cell.temperature == .cold else { return [usual] }
    return [usual, Variant(label: "FADV_SEQUENTIAL") { try run($0, sequential, reusesBuffer) }]
  }

  /// - Parameter option: for reads whether the version is checked, for streams whether the buffer is used again.
  private func run(_ job: Job, _ descriptor: CInt, _ option: Bool, isDirect: Bool = false) throws -> Outcome {
    let nanoseconds =
      switch job {
      case .reads(let offsets, let size, let concurrency):
        offsets.withUnsafeBufferPointer { offsets in
          offsets.withMemoryRebound(to: Int64.self) {
            bench_pread(descriptor, $0.baseAddress!, $0.count, size, CInt(concurrency), option, isDirect)
          }
        }
      case .stream(let byteCount): bench_pread_stream(descriptor, Int64(byteCount), 1 << 20, option, isDirect)
      }
    return Outcome(elapsed: .nanoseconds(try SystemFailure.check(nanoseconds, "read in C")))
  }
}
