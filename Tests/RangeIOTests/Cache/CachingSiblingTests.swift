import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Flights that one read begins beside each other.
struct CachingSiblingTests {
  /// Fails what lies before ``border`` at once; the rest hangs until it is cancelled.
  private final class HalfSick: RangeSource {
    static let border = 100
    let cancelled = Promise<Void>()

    func describe() async throws -> SourceDescription {
      SourceDescription(
        id: "half sick", validator: HeldSource.Version(number: 0), byteCount: 1000,
        traits: .with { $0.answersCancellation = true })
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      if range.upperBound <= Self.border { throw ReadError(.inputOutput, "sick") }
      if range.upperBound <= 200 { return SyntheticSource.bytes(range) }
      do {
        try await Promise<Void>().value()
      } catch {
        cancelled.resolve(.success(()))
        throw error
      }
      return Bytes()
    }
  }

  @Test(.timeLimit(.minutes(5))) func `a flight begun after its sibling has failed is cancelled with it`() async throws
  {
    let source = HalfSick()
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    _ = try await reader.read(100..<200)
    // Two gaps. The first fails before the flight for the second is begun.
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<300) }
    #expect(error?.code == .inputOutput)
    try await source.cancelled.value()
    await reader.close()
    #expect(store.isQuiet)
  }
}
