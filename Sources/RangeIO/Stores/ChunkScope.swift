/// The chunks that are erased from a store.
package enum ChunkScope: Sendable {
  /// The chunks of a token that hold bytes of a range.
  case range(ByteRange, of: ChunkToken)
  /// The same, because the tier above holds that range now.
  case promoted(ByteRange, of: ChunkToken)
  /// The chunks of a token that was retired.
  case retired(ChunkToken)
  /// A range of one version of a source.
  case version(SourceDescription, ByteRange = wholeRange)
  /// All versions of a source.
  case source(id: String)
  case everything

  static let wholeRange: ByteRange = 0..<Int.max

  var id: SourceID? {
    switch self {
    case .everything: nil
    case .source(let id): SourceID(id)
    case .version(let source, _): SourceID(source.id)
    case .range(_, let token), .promoted(_, let token), .retired(let token): SourceID(token.source.id)
    }
  }

  func covers(_ token: ChunkToken) -> Bool {
    switch self {
    case .everything: true
    case .source(let id): token.source.id.hasSameBytes(as: id)
    case .version(let source, _): token.entry.isVersion(source)
    case .range(_, let one), .promoted(_, let one), .retired(let one): token === one
    }
  }

  /// Returns the removed range, in whole blocks of a grid.
  func range(on grid: BlockGrid) -> ByteRange {
    switch self {
    case .version(_, let range), .range(let range, _), .promoted(let range, _): grid.outward(range, in: .max)
    case .retired, .source, .everything: Self.wholeRange
    }
  }
}

extension ChunkSources {
  /// The tokens that a scope covers, each with the part of its source that belongs to the scope.
  package func parts(of scope: ChunkScope) -> [(token: ChunkToken, range: ByteRange)] {
    let tokens: [ChunkToken]
    switch scope {
    case .range(let range, let token), .promoted(let range, let token): return [(token, range)]
    case .retired(let token): tokens = [token]
    case .version(let source, _): tokens = self.tokens(of: source)
    case .source(let id): tokens = self.tokens(ofID: id)
    case .everything: tokens = all
    }
    return tokens.compactMap { token in
      let range = scope.range(on: token.grid).clamped(to: 0..<token.source.byteCount)
      return range.isEmpty ? nil : (token, range)
    }
  }
}
