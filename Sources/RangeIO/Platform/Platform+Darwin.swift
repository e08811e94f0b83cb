#if canImport(Darwin)
  import Compression

  /// What differs between the platforms: here Apple platforms, in `Platform+Linux.swift` Linux.
  enum Platform {
    /// Whether a read can take what the page cache holds without waiting for a disk.
    static var readsResidentPages: Bool { false }

    /// The descriptors that the first timed wait of the process takes.
    static var descriptorsOfFirstWait: CInt { 0 }

    /// Compresses an LZ4 block with the system's library Compression, which knows no acceleration. Returns the number
    /// of bytes written; 0 if `destination` is too small.
    static func compressLZ4(
      _ source: UnsafeRawPointer, count: Int, into destination: UnsafeMutableRawPointer, capacity: Int,
      acceleration: Int
    ) -> Int {
      compression_encode_buffer(
        destination.assumingMemoryBound(to: UInt8.self), capacity, source.assumingMemoryBound(to: UInt8.self), count,
        nil, COMPRESSION_LZ4_RAW)
    }

    /// Decompresses an LZ4 block with the system's library Compression. Returns the number of bytes written; 0 if
    /// `source` is damaged.
    static func decompressLZ4(
      _ source: UnsafeRawPointer, count: Int, into destination: UnsafeMutableRawPointer, capacity: Int
    ) -> Int {
      compression_decode_buffer(
        destination.assumingMemoryBound(to: UInt8.self), capacity, source.assumingMemoryBound(to: UInt8.self), count,
        nil, COMPRESSION_LZ4_RAW)
    }
  }
#endif
