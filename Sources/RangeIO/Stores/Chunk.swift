/// The contents of a store for one block, on their way to the tier below: bytes and their coverage.
package struct Chunk: Sendable {
  /// The token, the time when the oldest bytes were requested from the source, and the generation in which the chunk
  /// left.
  package let ticket: ChunkTicket
  /// The number of the block on the token's grid.
  package let block: Int
  /// The part of the block that is present. If there are several parts, the first.
  package let range: ByteRange
  /// The other parts, in order. Usually empty.
  package let morePieces: [RangedBytes]
  /// When the chunk was last read, if the store it comes from tracks that.
  package let lastRead: ReadClock.Instant?
  private let first: Contents
  /// A codec by which the bytes do not shrink by an eighth, if one is known.
  package var incompressibleBy: ChunkEncoding?

  private enum Contents {
    case bytes(Bytes)
    case encoded(EncodedBytes)
  }

  package var token: ChunkToken { ticket.token }
  package var fetchedAt: ReadClock.Instant { ticket.fetchedAt }
  /// `true` while it may be kept: nothing of its block was removed since it left its store.
  package var isValid: Bool {
    ticket.isValid(for: range.lowerBound..<max(range.upperBound, morePieces.last?.range.upperBound ?? 0))
  }
  /// All parts of the block that are present, in order. A chunk on its way from a compressed tier to a disk is decompressed for
  /// this, each time; the result is empty if that fails.
  package var pieces: [RangedBytes] {
    switch first {
    case .bytes(let bytes): [RangedBytes(range, bytes)] + morePieces
    case .encoded(let encoded): encoded.decoded().map { [RangedBytes(range, $0)] } ?? []
    }
  }

  /// The bytes of memory that the contents take.
  package var byteCount: Int {
    let count =
      switch first {
      case .bytes(let bytes): bytes.count
      case .encoded(let encoded): encoded.bytes.count
      }
    return morePieces.reduce(count) { $0 + $1.bytes.count }
  }

  /// The ranges of all parts, in order.
  package var ranges: [ByteRange] { [range] + morePieces.map(\.range) }

  /// Creates a chunk that leaves a store, for the tier below.
  ///
  /// - Parameters:
  ///   - ticket: must be made under the lock of the place that the chunk leaves.
  ///   - pieces: the parts of one block that are present: at least one, in order.
  ///   - lastRead: when the chunk was last read, if your store tracks that.
  package init(ticket: ChunkTicket, pieces: [RangedBytes], lastRead: ReadClock.Instant? = nil) {
    self.init(
      ticket: ticket, block: ticket.token.grid.block(at: pieces[0].range.lowerBound), piece: pieces[0],
      morePieces: Array(pieces[1...]), lastRead: lastRead)
  }

  /// A chunk for each block of `range`.
  package static func split(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket) -> [Chunk] {
    ticket.token.grid.pieces(of: range).map { block, part in
      let slice = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      return Chunk(ticket: ticket, block: block, piece: RangedBytes(part, slice))
    }
  }

  package init(
    ticket: ChunkTicket, block: Int, piece: RangedBytes, morePieces: [RangedBytes] = [],
    lastRead: ReadClock.Instant? = nil,
    incompressibleBy: ChunkEncoding? = nil
  ) {
    self.ticket = ticket
    self.block = block
    range = piece.range
    first = .bytes(piece.bytes)
    self.morePieces = morePieces
    self.lastRead = lastRead
    self.incompressibleBy = incompressibleBy
  }

  /// A chunk of one part, encoded.
  package init(ticket: ChunkTicket, block: Int, range: ByteRange, encoded: EncodedBytes, lastRead: ReadClock.Instant?) {
    self.ticket = ticket
    self.block = block
    self.range = range
    first = .encoded(encoded)
    morePieces = []
    self.lastRead = lastRead
  }

  /// The bytes as a codec has made them, if they came so.
  package var encoded: EncodedBytes? { if case .encoded(let encoded) = first { encoded } else { nil } }

  /// The bytes must be decoded for each use.
  package var isEncoded: Bool { if case .encoded = first { true } else { false } }

  /// The same chunk, not encoded; `nil` if it cannot be decoded.
  package var decoded: Chunk? {
    guard isEncoded else { return self }
    return pieces.first.map { Chunk(ticket: ticket, block: block, piece: $0, lastRead: lastRead) }
  }
}

/// An encoding, as a codec makes it. Two that are equal make the same of the same bytes.
package struct ChunkEncoding: Equatable, Sendable {
  /// 0 for a user's codec.
  private let number: UInt64
  private let object: ObjectIdentifier?
  /// The object, so that no other one gets its identity.
  private let owner: (any Sendable)?

  /// That of a codec of the library.
  package init(number: UInt64) { (self.number, object, owner) = (number, nil, nil) }

  /// That of a user's codec, which is known to make the same as itself only.
  package init(of codec: any Sendable, _ identity: ObjectIdentifier) { (number, object, owner) = (0, identity, codec) }

  package static func == (one: Self, other: Self) -> Bool { one.object == other.object && one.number == other.number }
}

/// Encoded bytes, with the encoding that decodes them.
package final class EncodedBytes: Sendable {
  package let bytes: Bytes
  /// `nil` if it is not known what would make the same of the same bytes.
  package let encoding: ChunkEncoding?
  /// Of the decoded bytes.
  private let count: Int
  private let decode: @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Bool

  /// - Parameter decode: fills its second argument with what the first encodes, or returns `false`.
  package init(
    _ bytes: Bytes, by encoding: ChunkEncoding?, of count: Int,
    decode: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Bool
  ) {
    (self.bytes, self.encoding, self.count, self.decode) = (bytes, encoding, count, decode)
  }

  /// `nil` if they cannot be decoded, or there is no memory.
  func decoded() -> Bytes? {
    guard let buffer = BlockBacking.allocate(count), bytes.withUnsafeBytes({ decode($0, buffer.memory) }) else {
      return nil
    }
    return buffer.bytes(count)
  }
}
