import CZstd
import RangeIOTiers

/// Zstandard: smaller than LZ4, and slower.
struct ZstdCodec: ChunkCodec {
  var level: CInt = 3
  var id: UInt8 { 128 }

  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    let count = ZSTD_compress(destination.baseAddress, destination.count, source.baseAddress, source.count, level)
    return ZSTD_isError(count) == 0 ? count : nil
  }

  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    // An error is a number beyond any size, and so never the right one.
    ZSTD_decompress(destination.baseAddress, destination.count, source.baseAddress, source.count) == destination.count
  }
}
