/// Decodes a source block by block. Use it for ciphers, interleaved checksums, and other encodings in which each block
/// can be decoded on its own. Your decoder gets the number of each block.
///
/// A cipher in counter mode, whose counter is the block number:
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Transforming(name: "aes-ctr:key7", blockSize: .bytes(16)) { block, encoded in
///     try cipher.decrypt(encoded, counter: block)
///   }
/// }
/// ```
///
/// With tags, such as the 16-byte tags of AES-GCM behind each 4 KiB, and a header before the first block:
///
/// ```swift
/// Transforming(
///   name: "aes-gcm:key7", blockSize: .kibibytes(4), encodedBlockSize: .bytes(4112), headerSize: .bytes(32)
/// ) { block, encoded in try open(encoded, nonce: nonce(block)) }
/// ```
///
/// The stage widens a request to whole blocks, reads them as one request, decodes each block once per request, and cuts
/// the answer from the result. The stages above see a source of the decoded size. The last block may be short: it then
/// loses as many bytes in decoding as every other block.
///
/// **Place.** Anywhere. Below ``Caching``, the cache keeps decoded bytes: each block is decoded once, and is
/// unencrypted in memory and on disk. Above ``Caching``, the cache keeps encoded bytes, which are decoded at every
/// read, including hits. Below ``Verifying``, the decoded bytes are checked; above it, the encoded ones. ``Limiting``
/// above it counts decoded bytes. Several `Transforming` stages may follow each other.
///
/// **Errors.** Any error that `decode` throws, unchanged. `ReadError.Code.corrupted` if the source ends within the
/// header, or if the last encoded block is shorter than what each block has in addition to its decoded bytes;
/// `invalidResponse` if `decode` returns a wrong number of bytes.
///
/// **Cancellation.** Noticed by the stages below, and between two blocks. A block that is being decoded is decoded to
/// its end.
///
/// **Cost.** Your decoder, for each block that the read touches. All these blocks stay in memory, encoded and decoded,
/// until the read returns. Decoding runs where the read runs.
public final class Transforming: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// Creates a stage that decodes.
  ///
  /// - Parameters:
  ///   - name: describes the transformation and everything that the result depends on, such as the key. Readers share
  ///     cached bytes if their names are equal.
  ///   - blockSize: the size of a decoded block; only the last may be shorter. Not zero.
  ///   - encodedBlockSize: the size of an encoded block, not less than `blockSize`. Default: the same.
  ///   - headerSize: the bytes before the first block, which the stages above do not see. Default: none.
  ///   - decode: decodes a block to exactly `blockSize` bytes; a short block to that many less the bytes that it lacks.
  ///     Gets the number of the block, counted from zero, and its bytes, which may lie in several pieces of memory.
  ///
  /// - Precondition: `blockSize` is neither zero nor more than `encodedBlockSize`. Check sizes that you read from a
  ///   file before you pass them.
  public init(
    name: String, blockSize: ByteCount, encodedBlockSize: ByteCount? = nil, headerSize: ByteCount = .bytes(0),
    decode: @escaping @Sendable (_ block: Int, _ encoded: Bytes) throws -> Bytes
  ) {
    super.init(
      TransformingStage(
        name: name, blockSize: blockSize, encodedBlockSize: encodedBlockSize, headerSize: headerSize, decode: decode))
  }
}
