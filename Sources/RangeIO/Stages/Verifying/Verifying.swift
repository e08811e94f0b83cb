/// Lets nothing pass that is not what its digest says.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Retrying()
///   Verifying(blockSize: .kibibytes(64), digests: digests) { bytes in
///     var hasher = SHA256()
///     bytes.forEachSpan { span in span.withUnsafeBytes { hasher.update(bufferPointer: $0) } }
///     return Array(hasher.finalize())
///   }
/// }
/// ```
///
/// Either each block's digest is given, or the root of a ``MerkleTree``, which is one digest for all. What is asked for
/// is widened to whole blocks, read as one request, checked block by block, and cut again. So a cache above is best
/// given blocks that are a multiple of these: `Caching(store, blockSize:)`.
///
/// The hash is yours: this library has no cryptography of its own.
///
/// **Place.** Below ``Caching``, so that only what is right is kept and hits are not checked again; below ``Retrying``,
/// which reads again what came damaged, and below ``Hedging``, so that of two answers the right one counts; above
/// ``Limiting``, which has to see what is read besides. Above ``Transforming`` it checks what is decoded, below it what
/// is encoded.
///
/// **Errors.** `ReadError.Code.corrupted`, transient, names the block. `invalidConfiguration` if digests or tree are
/// not of a source of this size, or of another hash. What the provider of a tree's nodes throws.
///
/// **Cancellation.** Noticed below, and between two blocks: one that is being hashed is hashed to its end.
///
/// **Cost.** Your hash of each block that the read touches, all of which are held until the read returns. Hashing runs
/// where the read does. A tree's nodes are got while the blocks are read, by a task of their own, if any
/// are not remembered.
public final class Verifying: ReadStage {
  private enum Knowledge {
    case digests(BlockDigests, hash: @Sendable (Bytes) -> [UInt8])
    case tree(MerkleVerifier)
  }

  private let knowledge: Knowledge
  private let blocks: EqualBlocks
  private let counts = Stripes()

  private enum Count: Int {
    case reads, blocks, corrupted, bytesBeside, nodes
  }

  /// Checks each block against its own digest.
  ///
  /// - Parameters:
  ///   - blockSize: of the blocks that the digests were made of, the last of which may be short; not zero.
  ///   - digests: one for each block, in order, all of the same length.
  ///   - hash: hashes the bytes of a block, which may lie in several pieces.
  ///
  /// - Precondition: `blockSize` is not zero. Compare one that you read from a file first.
  public init(
    blockSize: ByteCount, digests: some Collection<[UInt8]>, hash: @escaping @Sendable (Bytes) -> [UInt8]
  ) {
    precondition(blockSize.bytes > 0, "a block has bytes")
    let digests = BlockDigests(digests, blockSize: blockSize.bytes)
    knowledge = .digests(digests, hash: hash)
    blocks = digests.blocks
  }

  /// Checks each block against the root of a tree.
  ///
  /// - Parameter most: the digests of nodes that are remembered once they are checked, each some hundred bytes.
  ///   Default: 16,384.
  ///
  /// - Precondition: `most` is not negative.
  public init(_ tree: MerkleTree, remembering most: Int = 16_384) {
    precondition(most >= 0, "no number of nodes is negative")
    knowledge = .tree(MerkleVerifier(tree, remembering: most))
    blocks = EqualBlocks(size: tree.blockSize)
  }

  /// Below the cache and what tries again, above what limits.
  public var placement: StagePlacement { .verifying }

  /// What the stages below answer, checked.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.reads.rawValue)
    let source = request.source
    try checkSize(of: source)
    let runs = blocks.runs(covering: request.ranges)
    guard !runs.isEmpty else { return ReadResponse(Bytes(), moreBytes: request.moreRanges.map { _ in Bytes() }) }
    let ranges = runs.map { blocks.range(of: $0, in: source.byteCount) }
    // What is whole blocks already goes down as it is, with what a cache wishes for.
    let isWhole = request.moreRanges.isEmpty && ranges == [request.range]
    let wide = isWhole ? request : request.asking(for: ranges)
    counts.add(wide.byteCount - min(request.byteCount, wide.byteCount), to: Count.bytesBeside.rawValue)
    let (response, proof) = try await readBlocks(runs, wide, next)
    try response.check(wide)
    var checked = BlockRuns()
    for (index, run) in runs.enumerated() {
      let bytes = index == 0 ? response.bytes : response.moreBytes[index - 1]
      do {
        try check(bytes, run, from: ranges[index].lowerBound, proof, source)
      } catch {
        counts.add(1, to: Count.corrupted.rawValue)
        throw error
      }
      checked.append(ranges[index], bytes)
    }
    return checked.response(to: request)
  }

  private func checkSize(of source: SourceDescription) throws(ReadError) {
    switch knowledge {
    case .digests(let digests, _): try digests.check(source)
    case .tree(let tree): try tree.check(source)
    }
  }

  /// The blocks, and if there is a tree, their trusted hashes.
  private nonisolated(nonsending) func readBlocks(
    _ runs: [Range<Int>], _ wide: ReadRequest, _ next: ReadNext
  ) async throws -> (ReadResponse, MerkleProof?) {
    guard case .tree(let verifier) = knowledge else { return (try await next(wide), nil) }
    var proof = verifier.proof(of: runs)
    guard !proof.missing.isEmpty else { return (try await next(wide), proof) }
    counts.add(proof.missing.count, to: Count.nodes.rawValue)
    let digests = Promise<[[UInt8]]>()
    let getting = next.background.start { [missing = proof.missing, nodes = verifier.tree.nodes] in
      do { digests.resolve(.success(try await nodes(missing))) } catch { digests.fail(error) }
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

  /// Reads, blocks that were right, reads with a block that was not, bytes that were read to make blocks whole, and
  /// digests of nodes that were asked for.
  public func statistics() -> StageStatistics? {
    func count(_ name: String, _ count: Count) -> StageStatistics.Count { .init(name, counts.sum(count.rawValue)) }
    return StageStatistics(
      stage: "Verifying",
      counts: [
        count("reads", .reads), count("blocks", .blocks), count("corrupted", .corrupted),
        count("bytes beside", .bytesBeside), count("nodes asked for", .nodes),
      ])
  }
}
