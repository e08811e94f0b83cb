/// The expected digest of each block of a source, one after the other in one array.
struct BlockDigests: Sendable {
  let blocks: EqualBlocks
  let count: Int
  private let digestSize: Int
  private let all: [UInt8]
  /// The first digest whose length differs from the ones before it.
  private let odd: (block: Int, size: Int)?

  init(_ digests: some Collection<[UInt8]>, blockSize: Int) {
    blocks = EqualBlocks(size: blockSize)
    count = digests.count
    digestSize = digests.first?.count ?? 0
    var all: [UInt8] = []
    all.reserveCapacity(count * digestSize)
    var odd: (block: Int, size: Int)?
    for (block, digest) in digests.enumerated() {
      if digest.count != digestSize, odd == nil { odd = (block, digest.count) }
      all.append(contentsOf: digest)
    }
    self.all = all
    self.odd = odd
  }

  /// Throws if these cannot be the digests of `source`.
  func check(_ source: SourceDescription) throws(ReadError) {
    if let odd {
      throw ReadError(
        .invalidConfiguration,
        "the digest of block \(odd.block) has \(odd.size) bytes, that of block 0 \(digestSize): they are of one hash",
        context: .init(source: source.name))
    }
    let wanted = blocks.count(in: source.byteCount)
    guard wanted == count else {
      throw ReadError(
        .invalidConfiguration,
        "\(count) digests for a source of \(source.byteCount) bytes, which has \(wanted) blocks of \(blocks.size): "
          + "use the digests of this version, and the block size that they were made with",
        context: .init(source: source.name))
    }
  }

  /// Throws unless `digest` is the expected one of `block`.
  func check(_ digest: [UInt8], of block: Int, in source: SourceDescription) throws(ReadError) {
    guard digest.count == digestSize else {
      throw ReadError(
        .invalidConfiguration,
        "the hash makes \(digest.count) bytes and the digests have \(digestSize): use the hash that made them",
        context: .init(source: source.name))
    }
    guard all[block * digestSize..<(block + 1) * digestSize].elementsEqual(digest) else {
      throw .corrupted(block, blocks, in: source)
    }
  }
}

extension ReadError {
  static func corrupted(_ block: Int, _ blocks: EqualBlocks, in source: SourceDescription) -> ReadError {
    let range = blocks.range(of: block..<block + 1, in: source.byteCount)
    return ReadError(
      .corrupted, "block \(block) is not what its digest says: read it again, or get the source from elsewhere",
      isTransient: true, context: .init(source: source.name, offset: range.lowerBound, count: range.count))
  }
}
