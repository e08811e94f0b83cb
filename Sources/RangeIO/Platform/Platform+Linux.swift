#if !canImport(Darwin)
  import CRangeIOLZ4

  /// What differs between the platforms: here Linux, in `Platform+Darwin.swift` Apple platforms.
  enum Platform {
    /// Whether a read can take what the page cache holds without waiting for a disk.
    static var readsResidentPages: Bool { true }

    /// The descriptors that the first timed wait of the process takes, including those it needs only for a moment.
    static var descriptorsOfFirstWait: CInt { 8 }

    /// Compresses an LZ4 block with liblz4. Returns the number of bytes written; 0 if `destination` is too small.
    static func compressLZ4(
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
    static func decompressLZ4(
      _ source: UnsafeRawPointer, count: Int, into destination: UnsafeMutableRawPointer, capacity: Int
    ) -> Int {
      Int(
        LZ4_decompress_safe(
          source.assumingMemoryBound(to: CChar.self), destination.assumingMemoryBound(to: CChar.self), CInt(count),
          CInt(capacity)))
    }
  }
#endif
