/// A tree of hashes, as described for ``ReadPipeline/verifying(merkleRoot:byteCount:blockSize:maxRememberedNodes:hash:nodes:)``.
struct MerkleTree: Sendable {
  /// A node of the tree: one or more blocks with a common hash.
  struct Node: Hashable, Sendable {
    /// The blocks below this node, counted from zero. A single block for a block's own hash.
    let blocks: Range<Int>

    /// Zero for a block's own hash; otherwise one more than the higher of the two children.
    var level: Int { blocks.count == 1 ? 0 : Int.bitWidth - (blocks.count - 1).leadingZeroBitCount }
    /// The position among the nodes of the same level, counted from zero.
    var index: Int { blocks.lowerBound >> level }

    init(_ blocks: Range<Int>) { self.blocks = blocks }

    /// The two halves. Only for a node of more than one block.
    var children: (Node, Node) {
      let middle = blocks.lowerBound + 1 << (level - 1)
      return (Node(blocks.lowerBound..<middle), Node(middle..<blocks.upperBound))
    }
  }

  /// The hash of all blocks.
  let root: [UInt8]
  /// The size of the source, in bytes.
  let byteCount: Int
  /// Bytes per block; the last block may be shorter.
  let blockSize: Int
  let hash: @Sendable (Bytes) -> [UInt8]
  let nodes: @Sendable ([(level: Int, index: Int)]) async throws -> [[UInt8]]

  static func leafHash(_ block: Bytes, _ hash: (Bytes) -> [UInt8]) -> [UInt8] {
    hash(Bytes(concatenating: [[0x00], block]))
  }

  static func nodeHash(_ left: [UInt8], _ right: [UInt8], _ hash: (Bytes) -> [UInt8]) -> [UInt8] {
    hash(Bytes([0x01] + left + right))
  }
}
