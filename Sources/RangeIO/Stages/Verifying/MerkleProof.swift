/// The steps needed to trust the hashes of some blocks: the digests to fetch, and the order in which to check them. A value: it
/// neither reads nor hashes by itself.
struct MerkleProof {
  typealias Node = MerkleTree.Node

  /// The nodes whose digests must be fetched.
  private(set) var missing: [Node] = []
  /// The nodes whose children must be checked, lower nodes first.
  private var checks: [Node] = []
  /// Digests that were checked before.
  private var trusted: [Node: [UInt8]] = [:]

  /// - Parameters:
  ///   - runs: runs of blocks; ascending, disjoint.
  ///   - known: returns the digest of a node if it was checked before. For the root it always returns one.
  init(of runs: [Range<Int>], root: Node, known: (Node) -> [UInt8]?) {
    _ = collect(root, runs[...], known)
  }

  /// - Returns: whether the digest of `node` itself is needed.
  private mutating func collect(_ node: Node, _ runs: ArraySlice<Range<Int>>, _ known: (Node) -> [UInt8]?) -> Bool {
    let inside = runs.drop { $0.upperBound <= node.blocks.lowerBound }
      .prefix { $0.lowerBound < node.blocks.upperBound }
    guard !inside.isEmpty else { return false }
    guard node.blocks.count > 1 else { return !isTrusted(node, known) }
    let (left, right) = node.children
    let needsLeft = collect(left, inside, known)
    let needsRight = collect(right, inside, known)
    guard needsLeft || needsRight else { return false }
    checks.append(node)
    for child in [left, right] where !isTrusted(child, known) { missing.append(child) }
    return !isTrusted(node, known)
  }

  private mutating func isTrusted(_ node: Node, _ known: (Node) -> [UInt8]?) -> Bool {
    if trusted[node] != nil { return true }
    guard let digest = known(node) else { return false }
    trusted[node] = digest
    return true
  }

  /// Checks the fetched digests, from the root down.
  ///
  /// - Parameters:
  ///   - digests: those of ``missing``, in that order, each as long as the root.
  ///   - combine: the hash of a node with these children.
  /// - Returns: the node whose hash does not match its children; `nil` if all digests are correct. They are then
  ///   trusted.
  mutating func check(_ digests: [[UInt8]], combine: ([UInt8], [UInt8]) -> [UInt8]) -> Node? {
    let claimed = Dictionary(uniqueKeysWithValues: zip(missing, digests))
    for node in checks.reversed() {
      let (left, right) = node.children
      guard let digest = trusted[node], let leftDigest = trusted[left] ?? claimed[left],
        let rightDigest = trusted[right] ?? claimed[right], combine(leftDigest, rightDigest) == digest
      else { return node }
      trusted[left] = leftDigest
      trusted[right] = rightDigest
    }
    return nil
  }

  /// The digest of a trusted node.
  func digest(of node: Node) -> [UInt8]? { trusted[node] }
}

/// Recently used digests that were checked. Two tables: when the newer one is full, the older one is dropped.
struct MerkleMemory {
  private let most: Int
  private var recent: [MerkleTree.Node: [UInt8]] = [:]
  private var older: [MerkleTree.Node: [UInt8]] = [:]

  /// - Parameter most: how many nodes are remembered.
  init(most: Int) { self.most = most }

  var count: Int { recent.count + older.count }

  mutating func digest(of node: MerkleTree.Node) -> [UInt8]? {
    if let digest = recent[node] { return digest }
    guard let digest = older.removeValue(forKey: node) else { return nil }
    remember(node, digest)
    return digest
  }

  mutating func remember(_ node: MerkleTree.Node, _ digest: [UInt8]) {
    guard most >= 2 else { return }
    if recent[node] == nil, recent.count >= most / 2 {
      older = recent
      recent = [:]
    }
    older[node] = nil
    recent[node] = digest
  }
}
