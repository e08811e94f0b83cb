import RangeIOTraces
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Hits on a trace that needs no file: equal to those of the naive models, and to the numbers here, so that neither
/// the trace nor both of them can change unseen.
@Suite struct MixedTraceTests {
  private let accesses = BlockAccesses(MixedTrace.make(seed: 2026), BlockGrid(blockSize: 4096)!)

  @Test func `the trace is what it was`() {
    #expect(accesses.accesses.count == 5432)
    #expect(accesses.blocks.count == 1675)
  }

  @Test(arguments: [(16, 583), (64, 1394), (256, 2729)])
  func `LRU hits as often as its model`(capacity: Int, hits: Int) {
    #expect(accesses.hits(.lru, capacity: capacity) == hits)
    #expect(accesses.hits(Eviction(name: "naive") { NaiveLRU(capacity: $0) }, capacity: capacity) == hits)
  }

  @Test(arguments: [(16, 751), (64, 1371), (256, 2332)])
  func `SIEVE hits as often as its model`(capacity: Int, hits: Int) {
    #expect(accesses.hits(.sieve, capacity: capacity) == hits)
    let naive = Eviction(name: "naive") { NaiveSIEVE(capacity: $0) }
    #expect(accesses.hits(naive, capacity: capacity) == hits)
  }

  /// In a larger cache the model's ghost is the more exact one.
  @Test(arguments: [(16, 901, 901), (64, 1672, 1672), (256, 2748, 2738)])
  func `S3-FIFO hits as often as its model, to a few of the ghost's`(capacity: Int, hits: Int, modelHits: Int) {
    #expect(accesses.hits(.s3fifo, capacity: capacity) == hits)
    let naive = Eviction(name: "naive") { NaiveS3FIFO(capacity: $0) }
    #expect(accesses.hits(naive, capacity: capacity) == modelHits)
    #expect(abs(hits - modelHits) <= (capacity <= 17 ? 0 : accesses.accesses.count / 200))
  }
}
