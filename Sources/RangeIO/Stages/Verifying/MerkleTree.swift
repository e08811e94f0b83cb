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

/// Checks blocks against the root of a tree, and remembers the digests it has checked.
final class MerkleVerifier: Sendable {
  let tree: MerkleTree
  let blocks: EqualBlocks
  private let root: MerkleTree.Node
  private let memory: Locked<MerkleMemory>

  init(_ tree: MerkleTree, remembering most: Int) {
    self.tree = tree
    blocks = EqualBlocks(size: tree.blockSize)
    root = MerkleTree.Node(0..<max(1, blocks.count(in: tree.byteCount)))
    memory = Locked(MerkleMemory(most: most))
  }

  /// Throws unless `source` has the size of the tree.
  func check(_ source: SourceDescription) throws(ReadError) {
    guard source.byteCount == tree.byteCount else {
      throw ReadError(
        .invalidConfiguration,
        "the tree is of \(tree.byteCount) bytes and the source has \(source.byteCount): use the root of this version",
        context: .init(source: source.name))
    }
  }

  /// The proof that is needed to trust the hashes of these runs of blocks.
  func proof(of runs: [Range<Int>]) -> MerkleProof {
    memory.withLock { memory in
      MerkleProof(of: runs, root: root) { $0 == root ? tree.root : memory.digest(of: $0) }
    }
  }

  /// Checks the digests fetched for `proof`, and remembers them.
  func check(_ proof: inout MerkleProof, _ digests: [[UInt8]], in source: SourceDescription) throws(ReadError) {
    guard digests.count == proof.missing.count else {
      throw ReadError(
        .invalidResponse, "\(digests.count) digests came for \(proof.missing.count) nodes of the tree",
        context: .init(source: source.name))
    }
    // All must have the same length: a shorter digest next to a longer one could give the same hash.
    if let odd = digests.first(where: { $0.count != tree.root.count }) {
      throw ReadError(
        .invalidResponse, "a node's digest of \(odd.count) bytes in a tree whose root has \(tree.root.count)",
        context: .init(source: source.name))
    }
    if let node = proof.check(digests, combine: { MerkleTree.nodeHash($0, $1, tree.hash) }) {
      let range = blocks.range(of: node.blocks, in: source.byteCount)
      throw ReadError(
        .corrupted,
        "the digests below blocks \(node.blocks) do not belong to the root: get them again, or from elsewhere",
        isTransient: true, context: .init(source: source.name, offset: range.lowerBound, count: range.count))
    }
    let checked = proof.missing.compactMap { node in proof.digest(of: node).map { (node, $0) } }
    memory.withLock { memory in for (node, digest) in checked { memory.remember(node, digest) } }
  }

  /// Throws unless `bytes` are those of `block`. `proof` must already trust the hash of that block.
  func check(_ bytes: Bytes, of block: Int, _ proof: MerkleProof, in source: SourceDescription) throws(ReadError) {
    guard proof.digest(of: .init(block..<block + 1)) == MerkleTree.leafHash(bytes, tree.hash) else {
      throw .corrupted(block, blocks, in: source)
    }
  }
}
