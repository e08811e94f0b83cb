import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What a store answers, put together: what it does not cover is a gap, whatever it says.
struct CachedPartsTests {
  private struct Nothing: PieceLoader {
    var isQuick: Bool { true }
    func answer() -> ReadAnswer<Bytes?> { .here(nil) }
    func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? { nil }
  }

  private func deferred(_ range: ByteRange, wanted: ByteRange) -> DeferredPiece {
    let sources = ChunkSources()
    let source = SourceDescription(id: "a", validator: nil, byteCount: 1000)
    let (token, _) = sources.token(for: source, grid: BlockGrid(blockSize: 64)!, reading: false)
    return DeferredPiece(
      range: range, wanted: wanted, ticket: token.ticket(fetchedAt: ReadClock.Instant(nanoseconds: 0)),
      shouldPromote: false,
      loader: Nothing())
  }

  private func parts(_ range: ByteRange, _ found: ChunkLookup) -> CachedParts {
    var parts = CachedParts()
    parts.add(range, found)
    return parts
  }

  @Test func `a held piece that is wanted beyond its ends`() {
    let found = parts(0..<100, .partial(pieces: [], deferred: [deferred(20..<60, wanted: 0..<100)], gaps: []))
    #expect(found.deferred.map(\.wanted) == [20..<60])
    #expect(found.gaps == [0..<20, 60..<100])
  }

  @Test func `a held piece that has nothing of what is wanted of it`() {
    let found = parts(0..<100, .partial(pieces: [], deferred: [deferred(200..<300, wanted: 0..<50)], gaps: [50..<100]))
    #expect(found.deferred.isEmpty)
    #expect(found.gaps == [0..<100])
  }

  @Test func `pieces and hits of the wrong length, and what was left out`() {
    let bytes = SyntheticSource.bytes(0..<50)
    #expect(parts(0..<100, .hit(bytes)).gaps == [0..<100])
    let found = parts(
      0..<100,
      .partial(pieces: [RangedBytes(0..<50, bytes), RangedBytes(50..<90, bytes)], gaps: []))
    #expect(found.pieces.map(\.range) == [0..<50])
    #expect(found.gaps == [50..<100])
  }

  @Test func `what is right stays as it is`() {
    let bytes = SyntheticSource.bytes(0..<50)
    let found = parts(
      0..<100,
      .partial(pieces: [RangedBytes(0..<50, bytes)], deferred: [deferred(50..<128, wanted: 50..<70)], gaps: [70..<100]))
    #expect(found.pieces.map(\.range) == [0..<50])
    #expect(found.deferred.map(\.wanted) == [50..<70])
    #expect(found.gaps == [70..<100])
  }
}
