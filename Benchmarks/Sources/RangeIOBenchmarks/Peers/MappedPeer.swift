import CBenchmarkPeers

/// A file that is mapped: every read is a copy, and the processor faults on pages that are not there.
///
/// It copies, as the other peers do, since a Swift program that keeps a pointer into a mapping crashes when the file is
/// cut. Mapped anew for each run, outside of its time: pages that a mapping holds cannot be dropped from the page cache.
struct MappedPeer: Sendable {
  private let descriptor: CInt
  private let byteCount: Int64

  init(_ file: BenchmarkFile) throws {
    descriptor = try file.open()
    byteCount = Int64(file.byteCount)
  }

  var contender: Contender {
    Contender(name: .mapped) { cell in
      let usual = variant("no advice", advises: false)
      guard cell.temperature == .cold else { return [usual] }
      return [usual, variant(cell.workload == .stream ? "MADV_SEQUENTIAL" : "MADV_RANDOM", advises: true)]
    }
  }

  private func variant(_ label: String, advises: Bool) -> Variant {
    Variant(label: label) { job in
      let nanoseconds =
        switch job {
        case .reads(let offsets, let size, let concurrency):
          offsets.withUnsafeBufferPointer { offsets in
            offsets.withMemoryRebound(to: Int64.self) {
              bench_mapped(descriptor, byteCount, $0.baseAddress!, $0.count, size, CInt(concurrency), advises)
            }
          }
        case .stream(let byteCount): bench_mapped_stream(descriptor, Int64(byteCount), 1 << 20, advises)
        }
      return Outcome(elapsed: .nanoseconds(try SystemFailure.check(nanoseconds, "read from a mapping")))
    }
  }
}
