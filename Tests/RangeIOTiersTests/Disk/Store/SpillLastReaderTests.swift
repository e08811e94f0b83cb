import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Who reads from a segment that is gone lets go of it last, and must not wait for its disk.
@Suite struct SpillLastReaderTests {
  @Test func `a removed file is cut and closed by a thread of the disk, whichever read is the last`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 4) { $0.work = .threads(IOThreads(limit: 2)) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<3 { source.put(block, in: store) }
    try await store.flush()
    var pieces = source.held(source.block(1), in: store)
    store.removeAll()
    try await store.flush()
    #expect(store.counts().segments == 0 && store.counts().bytes > SpillFormat.fixedBytes)
    let (gate, threads) = (Gate(), Noted<UInt>())
    gate.open()
    spill.disk.faults = .always(
      .truncate,
      .delay {
        threads.add(Self.thread)
        gate.pass()
      })
    let released = Self.release(&pieces)
    await gate.arrival()
    #expect(threads.all.count == 1 && !threads.all.contains(released))
    try await store.close()
  }

  /// - Returns: on which thread.
  private static func release(_ pieces: inout [DeferredPiece]) -> UInt {
    pieces = []
    return thread
  }

  private static var thread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
