/// What a removal removes.
public enum ChunkScope: Sendable {
  /// All that a store holds.
  case everything
  /// A source, in all its versions.
  case source(id: String)
  /// One version of a source.
  case version(SourceDescription)

  var id: SourceID? {
    switch self {
    case .everything: nil
    case .source(let id): SourceID(id)
    case .version(let source): SourceID(source.id)
    }
  }

  func covers(_ token: ChunkToken) -> Bool {
    switch self {
    case .everything: true
    case .source(let id): token.source.id.hasSameBytes(as: id)
    case .version(let source): token.entry.isVersion(source)
    }
  }
}

/// A removal that has begun and not ended.
struct ChunkRemovalUnderWay {
  let number: UInt64
  let scope: ChunkScope
  /// Those that may publish nothing meanwhile: the ones made since it began among them.
  var tokens: [ChunkToken]
}
