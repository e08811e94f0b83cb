#if SharedCache
  internal import Crypto
  internal import RangeIO
  internal import RangeIOSupport

  /// All blocks of one version of a source, by what every process calls them.
  struct BlockFamily: Hashable, Sendable {
    /// The source, its version, its size and the block size, in a form in which no two families are equal.
    let identity: [UInt8]
    /// Of ``identity``.
    let digest: [UInt8]
    let grid: BlockGrid
    let byteCount: Int

    /// `nil` if the version cannot be named so that other processes recognise it, or may change without a trace.
    init?(_ source: SourceDescription, blockSize: Int) {
      guard source.traits.isSettled, let version = source.validator?.persistentForm, !version.isEmpty,
        let grid = BlockGrid(blockSize: blockSize)
      else { return nil }
      var identity: [UInt8] = []
      for part in [Array(source.id.utf8), version] {
        identity.append(littleEndian: UInt32(clamping: part.count))
        identity += part
      }
      identity.append(littleEndian: UInt64(source.byteCount))
      identity.append(littleEndian: UInt64(blockSize))
      self.identity = identity
      digest = Array(SHA256.hash(data: identity))
      self.grid = grid
      byteCount = source.byteCount
    }

    /// The key of a block: the same in every process, and of no other block.
    func key(_ block: Int) -> SharedBlockKey {
      var name = digest
      name.append(littleEndian: UInt64(block))
      return SharedBlockKey(digest: Array(SHA256.hash(data: name)))
    }

    /// The number of bytes in a block.
    func count(of block: Int) -> Int { grid.range(of: block, in: byteCount).count }
  }
#endif
