import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A tree that has all its nodes, to compare with.
struct WholeTree {
  let digests: [MerkleTree.Node: [UInt8]]
  let root: MerkleTree.Node

  /// - Parameter leaves: the bytes of the blocks.
  init(_ leaves: [Bytes], _ hash: (Bytes) -> [UInt8]) {
    var digests: [MerkleTree.Node: [UInt8]] = [:]
    root = MerkleTree.Node(0..<leaves.count)
    func add(_ node: MerkleTree.Node) -> [UInt8] {
      let digest: [UInt8]
      if node.blocks.count == 1 {
        digest = MerkleTree.leafHash(leaves[node.blocks.lowerBound], hash)
      } else {
        let (left, right) = node.children
        digest = MerkleTree.nodeHash(add(left), add(right), hash)
      }
      digests[node] = digest
      return digest
    }
    _ = add(root)
    self.digests = digests
  }

  /// That of a node by its place.
  func digest(_ place: (level: Int, index: Int)) -> [UInt8] {
    digests.first { ($0.key.level, $0.key.index) == place }!.value
  }

  /// That of a synthetic source.
  init(byteCount: Int, blockSize: Int) {
    let blocks = EqualBlocks(size: blockSize)
    self.init(
      (0..<blocks.count(in: byteCount)).map { SyntheticSource.bytes(blocks.range(of: $0..<$0 + 1, in: byteCount)) },
      quickHash)
  }
}

struct MerkleTreeTests {
  private typealias Node = MerkleTree.Node

  @Test func `the hash of the tests is SHA-256`() {
    #expect(
      SHA256.hash([]) == [UInt8](hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    #expect(
      SHA256.hash(Array("abc".utf8))
        == [UInt8](hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      SHA256.hash(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == [UInt8](hex: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"))
  }

  /// The leaves and roots of the reference implementation of certificate transparency.
  @Test func `roots are those of RFC 6962`() {
    let leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
      .map { Bytes([UInt8](hex: $0)) }
    let roots = [
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ].map { [UInt8](hex: $0) }
    for count in 1...8 {
      let tree = WholeTree(Array(leaves.prefix(count))) { SHA256.hash($0) }
      #expect(tree.digests[tree.root] == roots[count - 1])
    }
  }

  @Test func `nodes have the levels and places that stores of trees use`() {
    #expect(Node(5..<6).level == 0 && Node(5..<6).index == 5)
    #expect(Node(4..<6).level == 1 && Node(4..<6).index == 2)
    #expect(Node(0..<7).level == 3 && Node(0..<7).index == 0)
    #expect(Node(4..<7).level == 2 && Node(4..<7).index == 1)
    #expect(Node(0..<7).children == (Node(0..<4), Node(4..<7)))
    #expect(Node(4..<7).children == (Node(4..<6), Node(6..<7)))
    for count in 1...200 {
      // No two nodes of a tree share a place.
      let nodes = WholeTree((0..<count).map { _ in Bytes() }) { _ in [] }.digests.keys
      #expect(nodes.count == 2 * count - 1)
      #expect(Set(nodes.map { [$0.level, $0.index] }).count == nodes.count)
    }
  }

  @Test func `every run of blocks in every tree of up to 33 is proved, by no more digests than it takes`() {
    for count in 1...33 {
      let tree = WholeTree((0..<count).map { Bytes([UInt8($0)]) }, quickHash)
      let combine = { MerkleTree.nodeHash($0, $1, quickHash) }
      for first in 0..<count {
        for last in first..<count {
          let runs = [first..<last + 1]
          var proof = MerkleProof(of: runs, root: tree.root) { $0 == tree.root ? tree.digests[$0] : nil }
          #expect(Set(proof.missing).count == proof.missing.count)
          #expect(proof.missing.count <= 2 * (runs[0].count + 2 * tree.root.level))
          let digests = proof.missing.map { tree.digests[$0]! }
          #expect(proof.check(digests, combine: combine) == nil)
          for block in runs[0] {
            #expect(proof.digest(of: Node(block..<block + 1)) == tree.digests[Node(block..<block + 1)])
          }
        }
      }
    }
  }

  @Test func `one forged digest, whichever, is found, and nothing below it is trusted`() throws {
    for count in [2, 3, 7, 8, 21] {
      let tree = WholeTree((0..<count).map { Bytes([UInt8($0)]) }, quickHash)
      for block in 0..<count {
        let known = { (node: Node) in node == tree.root ? tree.digests[node] : nil }
        let fresh = MerkleProof(of: [block..<block + 1], root: tree.root, known: known)
        for forged in fresh.missing.indices {
          var proof = fresh
          var digests = proof.missing.map { tree.digests[$0]! }
          digests[forged][3] ^= 1
          let found = try #require(proof.check(digests) { MerkleTree.nodeHash($0, $1, quickHash) })
          #expect(found.children.0 == proof.missing[forged] || found.children.1 == proof.missing[forged])
          #expect(proof.digest(of: proof.missing[forged]) == nil)
        }
      }
    }
  }

  @Test func `what is known already is not asked for again`() {
    let tree = WholeTree((0..<64).map { Bytes([UInt8($0)]) }, quickHash)
    let known = Set<Node>([tree.root, Node(32..<64), Node(32..<48), Node(40..<48), Node(40..<44), Node(40..<42)])
    let proof = MerkleProof(of: [40..<41], root: tree.root) { known.contains($0) ? tree.digests[$0] : nil }
    #expect(proof.missing == [Node(40..<41), Node(41..<42)])
    let all = MerkleProof(of: [40..<41], root: tree.root) { tree.digests[$0] }
    #expect(all.missing.isEmpty)
  }

  @Test func `memory is bounded and keeps what is used`() {
    var memory = MerkleMemory(most: 100)
    for number in 0..<10_000 {
      memory.remember(Node(number..<number + 1), [UInt8(truncatingIfNeeded: number)])
      _ = memory.digest(of: Node(0..<1))
      #expect(memory.count <= 100)
    }
    #expect(memory.digest(of: Node(0..<1)) == [0])
    #expect(memory.digest(of: Node(5000..<5001)) == nil)
    #expect(memory.digest(of: Node(9999..<10_000)) == [15])
    var none = MerkleMemory(most: 0)
    none.remember(Node(0..<1), [1])
    #expect(none.count == 0)
  }
}
