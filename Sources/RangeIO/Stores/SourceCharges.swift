import Synchronization

/// What a store in memory is charged for the sources that have chunks in it: their records, which lie beside the chunks.
///
/// The first ``free`` belong to what every store takes.
final class SourceCharges: Sendable {
  /// The bytes of one source with a short id: its description and validator, token, version, table
  /// of flights, and its places in tables. Measured with ids of 35 bytes and ETags of 20, by readers that have ended.
  static let each = 704
  /// Ids and names up to this many bytes are part of that.
  static let shortText = 64
  /// So many sources are not charged, and stay known without chunks.
  static let free = 256

  private let charge: @Sendable (Int) -> Void
  private let count = Atomic<Int>(0)
  private let longTexts = Atomic<Int>(0)
  /// Tokens without readers whose last chunk has left, until they are forgotten.
  private let idle = Locked<[ChunkToken]>([])
  private let hasIdle = Atomic<Bool>(false)

  /// - Parameter charge: charges so many bytes, even beyond the limit; gives back if negative.
  init(_ charge: @escaping @Sendable (Int) -> Void) { self.charge = charge }

  var bytes: Int {
    max(0, count.load(ordering: .relaxed) - Self.free) * Self.each + longTexts.load(ordering: .relaxed)
  }

  /// A source has its first chunk, or room for it.
  func began(_ token: ChunkToken) {
    let isFree = count.wrappingAdd(1, ordering: .relaxed).newValue <= Self.free
    let text = longText(of: token)
    longTexts.wrappingAdd(text, ordering: .relaxed)
    charge((isFree ? 0 : Self.each) + text)
  }

  /// The last chunk of a source has left.
  func ended(_ token: ChunkToken) {
    let isFree = count.wrappingSubtract(1, ordering: .relaxed).oldValue <= Self.free
    let text = longText(of: token)
    longTexts.wrappingSubtract(text, ordering: .relaxed)
    charge(-(isFree ? 0 : Self.each) - text)
    noteIdle(token)
  }

  /// The bytes of a token's id and name beyond those that every source is charged.
  private func longText(of token: ChunkToken) -> Int {
    let source = token.entry.first
    let name = source.name.hasSameBytes(as: source.id) ? 0 : source.name.utf8.count
    return max(0, source.id.utf8.count + name - Self.shortText)
  }

  /// Notes a token that may be forgotten now.
  ///
  /// - Parameter isBounded: whether it is not noted beside many others, and left to the sweep: where nothing may come that
  ///   takes them.
  func noteIdle(_ token: ChunkToken, isBounded: Bool = false) {
    guard token.isUnread, !token.isCharged else { return }
    idle.withLock { idle in
      guard !isBounded || idle.count < Self.free else { return }
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
