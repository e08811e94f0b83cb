import Synchronization

/// What a store in memory is charged for the sources that have chunks in it: their records, which lie beside the chunks.
///
/// The first ``free`` belong to what every store takes.
final class SourceCharges: Sendable {
  /// The bytes of one source: its description, token, version, table of flights, and its places in tables. Measured
  /// with ids of 30 bytes: 1,165 without flights, 1,250 with what flights leave, and parts of an allocator's page.
  static let each = 1280
  /// So many sources are not charged, and stay known without chunks.
  static let free = 256

  private let charge: @Sendable (Int) -> Void
  private let count = Atomic<Int>(0)
  /// Tokens without readers whose last chunk has left, until they are forgotten.
  private let idle = Locked<[ChunkToken]>([])
  private let hasIdle = Atomic<Bool>(false)

  /// - Parameter charge: charges so many bytes, even beyond the limit; gives back if negative.
  init(_ charge: @escaping @Sendable (Int) -> Void) { self.charge = charge }

  var bytes: Int { max(0, count.load(ordering: .relaxed) - Self.free) * Self.each }

  /// A source has its first chunk, or room for it.
  func began() { if count.wrappingAdd(1, ordering: .relaxed).newValue > Self.free { charge(Self.each) } }

  /// The last chunk of a source has left.
  func ended(_ token: ChunkToken) {
    if count.wrappingSubtract(1, ordering: .relaxed).oldValue > Self.free { charge(-Self.each) }
    noteIdle(token)
  }

  /// Notes a token that may be forgotten now.
  func noteIdle(_ token: ChunkToken) {
    guard token.isUnread, !token.isCharged else { return }
    idle.withLock { idle in
      idle.append(token)
      hasIdle.store(true, ordering: .relaxed)
    }
  }

  /// Takes the tokens that may be forgotten.
  func takeIdle() -> [ChunkToken] {
    guard hasIdle.load(ordering: .relaxed) else { return [] }
    return idle.withLock { idle in
      hasIdle.store(false, ordering: .relaxed)
      defer { idle = [] }
      return idle
    }
  }
}
