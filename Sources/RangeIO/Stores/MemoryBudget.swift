import Synchronization

/// One hard limit for everything that several tiers keep in memory: chunks, compressed ones, those on their way from one
/// tier to another, and room reserved for reads under way.
///
/// Every byte is taken before it is used and given back after it was released, so the sum never exceeds the limit, but
/// for the moment after the limit was lowered. `TieredChunkStore` makes one for its tiers.
public final class MemoryBudget: Sendable {
  private let limitValue: Atomic<Int>
  private let taken = Atomic<Int>(0)
  private let mostTaken = Atomic<Int>(0)
  private let lender = PublishedOnce<Lender>()

  /// A budget of which nothing is taken.
  public init(limit: ByteCount) { limitValue = Atomic(limit.bytes) }

  /// What may be taken.
  public var limit: ByteCount { .bytes(limitValue.load(ordering: .relaxed)) }
  /// The bytes that are taken.
  public var bytes: Int { taken.load(ordering: .relaxed) }
  /// The most bytes that were ever taken.
  public var peakBytes: Int { mostTaken.load(ordering: .relaxed) }

  /// Binds from now on. The caller that lowers it evicts what is too much.
  func setLimit(_ limit: ByteCount) { limitValue.store(limit.bytes, ordering: .relaxed) }

  /// Takes so much, or nothing.
  ///
  /// - Returns: whether there was room.
  func take(_ bytes: Int) -> Bool {
    guard taken.take(bytes, upTo: limit.bytes) else { return false }
    mostTaken.max(self.bytes, ordering: .relaxed)
    return true
  }

  /// Takes so much even beyond the limit, which others must make room for; or gives back, if negative.
  func charge(_ bytes: Int) {
    taken.wrappingAdd(bytes, ordering: .relaxed)
    mostTaken.max(self.bytes, ordering: .relaxed)
  }

  func give(_ bytes: Int) { taken.wrappingSubtract(bytes, ordering: .relaxed) }

  /// What must go before so much fits: zero or less if it does now.
  func missing(_ bytes: Int) -> Int { self.bytes - limit.bytes + bytes }

  /// The tier that uses what the others leave, and gives it up when they want it.
  private final class Lender: Sendable {
    let giveUp: @Sendable (Int) -> Void

    init(_ giveUp: @escaping @Sendable (Int) -> Void) { self.giveUp = giveUp }
  }

  /// Names the tier that gives up so many bytes when others want them. Once.
  func lends(_ giveUp: @escaping @Sendable (Int) -> Void) { _ = lender.publish(Lender(giveUp)) }

  /// Takes so much for a tier that stays within a limit of its own, from the tier that uses what the others leave, if
  /// need be. Not to be called under a lock.
  ///
  /// - Returns: whether there was room.
  func takeBack(_ bytes: Int) -> Bool {
    // Others may be quicker to take what was given up: a few tries.
    for _ in 0..<4 {
      if take(bytes) { return true }
      lender.value?.giveUp(max(0, missing(bytes)))
    }
    return take(bytes)
  }
}
