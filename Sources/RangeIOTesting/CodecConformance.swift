public import RangeIOTiers

/// Checks that a `ChunkCodec` fulfils its contract.
///
/// ```swift
/// @Test func `my codec is a codec`() throws { try CodecConformance.check(MyCodec(), seed: 1) }
/// ```
public enum CodecConformance {
  /// A violation of the contract by a codec.
  public struct Violation: Error, CustomStringConvertible {
    /// The fault of the codec, and the data.
    public let description: String
  }

  /// Encodes and decodes data of many kinds and sizes, also into buffers that are too small, and decodes damaged data.
  ///
  /// Under the address sanitizer this also finds reads and writes outside of the buffers.
  ///
  /// - Throws: ``Violation``.
  public static func check(_ codec: some ChunkCodec, seed: UInt64, rounds: Int = 100) throws {
    var random = SeededGenerator(seed: seed)
    // What an earlier round encoded, to be decoded out of turn.
    var earlier: (source: [UInt8], encoded: [UInt8])?
    for round in 0..<rounds {
      let source = data(round: round, &random)
      let what = "round \(round), seed \(seed), \(source.count) bytes"
      // More space than any codec needs.
      guard let encoded = try encode(codec, source, room: source.count * 2 + 1024) else {
        throw Violation(description: "does not encode into twice the room: \(what)")
      }
      if let (source, encoded) = earlier, try decode(codec, encoded, count: source.count) != source {
        throw Violation(description: "decodes what it encoded only until it encodes something else: \(what)")
      }
      if round % 8 == 0 { earlier = (source, encoded) }
      try checkDecoding(codec, encoded, source, what)
      try checkRoom(codec, source, encoded, what)
      try checkDamage(codec, encoded, source, what, &random)
    }
  }

  private static func checkDecoding(_ codec: some ChunkCodec, _ encoded: [UInt8], _ source: [UInt8], _ what: String)
    throws
  {
    guard try decode(codec, encoded, count: source.count) == source else {
      throw Violation(description: "does not decode what it encoded: \(what)")
    }
    guard try decode(codec, encoded, count: source.count + 1) == nil else {
      throw Violation(description: "claims to fill a byte more than was encoded: \(what)")
    }
  }

  private static func checkRoom(_ codec: some ChunkCodec, _ source: [UInt8], _ encoded: [UInt8], _ what: String) throws
  {
    for room in [1, encoded.count / 2, encoded.count - 1] where room > 0 {
      guard let short = try encode(codec, source, room: room) else { continue }
      guard try decode(codec, short, count: source.count) == source else {
        throw Violation(description: "says that it fits into \(room) bytes, where it does not: \(what)")
      }
    }
  }

  /// Decoding must return and must not write outside of the buffer. The decoded bytes may be anything.
  private static func checkDamage(
    _ codec: some ChunkCodec, _ encoded: [UInt8], _ source: [UInt8], _ what: String, _ random: inout SeededGenerator
  ) throws {
    for _ in 0..<8 {
      var damaged = encoded
      damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random)) }
      if !damaged.isEmpty { _ = try decode(codec, damaged, count: source.count) }
    }
  }

  /// The number of guard bytes behind each buffer, to find errors without a sanitizer.
  private static let guardCount = 64

  private static func encode(_ codec: some ChunkCodec, _ source: [UInt8], room: Int) throws -> [UInt8]? {
    try fill(room, "encoding") { buffer in source.withUnsafeBytes { codec.encode($0, into: buffer) } }
  }

  private static func decode(_ codec: some ChunkCodec, _ source: [UInt8], count: Int) throws -> [UInt8]? {
    try fill(count, "decoding") { buffer in source.withUnsafeBytes { codec.decode($0, into: buffer) } ? count : nil }
  }

  private static func fill(
    _ room: Int, _ what: String, _ body: (UnsafeMutableRawBufferPointer) -> Int?
  ) throws -> [UInt8]? {
    var memory = [UInt8](repeating: 0xA5, count: room + guardCount)
    let count = memory.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[..<room])) }
    guard memory[room...].allSatisfy({ $0 == 0xA5 }) else {
      throw Violation(description: "writes beyond its buffer of \(room) bytes when \(what)")
    }
    guard let count else { return nil }
    guard (0...room).contains(count) else {
      throw Violation(description: "says that it wrote \(count) bytes into \(room) when \(what)")
    }
    return Array(memory[..<count])
  }

  /// Zeros, noise, text-like and mixed data, from one byte to some 64 KiB.
  private static func data(round: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let largest = round % 16 == 0 ? 16 : 12
    let count =
      round < 20 ? round + 1 : Int.random(in: 1..<1 << Int.random(in: 4...largest, using: &random), using: &random)
    switch round % 4 {
    case 0: return Array(repeating: UInt8(truncatingIfNeeded: round), count: count)
    case 1: return noise(count, &random)
    case 2: return noise(count, &random).map { $0 & 0x0F }
    default:
      // Alternating noise and repetition.
      var data: [UInt8] = []
      while data.count < count {
        data += noise(120, &random)
        data += data.suffix(150)
      }
      return Array(data[..<count])
    }
  }

  private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let words = (0..<(count + 7) / 8).map { _ in random.next() }
    return words.withUnsafeBytes { Array($0[..<count]) }
  }
}
