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
