import RangeIO
import RangeIOTesting
import RangeIOTiers

#if Encrypted
  import RangeIOEncrypted
#endif

/// A source of which every block is known, so that another process can tell whether what it finds is right.
struct KnownBlocks {
  static let byteCount = 1 << 40
  let token: ChunkToken

  init(_ store: SpillStore) {
    let source = SourceDescription(
      id: "known", validator: Version(), byteCount: Self.byteCount, preferredBlockSize: .kibibytes(4))
    token = store.sources.token(for: source, grid: BlockGrid(blockSize: 4096)!, reading: true).0
  }

  private struct Version: SourceDescription.Validator {
    var persistentForm: [UInt8]? { [1] }
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
  }

  func range(_ block: Int) -> ByteRange { token.grid.range(of: block, in: Self.byteCount) }

  func put(_ block: Int, in store: SpillStore) -> Bool {
    let piece = RangedBytes(range(block), SyntheticSource.bytes(range(block)))
    return store.insertDemoted(Chunk(ticket: token.ticket(fetchedAt: store.now), block: block, piece: piece))
  }

  func erase(_ blocks: Range<Int>, in store: SpillStore) {
    token.beginRemoval()
    store.erase(range(blocks.lowerBound).lowerBound..<range(blocks.upperBound).lowerBound, of: token)
    token.endRemoval()
  }

  /// Whether a block is found, and right.
  func read(_ block: Int, in store: SpillStore) async -> (isFound: Bool, isRight: Bool) {
    let range = range(block)
    switch store.lookUp(range, token: token.number, grid: token.grid) {
    case .miss: return (false, true)
    case .hit(let bytes): return (true, bytes == SyntheticSource.bytes(range))
    case .partial(_, let held, _):
      guard let piece = held.first, let bytes = await piece.loader.load(whenLate: {}) else { return (false, true) }
      return (true, bytes == SyntheticSource.bytes(range))
    }
  }
}

extension SpillStore.Configuration {
  /// As all these processes open a directory.
  init(known directory: String, limit: ByteCount, segmentSize: ByteCount) {
    self.init(directory: directory, limit: limit)
    self.segmentSize = segmentSize
    keepsFastSources = true
    keepsFirstReads = true
    freeSpaceFloor = .bytes(0)
    stagingLimit = .mebibytes(8)
    encrypt(key: 1)
  }

  /// Encrypts a directory whose name says so, with one of two keys.
  mutating func encrypt(key: UInt32) {
    #if Encrypted
      guard directory.hasSuffix("encrypted") else { return }
      let keys = [UInt32(1), 2].map { ($0, [UInt8](repeating: UInt8($0), count: 32)) }
      // `try?`: the keys are as long as keys are, and the current one is among them.
      encryption = (try? EncryptionKeys(Dictionary(uniqueKeysWithValues: keys), current: key)).map { .key($0) }
    #endif
  }
}
