/// What is known of a source by one digest: the root of a tree of hashes over its blocks, as certificate transparency
/// builds it (RFC 9162, section 2.1.1; the same as in RFC 6962).
///
/// A block's hash is that of a zero byte and its bytes; a node's that of a one byte and the hashes of its two children.
/// A node of `n` blocks has the first 2ᵏ of them on the left, with the largest 2ᵏ less than `n`.
///
/// ```swift
/// let tree = MerkleTree(
///   root: root, byteCount: 1 << 40, blockSize: .kibibytes(64),
///   hash: { bytes in
///     var hasher = SHA256()
///     bytes.forEachSpan { span in span.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
///     return Array(hasher.finalize())
///   },
///   nodes: { nodes in try await server.digests(of: nodes.map { ($0.level, $0.index) }) })
/// let reader = try await RangeReader(source) { Verifying(tree) }
/// ```
///
/// Only the root is trusted. What ``nodes`` brings is checked against it, so it may come from wherever the source comes
/// from.
public struct MerkleTree: Sendable {
  /// Some blocks that have a hash together.
  public struct Node: Hashable, Sendable {
    /// The blocks below it, counted from zero. One for a block's own hash.
    public let blocks: Range<Int>

    /// Zero for a block's own hash; one more than the higher of its children.
    public var level: Int { blocks.count == 1 ? 0 : Int.bitWidth - (blocks.count - 1).leadingZeroBitCount }
    /// Its place among the nodes of its level, counted from zero.
    public var index: Int { blocks.lowerBound >> level }

    init(_ blocks: Range<Int>) { self.blocks = blocks }

    /// Its two halves, if it is not a block's own.
    var children: (Node, Node) {
      let middle = blocks.lowerBound + 1 << (level - 1)
      return (Node(blocks.lowerBound..<middle), Node(middle..<blocks.upperBound))
    }
  }

  /// The hash of all blocks.
  public let root: [UInt8]
  /// The size of the source, in bytes.
  public let byteCount: Int
  /// Bytes in a block, the last one aside.
  public let blockSize: Int
  let hash: @Sendable (Bytes) -> [UInt8]
  let nodes: @Sendable ([Node]) async throws -> [[UInt8]]

  /// A tree.
  ///
  /// - Parameters:
  ///   - root: the hash of all blocks, from a place that you trust.
  ///   - byteCount: the size of the source, in bytes: one that it does not have makes reads throw.
  ///   - blockSize: of the blocks that were hashed; not zero.
  ///   - hash: hashes bytes, which may lie in several pieces; answers as many bytes as `root` has.
  ///   - nodes: gets digests of nodes, in the order asked. It has to honour cancellation. What it throws is thrown by
  ///     the read.
  ///
  /// - Precondition: `blockSize` is not zero. Compare one that you read from a file first.
  public init(
    root: [UInt8], byteCount: Int, blockSize: ByteCount, hash: @escaping @Sendable (Bytes) -> [UInt8],
    nodes: @escaping @Sendable ([Node]) async throws -> [[UInt8]]
  ) {
    precondition(blockSize.bytes > 0, "a block has bytes")
    self.root = root
    self.byteCount = byteCount
    self.blockSize = blockSize.bytes
    self.hash = hash
    self.nodes = nodes
  }

  /// The hash of a block.
  public static func leafHash(_ block: Bytes, _ hash: (Bytes) -> [UInt8]) -> [UInt8] {
    hash(Bytes(concatenating: [[0x00], block]))
  }

  /// The hash of a node.
  public static func nodeHash(_ left: [UInt8], _ right: [UInt8], _ hash: (Bytes) -> [UInt8]) -> [UInt8] {
    hash(Bytes([0x01] + left + right))
  }
}
