import RangeIO
import RangeIOTesting
import RangeIOTiers
import Testing

@testable import RangeIOTestSupport

@Suite struct CodecTests {
  @Test(arguments: 1...5) func `LZ4 keeps the contract of codecs`(seed: UInt64) throws {
    try CodecConformance.check(LZ4Codec(), seed: seed)
    try CodecConformance.check(LZ4Codec(acceleration: 50), seed: seed)
  }

  @Test func `the identity keeps the contract of codecs`() throws {
    try CodecConformance.check(IdentityCodec(), seed: 1)
  }

  @Test func `an acceleration out of bounds counts as the nearest`() {
    #expect(LZ4Codec(acceleration: -3).acceleration == 1)
    #expect(LZ4Codec(acceleration: .max).acceleration == 65_537)
  }

  @Test func `what LZ4 cannot make smaller does not fit into less`() {
    var random = SeededGenerator(seed: 1)
    let noise = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &random) }
    var room = [UInt8](repeating: 0, count: 65_536 * 7 / 8)
    let count = noise.withUnsafeBytes { source in room.withUnsafeMutableBytes { LZ4Codec().encode(source, into: $0) } }
    #expect(count == nil)
  }

  /// From the description of the format: a token, literals, and a match of offset 1 that overlaps itself; the last
  /// five bytes are literals.
  @Test func `LZ4 decodes the block format as it is described`() {
    let block: [UInt8] = [0x1B, 0x61, 0x01, 0x00, 0x50, 0x62, 0x63, 0x64, 0x65, 0x66]
    var decoded = [UInt8](repeating: 0, count: 21)
    let isDecoded = block.withUnsafeBytes { source in
      decoded.withUnsafeMutableBytes { LZ4Codec().decode(source, into: $0) }
    }
    #expect(isDecoded)
    #expect(decoded == Array(String(repeating: "a", count: 16).utf8) + Array("bcdef".utf8))
  }

  @Test func `codecs know each other's work by their numbers`() {
    #expect(IdentityCodec().id == 0)
    #expect(LZ4Codec().id == 1)
    #expect(BuiltInCodec.identity.id == 0 && BuiltInCodec.lz4().id == 1)
  }
}
