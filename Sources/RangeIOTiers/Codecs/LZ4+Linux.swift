#if !canImport(Darwin)
  import CRangeIOLZ4

  /// LZ4 blocks: here by liblz4, in `LZ4+Darwin.swift` by the system's library Compression.
  enum LZ4 {
    /// Compresses an LZ4 block with liblz4. Returns the number of bytes written; 0 if `destination` is too small.
    static func compress(
      _ source: UnsafeRawPointer, count: Int, into destination: UnsafeMutableRawPointer, capacity: Int,
      acceleration: Int
    ) -> Int {
      Int(
        LZ4_compress_fast(
          source.assumingMemoryBound(to: CChar.self), destination.assumingMemoryBound(to: CChar.self), CInt(count),
          CInt(clamping: capacity), CInt(acceleration)))
    }

    /// Decompresses an LZ4 block with liblz4, with bounds checks. Returns the number of bytes written; 0 or less if
    /// `source` is damaged or `destination` is too small.
    static func decompress(
      _ source: UnsafeRawPointer, count: Int, into destination: UnsafeMutableRawPointer, capacity: Int
    ) -> Int {
      Int(
        LZ4_decompress_safe(
          source.assumingMemoryBound(to: CChar.self), destination.assumingMemoryBound(to: CChar.self), CInt(count),
          CInt(capacity)))
    }
  }
#endif
