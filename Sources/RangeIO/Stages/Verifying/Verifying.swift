extension ReadPipeline {
  /// Checks every block against its digest. Only correct bytes reach the caller.
  ///
  /// ```swift
  /// let reader = try await RangeReader(
  ///   source,
  ///   [
  ///     .caching(store),
  ///     .retrying(),
  ///     .verifying(blockSize: .kibibytes(64), digests: digests) { bytes in
  ///       var hasher = SHA256()
  ///       bytes.forEachSpan { span in span.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
  ///       return Array(hasher.finalize())
  ///     },
  ///   ])
  /// ```
  ///
  /// If one digest for everything suits you better, use ``verifying(merkleRoot:byteCount:blockSize:maxRememberedNodes:hash:nodes:)``.
  /// The stage widens a request to whole blocks, reads them as one request, checks each block, and cuts the
  /// result to the requested ranges. So give a cache above this stage a block size that is a multiple of this one:
  /// `.caching(store, blockSize:)`.
  ///
  /// You supply the hash function: this library contains no cryptography.
  ///
  /// **Place.** Below `.caching`, so that only correct bytes are kept and hits are not checked again. Below
  /// `.retrying`, which reads corrupted blocks again. Below `.hedging`, so that of two answers the correct one counts.
  /// Above `.limiting`, which must also count the extra bytes. Above `.decoding` it checks the decoded bytes, below
  /// it the encoded ones.
  ///
  /// **Errors.** `ReadError.Code.corrupted`, which is transient and names the block. `invalidConfiguration` if the
  /// digests do not match the size of the source, or are of another hash.
  ///
  /// **Cancellation.** Noticed by the stages below, and between two blocks. A block that is being hashed is hashed to its
  /// end.
  ///
  /// **Cost.** Your hash of each block that the read touches. All these blocks stay in memory until the read returns.
  /// Up to 256 KiB are hashed where the read runs, more on a thread that belongs to no actor.
  ///
  /// - Parameters:
  ///   - blockSize: the size of the blocks that were hashed, of which the last may be shorter; not zero.
  ///   - digests: one for each block, in order, all of the same length.
  ///   - hash: hashes the bytes of a block, which may lie in several pieces of memory.
  ///
  /// - Precondition: `blockSize` is not zero. Check a size that you read from a file before you pass it.
  public static func verifying(
    blockSize: ByteCount, digests: some Collection<[UInt8]>, hash: @escaping @Sendable (Bytes) -> [UInt8]
  ) -> ReadPipeline {
    precondition(blockSize.bytes > 0, "a block has bytes")
    return .stage(VerifyingStage(.digests(BlockDigests(digests, blockSize: blockSize.bytes), hash: hash)))
  }

  /// Checks every block against one digest: the root of a tree of hashes over the blocks, as in Certificate
  /// Transparency (RFC 9162, section 2.1.1; the same as in RFC 6962).
  ///
  /// The hash of a block covers a zero byte and the bytes of the block. The hash of a node covers a byte of value one
  /// and the hashes of its two children. A node of `n` blocks has the first 2ᵏ of them on the left, where 2ᵏ is the
  /// largest power of two less than `n`.
  ///
  /// ```swift
  /// let verifying: ReadPipeline = .verifying(
  ///   merkleRoot: root, byteCount: 1 << 40, blockSize: .kibibytes(64),
  ///   hash: { bytes in
  ///     var hasher = SHA256()
  ///     bytes.forEachSpan { span in span.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
  ///     return Array(hasher.finalize())
  ///   },
  ///   nodes: { nodes in try await server.digests(of: nodes) })
  /// ```
  ///
  /// Only the root is trusted. The digests that `nodes` returns are checked against it, so they may come from the same
  /// place as the source. Otherwise this is ``verifying(blockSize:digests:hash:)``: that page says where it may stand, and
  /// what it costs. Nodes that are not remembered are fetched in a separate task while the blocks are read.
  ///
  /// **Errors.** `ReadError.Code.corrupted`, which is transient and names the block. `invalidConfiguration` if the
  /// source has another size, or the hash another length than the root. Any error that `nodes` throws.
  ///
  /// - Parameters:
  ///   - root: the hash of all blocks, from a place that you trust.
  ///   - byteCount: the size of the source, in bytes. If the source has another size, reads throw.
  ///   - blockSize: the size of the blocks that were hashed, of which the last may be shorter; not zero.
  ///   - maxRememberedNodes: how many checked digests of nodes are remembered, each some hundred bytes. Default: 16,384.
  ///   - hash: hashes bytes, which may lie in several pieces of memory. Returns as many bytes as `root` has.
  ///   - nodes: fetches the digests of nodes, in the given order. A node has a level and an index. The level is zero
  ///     for a block's own hash, otherwise one more than the higher of its children. The index counts the nodes of a
  ///     level from zero. It must respond to cancellation.
  ///
  /// - Precondition: `blockSize` is not zero, and `maxRememberedNodes` not negative. Check a size that you read from a file
  ///   before you pass it.
  public static func verifying(
    merkleRoot root: [UInt8], byteCount: Int, blockSize: ByteCount, maxRememberedNodes: Int = 16_384,
    hash: @escaping @Sendable (Bytes) -> [UInt8],
    nodes: @escaping @Sendable ([(level: Int, index: Int)]) async throws -> [[UInt8]]
  ) -> ReadPipeline {
    precondition(blockSize.bytes > 0, "a block has bytes")
    precondition(maxRememberedNodes >= 0, "no number of nodes is negative")
    let tree = MerkleTree(root: root, byteCount: byteCount, blockSize: blockSize.bytes, hash: hash, nodes: nodes)
    return .stage(VerifyingStage(.tree(MerkleVerifier(tree, remembering: maxRememberedNodes))))
  }
}

