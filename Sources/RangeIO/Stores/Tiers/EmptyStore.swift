/// Keeps nothing: what stands below a tier that is alone.
final class EmptyStore: FullChunkStore {
  let sources: ChunkSources

  init(_ sources: ChunkSources) { self.sources = sources }

  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup { .miss }
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool { false }
  func cancel(_ reservation: ChunkReservation) {}
  func erase(_ range: ByteRange, of token: ChunkToken) {}

  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    [ReadExplanation.Part(range, .source)]
  }
}
