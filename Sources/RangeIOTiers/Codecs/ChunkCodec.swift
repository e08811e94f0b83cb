package import RangeIO

/// Compresses and decompresses chunks for a compressed tier.
///
/// Pure and synchronous: it has no state, does not wait, and is called on any thread, any number of times at once. Ten
/// lines wrap a C library; the guide `Docs/Guides/WritingACodec.md` does it with zstd.
///
/// **What the caller guarantees.** Buffers are not empty, have at most 1 GiB, and do not overlap. Input to decode was
/// usually encoded by the same codec, but may come from a disk: it can be anything.
///
/// **What you must do.** Read and write only inside the buffers, whatever they contain. Decode exactly what was
/// encoded. `CodecConformance` of `RangeIOTesting` checks this.
public protocol ChunkCodec: Sendable {
  /// Identifies this codec in stored chunks: 128 to 255. 0 to 127 are this library's, and a disk refuses them from other
  /// codecs.
  var id: UInt8 { get }

  /// Identifies the format in full: ``id``, and whatever a decoder must have the same, such as a version, and the name
  /// or digest of a key or dictionary. Never the key itself: it is digested, but not kept secret. A disk does not find
  /// chunks that a codec of another identity has written. Default: ``id`` alone.
  var identity: [UInt8] { get }

  /// Encodes `source` into the start of `destination`.
  ///
  /// - Returns: the number of bytes written; `nil` if `destination` is too small or encoding fails.
  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int?

  /// Decodes `source` so that it fills `destination` exactly.
  ///
  /// - Returns: `false` if `source` does not encode exactly that many bytes, as far as the codec can tell. The contents
  ///   of `destination` do not matter then.
  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool
}

extension ChunkCodec {
  /// The number alone.
  public var identity: [UInt8] { [id] }
}

extension ChunkCodec {
  /// The encoding it makes; `nil` of a user's codec that is a value: of two of those nothing is known, even if they have one id.
  package var encoding: ChunkEncoding? {
    if let library = self as? any LibraryCodec { return ChunkEncoding(number: library.encodingNumber) }
    // A cast of a value would make an object of it.
    guard Self.self is AnyObject.Type else { return nil }
    return ChunkEncoding(of: self, ObjectIdentifier(self as AnyObject))
  }
}

extension EncodedBytes {
  convenience init(_ bytes: Bytes, by codec: any ChunkCodec, of count: Int) {
    self.init(bytes, by: codec.encoding, of: count) { codec.decode($0, into: $1) }
  }
}

extension Chunk {
  /// Returns the bytes as this codec has encoded them, if it has.
  func encoded(by codec: any ChunkCodec) -> Bytes? {
    encoded.flatMap { $0.encoding != nil && $0.encoding == codec.encoding ? $0.bytes : nil }
  }
}
