public import RangeIO

/// A store that is made to be one of several tiers, see ``TieredStore``. Any store can be a tier; conform to this
/// if one of the defaults does not suit yours.
public protocol ChunkTier: ChunkStore {
  /// Keeps what the tier above held of one block and has evicted, or drops it. Called in the background, so there is time to
  /// compress. By default reserves and inserts each piece.
  ///
  /// - Parameters:
  ///   - pieces: the parts of the block that are there: at least one, in order.
  ///   - ticket: the token, and when the oldest bytes were requested from the source. What was removed since is refused, as by
  ///     `ChunkStore.insert(_:at:ticket:reservation:)`.
  ///   - lastRead: when the block was last read, if the tier above tracks that.
  /// - Returns: whether all of it is kept.
  func insertDemoted(_ pieces: [RangedBytes], ticket: ChunkTicket, lastRead: ReadClock.Instant?) -> Bool

  /// The tier above now holds `range`. By default erases the chunks here that hold bytes of it. A tier that keeps
  /// copies, such as one on a disk, does nothing.
  func erasePromoted(_ range: ByteRange, of token: ChunkToken)

  /// Passes `demote`, to be called from now on with each block that this store evicts, for the tier below. Called once,
  /// before the store is used. By default does nothing: what is evicted is lost.
  ///
  /// - Parameter demote: takes a block or drops it; its arguments are those of ``insertDemoted(_:ticket:lastRead:)``, the ticket
  ///   made under the lock of the place that the block leaves. It is quick, does not wait and calls no store. Call it under that
  ///   lock, so that a look-up always finds the block in one tier or the other.
  func sendEvictions(
    to demote:
      @escaping @Sendable (_ pieces: [RangedBytes], _ ticket: ChunkTicket, _ lastRead: ReadClock.Instant?) -> Void)
}

extension ChunkTier {
  /// By default reserves and inserts each piece.
  public func insertDemoted(_ pieces: [RangedBytes], ticket: ChunkTicket, lastRead: ReadClock.Instant?) -> Bool {
    insertPieces(of: Chunk(ticket: ticket, pieces: pieces, lastRead: lastRead))
  }

  /// By default erases the range here.
  public func erasePromoted(_ range: ByteRange, of token: ChunkToken) { erase(range, of: token) }

  /// By default does nothing.
  public func sendEvictions(
    to demote:
      @escaping @Sendable (_ pieces: [RangedBytes], _ ticket: ChunkTicket, _ lastRead: ReadClock.Instant?) -> Void
  ) {}
}

extension ChunkStore {
  /// This store with everything that tiers ask of one.
  var fullTier: any FullChunkStore {
    guard let tier = self as? any ChunkTier else { return full }
    return AdaptedStore(
      tier,
      as: .init { chunk in
        let pieces = chunk.pieces
        return !pieces.isEmpty && tier.insertDemoted(pieces, ticket: chunk.ticket, lastRead: chunk.lastRead)
      } erasePromoted: {
        tier.erasePromoted($0, of: $1)
      } sendEvictions: { outlet in
        tier.sendEvictions { pieces, ticket, lastRead in
          outlet.take([Chunk(ticket: ticket, pieces: pieces, lastRead: lastRead)])
          outlet.proceed()
        }
      })
  }
}
