import Synchronization

/// The charges to a store in memory for the sources that have chunks in it: for their records, which lie beside the chunks.
///
/// At any time ``free`` of them belong to what every store takes. The store makes room for the others together with that
/// for the first chunk: ``due(for:)``, then ``ChunkToken/pay(_:)``. Each is given back with its last chunk.
///
/// Where stores share a ``ChunkSources``, the one made first is charged, once it keeps a chunk of the source and until the
/// source has chunks in none of them.
final class SourceCharges: Sendable {
  /// The bytes of one source with a short id: its description and validator, token, version, table
  /// of flights, and its places in tables. Measured with ids of 35 bytes and ETags of 20, by readers that have ended.
  static let each = 704
  /// Ids and names up to this many bytes are part of that.
  static let shortText = 64
  /// So many sources are not charged, and stay known without chunks.
  static let free = 256

  /// The way in which a source is paid for.
  enum Payment: Int {
    case none
    /// As one of the free ones.
    case free
    case full
  }

  private let giveBack: @Sendable (Int) -> Void
  private let freeCount = Atomic<Int>(0)
  private let paidBytes = Atomic<Int>(0)
  /// Tokens without readers whose last chunk has left, until they are forgotten.
  private let idle = Locked<[ChunkToken]>([])
  private let hasIdle = Atomic<Bool>(false)

  /// - Parameter giveBack: gives back so many bytes of those for which the store made room.
  init(_ giveBack: @escaping @Sendable (Int) -> Void) { self.giveBack = giveBack }

  /// The bytes paid at present.
  var bytes: Int { paidBytes.load(ordering: .relaxed) }

  /// Returns what is due for a source that has its first chunk, or room for it; `nil` if it is paid for. The caller
  /// makes room for the bytes and calls ``pay(_:for:)``, or calls ``cancel(_:)``.
  func due(for token: ChunkToken) -> (payment: Payment, bytes: Int)? {
    guard token.payment == .none else { return nil }
    let payment: Payment = freeCount.take(1, upTo: Self.free) ? .free : .full
    return (payment, bytes(payment, for: token))
  }

  /// Pays with room that was made.
  ///
  /// - Returns: false if another reservation has paid in between: give back the room.
  func pay(_ payment: Payment, for token: ChunkToken) -> Bool {
    guard token.pay(payment) else {
      cancel(payment)
      return false
    }
    paidBytes.wrappingAdd(bytes(payment, for: token), ordering: .relaxed)
    return true
  }

  /// A payment does not take place.
  func cancel(_ payment: Payment) { if payment == .free { freeCount.wrappingSubtract(1, ordering: .relaxed) } }

  /// The last chunk of a source has left.
  func ended(_ token: ChunkToken, _ payment: Payment) {
    cancel(payment)
    let bytes = bytes(payment, for: token)
    if bytes != 0 {
      paidBytes.wrappingSubtract(bytes, ordering: .relaxed)
      giveBack(bytes)
    }
    noteIdle(token)
  }

  private func bytes(_ payment: Payment, for token: ChunkToken) -> Int {
    switch payment {
    case .none: 0
    case .free: longText(of: token)
    case .full: Self.each + longText(of: token)
    }
  }

  /// The bytes of a token's id and name beyond what every source is charged.
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
