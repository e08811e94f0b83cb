import Foundation
import RangeIO
import RangeIOTiers

/// Says what is wrong, and ends the program.
func check(_ isRight: Bool, _ words: String) {
  guard !isRight else { return }
  print("wrong: \(words)")
  exit(1)
}

/// Encodes a chunk, compares what it decodes to, and damages it.
///
/// - Returns: the bytes that it takes; all of them if encoding does not save an eighth.
func roundTrip(_ chunk: [UInt8], by codec: some ChunkCodec) -> Int {
  var encoded = [UInt8](repeating: 0, count: max(1, chunk.count * 7 / 8))
  let count = chunk.withUnsafeBytes { source in encoded.withUnsafeMutableBytes { codec.encode(source, into: $0) } }
  guard let count else { return chunk.count }
  check(decode(encoded[..<count], count: chunk.count, by: codec) == chunk, "other bytes came out of codec \(codec.id)")
  check(decode(encoded[..<count], count: chunk.count + 1, by: codec) == nil, "more bytes came out than went in")
  // What a disk gives back may be damaged. It decodes to anything or nothing, and the program goes on.
  encoded[count / 2] ^= 0x10
  _ = decode(encoded[..<count], count: chunk.count, by: codec)
  return count
}

private func decode(_ encoded: ArraySlice<UInt8>, count: Int, by codec: some ChunkCodec) -> [UInt8]? {
  var decoded = [UInt8](repeating: 0, count: count)
  let isWhole = encoded.withUnsafeBytes { source in decoded.withUnsafeMutableBytes { codec.decode(source, into: $0) } }
  return isWhole ? decoded : nil
}