/// The stage of `.verifying`: reads whole blocks, and checks them against their digests.
final class VerifyingStage: ReadStage {
  enum Knowledge {
    case digests(BlockDigests, hash: @Sendable (Bytes) -> [UInt8])
    case tree(MerkleVerifier)
  }

  private let knowledge: Knowledge
  private let blocks: EqualBlocks
  private let counts = Stripes()

  private enum Count: Int {
    case reads, blocks, corrupted, bytesBeside, nodes
  }

  init(_ knowledge: Knowledge) {
    self.knowledge = knowledge
    blocks =
      switch knowledge {
      case .digests(let digests, _): digests.blocks
      case .tree(let tree): tree.blocks
      }
  }

  var placement: ReadPipeline.Placement { .verifying }

  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.reads.rawValue)
    let source = request.source
    try checkSize(of: source)
    let runs = blocks.runs(covering: request.ranges)
    guard !runs.isEmpty else { return ReadResponse(request.ranges.mapped { _ in Bytes() }) }
    let ranges = runs.map { blocks.range(of: $0, in: source.byteCount) }
    // A request for whole blocks goes down unchanged, including the grid of the cache above.
    let wide = ranges.elementsEqual(request.ranges) ? request : request.asking(for: ranges)
    counts.add(wide.byteCount - min(request.byteCount, wide.byteCount), to: Count.bytesBeside.rawValue)
    let (response, proof) = try await readBlocks(runs, wide, next)
    try response.check(wide)
    return try await BackgroundWork.offActor(of: wide.byteCount) { [self] in
      var checked = BlockRuns()
      for ((run, range), bytes) in zip(zip(runs, ranges), response.pieces) {
        do {
          try check(bytes, run, from: range.lowerBound, proof, source)
        } catch {
          counts.add(1, to: Count.corrupted.rawValue)
          throw error
        }
        checked.append(range, bytes)
      }
      return checked.response(to: request)
    }
  }

  private func checkSize(of source: SourceDescription) throws(ReadError) {
    switch knowledge {
    case .digests(let digests, _): try digests.check(source)
    case .tree(let tree): try tree.check(source)
    }
  }

  /// The blocks, and their trusted hashes if there is a tree.
  private nonisolated(nonsending) func readBlocks(
    _ runs: [Range<Int>], _ wide: ReadRequest, _ next: ReadNext
  ) async throws -> (ReadResponse, MerkleProof?) {
    guard case .tree(let verifier) = knowledge else { return (try await next(wide), nil) }
    var proof = verifier.proof(of: runs)
    guard !proof.missing.isEmpty else { return (try await next(wide), proof) }
    counts.add(proof.missing.count, to: Count.nodes.rawValue)
    let digests = Promise<[[UInt8]]>()
    let places = proof.missing.map { (level: $0.level, index: $0.index) }
    let getting = next.background.start { [nodes = verifier.tree.nodes] in
      do { digests.resolve(.success(try await nodes(places))) } catch { digests.fail(error) }
    }
    do {
      let response = try await next(wide)
      try verifier.check(&proof, try await next.wait(for: digests), in: wide.source)
      return (response, proof)
    } catch {
      getting.cancel()
      throw error
    }
  }

  private func check(
    _ bytes: Bytes, _ run: Range<Int>, from start: Int, _ proof: MerkleProof?, _ source: SourceDescription
  ) throws {
    for block in run {
      try Task.checkCancellation()
      let range = blocks.range(of: block..<block + 1, in: source.byteCount)
      let piece = bytes.slice(range.lowerBound - start..<range.upperBound - start)
      switch knowledge {
      case .digests(let digests, let hash): try digests.check(hash(piece), of: block, in: source)
      case .tree(let verifier): if let proof { try verifier.check(piece, of: block, proof, in: source) }
      }
    }
    counts.add(run.count, to: Count.blocks.rawValue)
  }

  /// Reads, blocks that were correct, reads with a block that was not, extra bytes that were read to complete blocks,
  /// and digests of nodes that were fetched.
  func statistics() -> Counters? {
    Counters("Verifying", counts, "reads", "blocks", "corrupted", "bytes beside", "nodes asked for")
  }
}
