/// The codecs of this library.
///
/// ```swift
/// configuration.codec = BuiltInCodec.identity
/// ```
public enum BuiltInCodec {
  /// LZ4 blocks, the default of a tier in memory: compresses about 0.5 GB per second and core, decompresses 2 GB or more. Its id is 1.
  ///
  /// The block format has neither a header nor a checksum: most flipped bits decode to other bytes unnoticed. Where
  /// that matters, the store must check the bytes first.
  ///
  /// Source: [LZ4 block format](https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md). liblz4 on Linux; on Apple
  /// platforms `COMPRESSION_LZ4_RAW` of the system's library Compression, which writes the same format.
  ///
  /// - Parameter acceleration: from 1, the smallest results, to 65,537. Each step is some 3% faster and compresses a
  ///   little less. Values out of range are clamped to the nearest. No effect on Apple platforms.
  public static func lz4(acceleration: Int = 1) -> some ChunkCodec { LZ4Codec(acceleration: acceleration) }

  /// LZ4 where that saves time, and bytes as they are where the disk is faster. This is the default of a disk tier,
  /// which measures its disk and LZ4 as it writes and reads. While there is room, it compresses if that takes less
  /// time; once full, it compresses what shrinks, since then more blocks fit. Everywhere else this is
  /// ``lz4(acceleration:)``. Its id is 1.
  public static var automatic: some ChunkCodec { AutomaticCodec() }

  /// Copies bytes unchanged: for data that is already compressed. Its id is 0.
  public static var identity: some ChunkCodec { IdentityCodec() }
}

/// See ``BuiltInCodec/lz4(acceleration:)``.
package struct LZ4Codec: LibraryCodec {
  package var id: UInt8 { 1 }
  package var identity: [UInt8] { [id] + withUnsafeBytes(of: acceleration.littleEndian) { Array($0) } }
  package var encodingNumber: UInt64 { UInt64(acceleration) << 8 | UInt64(id) }
  package let acceleration: Int

  package init(acceleration: Int = 1) { self.acceleration = min(max(1, acceleration), 65_537) }

  package func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    guard let from = source.baseAddress, let to = destination.baseAddress, source.count <= Self.maxByteCount else {
      return nil
    }
    let count = LZ4.compress(
      from, count: source.count, into: to, capacity: destination.count, acceleration: acceleration)
    return count > 0 ? count : nil
  }

  package func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    guard let from = source.baseAddress, let to = destination.baseAddress, destination.count <= Self.maxByteCount,
      source.count <= CInt.max
    else { return false }
    return LZ4.decompress(from, count: source.count, into: to, capacity: destination.count)
      == destination.count
  }

  /// `LZ4_MAX_INPUT_SIZE`.
  private static let maxByteCount = 0x7E00_0000
}

/// See ``BuiltInCodec/identity``.
package struct IdentityCodec: LibraryCodec {
  package var id: UInt8 { 0 }
  package var encodingNumber: UInt64 { 1 << 8 }

  package init() {}

  package func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    guard source.count <= destination.count else { return nil }
    destination.copyMemory(from: source)
    return source.count
  }

  package func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    guard source.count == destination.count else { return false }
    destination.copyMemory(from: source)
    return true
  }
}

/// See ``BuiltInCodec/automatic``. By itself it is LZ4: a store on a disk knows it by its type.
package struct AutomaticCodec: LibraryCodec {
  private let lz4 = LZ4Codec()

  package var id: UInt8 { lz4.id }
  package var identity: [UInt8] { lz4.identity }
  package var encodingNumber: UInt64 { lz4.encodingNumber }

  package init() {}

  package func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    lz4.encode(source, into: destination)
  }

  package func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    lz4.decode(source, into: destination)
  }
}

/// A codec of this library. These alone have ids below 128, and those of one identity make the same of the same bytes.
package protocol LibraryCodec: ChunkCodec {
  /// Its ``identity`` as a number, not 0.
  var encodingNumber: UInt64 { get }
}

/// The codecs of this library by id: what they have encoded can always be decoded.
package enum LibraryCodecs {
  private static let all: [any LibraryCodec] = [IdentityCodec(), LZ4Codec()]

  package static func numbered(_ id: UInt8) -> (any LibraryCodec)? { all.first { $0.id == id } }

  /// The most bytes that so many of the codec with this id decode to: of LZ4, a byte of a length adds 255 to it, and all
  /// other bytes stand for fewer.
  package static func maxDecoded(_ byteCount: Int, by id: UInt8) -> Int { id == 0 ? byteCount : byteCount * 255 }
}
