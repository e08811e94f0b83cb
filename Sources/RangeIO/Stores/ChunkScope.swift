/// What a removal removes.
package enum ChunkScope: Sendable {
  /// Everything in the store.
  case everything
  /// All versions of a source.
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

/// A removal that has started and not ended.
struct ChunkRemovalUnderWay {
  let number: UInt64
  let scope: ChunkScope
  /// Nothing may be published for these tokens until the removal ends. Includes tokens made since it started.
  var tokens: [ChunkToken]
}
