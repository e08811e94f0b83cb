import Synchronization

/// What a store calls one version of one source on one grid of blocks: short to compare, never given out twice.
///
/// Tokens are the law of what may be kept (see `Docs/Architecture.md`, *The life of a chunk*). Whatever is on its way
/// into a store carries a ``ChunkTicket`` with the token's *generation* at the moment it was asked for. Removing raises
/// the generation first and erases then: what was on its way is refused when it arrives. Where there are several tiers,
/// chunks also move while some are erased and others not yet: nothing is published during
/// ``ChunkSources/removing(_:_:)``, so what moves then is dropped, wherever it goes.
public final class ChunkToken: Sendable {
  /// Unique within the store's ``ChunkSources``, from 1.
  public let number: UInt64
  /// The grid of blocks.
  public let grid: BlockGrid
  /// The source, its version and size.
  public var source: SourceDescription { entry.source }

  /// What all tokens of this version share, whatever their grids.
  let entry: SourceEntry
  private let generationValue = Atomic<UInt64>(1 << 16)
  /// Readers that read this version now.
  let readers = Atomic<Int>(0)
  /// Bytes that its chunks are charged for in the memory store, and those reserved for more.
  let chargedBytes = Atomic<Int>(0)
  /// Bytes that its chunks are charged for on their way to tiers below, and there.
  let chargedBytesBelow = Atomic<Int>(0)
  /// The fetches under way.
  let flights: FlightTable

  /// The generation of a token that is retired: no ticket has it.
  private static let retired = UInt64.max

  init(number: UInt64, entry: SourceEntry, grid: BlockGrid) {
    self.number = number
    self.entry = entry
    self.grid = grid
    flights = FlightTable(grid)
  }

  /// Raised by every removal.
  ///
  /// The lowest 16 bits count the removals that have begun and not ended; both steps raise the whole.
  public var generation: UInt64 { generationValue.load(ordering: .sequentiallyConsistent) }

  /// Whether chunks of this token may still be kept.
  public var isAlive: Bool { generation != Self.retired }

  /// Makes what is on its way into the store unwelcome: what every removal from a single store begins with, before it
  /// erases.
  public func raiseGeneration() { raise(by: 1 << 16) }

  /// As ``raiseGeneration()``, and what begins its way from now on is unwelcome, too, until ``endRemoval()``.
  package func beginRemoval() { raise(by: 1 << 16 + 1) }

  /// Ends what ``beginRemoval()`` began: all tiers are erased.
  package func endRemoval() { raise(by: 1 << 16 - 1) }

  private func raise(by step: UInt64) {
    var generation = generation
    while generation != Self.retired {
      let (done, now) = generationValue.compareExchange(
        expected: generation, desired: generation + step, ordering: .sequentiallyConsistent)
      if done { return }
      generation = now
    }
  }

  /// Makes this token unwelcome for good.
  func retire() { generationValue.store(Self.retired, ordering: .sequentiallyConsistent) }

  /// A ticket for what is asked for now.
  public func ticket(fetchedAt: ReadInstant) -> ChunkTicket {
    ChunkTicket(token: self, generation: generation, fetchedAt: fetchedAt)
  }
}

/// What travels with bytes on their way into a store: whose they are, and whether they are still wanted.
public struct ChunkTicket: Sendable {
  /// The version of the source.
  public let token: ChunkToken
  /// The token's generation when the bytes were asked for.
  public let generation: UInt64
  /// When the bytes were asked for from the source: their age counts from here, through all tiers.
  public let fetchedAt: ReadInstant

  /// Whether the bytes may still be kept. Asked under the lock of the place where they go.
  public var isValid: Bool {
    // No ticket of a retired token has another's generation, and none is good during a removal.
    generation != .max && generation & 0xFFFF == 0 && token.generation == generation
  }
}
