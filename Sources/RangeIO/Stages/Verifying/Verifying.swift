/// Checks every block against its digest. Only correct bytes reach the caller.
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
/// You give either the digest of each block, or the root of a ``Verifying/MerkleTree``, which is one digest for
/// everything. The stage widens a request to whole blocks, reads them as one request, checks each block, and cuts the
/// result to the requested ranges. So give a cache above this stage a block size that is a multiple of this one:
/// `Caching(store, blockSize:)`.
///
/// You supply the hash function: this library contains no cryptography.
///
/// **Place.** Below ``Caching``, so that only correct bytes are kept and hits are not checked again. Below
/// ``Retrying``, which reads corrupted blocks again. Below ``Hedging``, so that of two answers the correct one counts.
/// Above ``Limiting``, which must also count the extra bytes. Above ``Transforming`` it checks the decoded bytes, below
/// it the encoded ones.
///
/// **Errors.** `ReadError.Code.corrupted`, which is transient and names the block. `invalidConfiguration` if the
/// digests or the tree do not match the size of the source, or are of another hash. Any error that the provider of a
/// tree's nodes throws.
///
/// **Cancellation.** Noticed by the stages below, and between two blocks. A block that is being hashed is hashed to its
/// end.
///
/// **Cost.** Your hash of each block that the read touches. All these blocks stay in memory until the read returns.
/// Hashing runs where the read runs. Nodes of a tree that are not remembered are fetched in a separate task while the
/// blocks are read.
public final class Verifying: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// Creates a stage that checks each block against its own digest.
  ///
  /// - Parameters:
  ///   - blockSize: the size of the blocks that were hashed, of which the last may be shorter; not zero.
  ///   - digests: one for each block, in order, all of the same length.
  ///   - hash: hashes the bytes of a block, which may lie in several pieces of memory.
  ///
  /// - Precondition: `blockSize` is not zero. Check a size that you read from a file before you pass it.
  public init(
    blockSize: ByteCount, digests: some Collection<[UInt8]>, hash: @escaping @Sendable (Bytes) -> [UInt8]
  ) {
    super.init(VerifyingStage(blockSize: blockSize, digests: digests, hash: hash))
  }

  /// Creates a stage that checks each block against the root of a tree.
  ///
  /// - Parameter most: how many checked digests of nodes are remembered, each some hundred bytes. Default: 16,384.
  ///
  /// - Precondition: `most` is not negative.
  public init(_ tree: MerkleTree, remembering most: Int = 16_384) {
    super.init(VerifyingStage(tree, remembering: most))
  }
}
