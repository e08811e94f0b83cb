// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is declared here is documented by Apple.
//
// The part of Apple's library Compression that this package uses, as its documentation declares it: compression_encode_buffer,
// compression_decode_buffer, compression_algorithm. Nothing here runs.

public struct compression_algorithm: RawRepresentable, Equatable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public var COMPRESSION_LZ4_RAW: compression_algorithm { compression_algorithm(0x101) }

public func compression_encode_buffer(
  _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
  _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int { fatalError("only for type checks") }

public func compression_decode_buffer(
  _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
  _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int { fatalError("only for type checks") }
