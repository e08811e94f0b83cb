#if canImport(Darwin)
  import Compression

  /// LZ4 blocks: here by the system's library Compression, in `LZ4+Linux.swift` by liblz4.
  enum LZ4 {
    /// Compresses an LZ4 block with the system's library Compression, which knows no acceleration. Returns the number
    /// of bytes written; 0 if `destination` is too small.
    static func compress(
      _ source: UnsafeRawPointer, count: Int, into destination: UnsafeMutableRawPointer, capacity: Int,
      acceleration: Int
    ) -> Int {
      compression_encode_buffer(
        destination.assumingMemoryBound(to: UInt8.self), capacity, source.assumingMemoryBound(to: UInt8.self), count,
        nil, COMPRESSION_LZ4_RAW)
    }

    /// Decompresses an LZ4 block with the system's library Compression. Returns the number of bytes written; 0 if
    /// `source` is damaged.
    static func decompress(
      _ source: UnsafeRawPointer, count: Int, into destination: UnsafeMutableRawPointer, capacity: Int
    ) -> Int {
      compression_decode_buffer(
        destination.assumingMemoryBound(to: UInt8.self), capacity, source.assumingMemoryBound(to: UInt8.self), count,
        nil, COMPRESSION_LZ4_RAW)
    }
  }
#endif
