import Synchronization

/// Puts over-read bytes into the store and counts them. Separate from ``Caching``, because flights keep it and may
/// outlive the stage.
final class CacheKeeper: Sendable {
  let store: any FullChunkStore
  /// Longer ranges are not kept.
  private let largest: Int
  private let keptBytes = Atomic<Int>(0)
  private let againBytes = Atomic<Int>(0)

  init(_ store: any FullChunkStore, largest: Int) {
    self.store = store
    self.largest = largest
  }

  func statistics() -> ReadCounts {
    ReadCounts(
      "Caching",
      counts: [
        .init("over-read bytes kept", keptBytes.load(ordering: .relaxed)),
        .init("bytes read again", againBytes.load(ordering: .relaxed)),
      ])
  }

  /// Keeps the over-read of a checked response, where the store lacks it and has room.
  ///
  /// - Parameter ticket: the ticket of the requested bytes: the over-read has the same version and the same age.
  func keepOverRead(of response: ReadResponse, _ ticket: ChunkTicket) {
    let overRead = response.overRead
    guard !overRead.isEmpty else { return }
    let run = overRead.reduce(0) { $0 + $1.range.count }
    for part in overRead where part.range.count <= largest && part.range.lowerBound >= 0 {
      var fresh = part.range.lowerBound
      for piece in ticket.token.grid.pieces(of: part.range) where isHere(piece.range, ticket.token) {
        keep(fresh..<piece.range.lowerBound, of: part, run, ticket)
        againBytes.wrappingAdd(piece.range.count, ordering: .relaxed)
        fresh = piece.range.upperBound
      }
      keep(fresh..<part.range.upperBound, of: part, run, ticket)
    }
  }

  private func isHere(_ range: ByteRange, _ token: ChunkToken) -> Bool {
    store.holds(range, token: token.number, grid: token.grid)
  }

  private func keep(_ range: ByteRange, of part: ReadResponse.Part, _ run: Int, _ ticket: ChunkTicket) {
    guard !range.isEmpty, let reservation = store.reserve(range, ofRun: run, for: ticket.token) else {
      return
    }
    let bytes = part.bytes.slice(
      range.lowerBound - part.range.lowerBound..<range.upperBound - part.range.lowerBound)
    let isKept = store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
    if isKept { keptBytes.wrappingAdd(range.count, ordering: .relaxed) }
  }
}
