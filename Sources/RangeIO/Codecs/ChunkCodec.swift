/// Makes chunks smaller, and gives them back: what a compressed tier compresses with.
///
/// Pure and synchronous: no state, no waiting, any thread, any number at once. Ten lines wrap a library of C; the guide
/// `Docs/Guides/WritingACodec.md` does it with zstd.
///
/// **What the caller guarantees.** Buffers are not empty, have at most 1 GiB, and do not overlap. What is to be decoded
/// was usually encoded by the same codec, but may come from a disk: anything.
///
/// **What you must do.** Read and write inside of the buffers only, whatever they hold. Decode exactly what was encoded.
/// `CodecConformance` of `RangeIOTesting` checks it.
public protocol ChunkCodec: Sendable {
  /// What stored chunks name this codec by. 0 to 127 are this library's (``IdentityCodec`` 0, ``LZ4Codec`` 1).
  var id: UInt8 { get }

  /// Encodes `source` into the start of `destination`.
  ///
  /// - Returns: the bytes written; `nil` if more would be needed than `destination` has, or it cannot be done.
  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int?

  /// Decodes `source` so that it fills `destination` exactly.
  ///
  /// - Returns: false if `source` is not the encoding of exactly so many bytes, as far as the codec can tell. What is
  ///   in `destination` does not matter then.
  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool
}
