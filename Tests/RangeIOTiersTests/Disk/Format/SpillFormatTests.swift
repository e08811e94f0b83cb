import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What is written is read, and nonsense is refused without a trap.
struct SpillFormatTests {
  private func identity(_ random: inout TestRandom) -> SpillIdentity {
    let id = String(repeating: "é", count: 1 + random.below(40))
    let source = SourceDescription(
      id: id, validator: ModelValidator(number: random.below(1 << 30)), byteCount: random.below(1 << 40))
    return SpillIdentity(source, BlockGrid(blockSize: 1 << random.below(31))!)!
  }

  @Test(arguments: testSeeds)
  func `identities, records and footers come back as they were`(_ seed: UInt64) {
    var random = TestRandom(seed)
    let identity = identity(&random)
    let again = identity.bytes.withUnsafeBytes { SpillIdentity($0) }
    #expect(again == identity && again?.id == identity.id && again?.shift == identity.shift)
    var record = SpillRecord(.chunk)
    record.codec = UInt8(random.below(256))
    (record.source, record.identityCheck) = (UInt32(random.below(1 << 32)), identity.check)
    (record.block, record.sequence) = (random.next(), random.next())
    record.fetchedAt = Int64(bitPattern: random.next())
    (record.count, record.stored) = (UInt32(random.below(1 << 32)), UInt32(random.below(1 << 32)))
    var bytes = [UInt8](repeating: 0xFF, count: SpillFormat.recordHeaderCount)
    bytes.withUnsafeMutableBytes { record.write(to: $0, segmentCheck: 77) }
    #expect(bytes.withUnsafeBytes { SpillRecord($0, segmentCheck: 77) } == record)
    #expect(bytes.withUnsafeBytes { SpillRecord($0, segmentCheck: 78) } == nil)
    let bit = random.below(bytes.count * 8)
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    #expect(bytes.withUnsafeBytes { SpillRecord($0, segmentCheck: 77) } == nil)
    let footer = footer(&random)
    #expect(Self.written(footer).withUnsafeBytes { SpillFooter($0, at: 1 << 30) } == footer)
  }

  private func footer(_ random: inout TestRandom) -> SpillFooter {
    var footer = SpillFooter()
    footer.firstSequence = UInt64(1 + random.below(1 << 40))
    footer.lastSequence = footer.firstSequence + UInt64(random.below(1 << 20))
    let sources = 1 + random.below(5)
    for _ in 0..<sources { footer.identities.append(identity(&random)) }
    for _ in 0..<random.below(5) {
      footer.tombstones.append(
        .init(
          source: UInt32(random.below(sources)), blocks: 3..<9,
          bound: UInt64(random.below(Int(footer.lastSequence) + 1))))
    }
    for _ in 0..<random.below(20) {
      var record = SpillRecord(.chunk)
      (record.block, record.fetchedAt) = (random.next(), Int64(bitPattern: random.next()))
      (record.stored, record.count) = (UInt32(1 + random.below(1 << 20)), 1 << 20)
      record.source = UInt32(random.below(sources))
      record.sequence = footer.firstSequence
      record.sequence += UInt64(random.below(Int(footer.lastSequence - footer.firstSequence) + 1))
      footer.entries.append(.init(record, at: 64 + random.below(1 << 20) * 8))
    }
    return footer
  }

  private static func written(_ footer: SpillFooter) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: footer.byteCount)
    bytes.withUnsafeMutableBytes { footer.write(to: $0) }
    return bytes
  }

  @Test(arguments: testSeeds)
  func `nonsense is refused, or read as something, but never traps`(_ seed: UInt64) {
    var random = TestRandom(seed)
    for _ in 0..<400 {
      var bytes = random.below(2) == 0 ? random.array(random.below(200)) : Self.written(footer(&random))
      for _ in 0..<random.below(6) where !bytes.isEmpty {
        let place = random.below(min(bytes.count, 64))
        bytes[place] = [0, 1, 0x7F, 0xFF, UInt8(random.below(256))][random.below(5)]
      }
      if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count + 1)) }
      bytes.withUnsafeBytes { buffer in
        if let footer = SpillFooter(buffer, at: 1 << 20) { _ = Self.written(footer) }
        if let identity = SpillIdentity(buffer) {
          _ = (identity.id, identity.count(ofBlock: .max), identity.count(ofBlock: random.below(1 << 40)))
        }
        _ = SpillRecord(buffer, segmentCheck: 0)
        _ = SpillRoot(buffer)
        _ = SpillSegmentHeader.read(buffer)
        _ = SpillPrefix(buffer)
        _ = SpillTrailer.footer(buffer, length: random.below(1 << 20), segmentCheck: 0)
      }
    }
  }

  @Test func `a payload belongs to a record if its size and its sum do`() {
    var record = SpillRecord(.chunk)
    let bytes: [UInt8] = Array(0..<100)
    bytes.withUnsafeBytes { record.describe($0) }
    #expect(bytes.withUnsafeBytes { record.matches($0) })
    // As long, with another byte; and of the same sum, but not of the size that was noted.
    #expect(!(bytes.dropLast() + [0]).withUnsafeBytes { record.matches($0) })
    record.stored += 1
    #expect(!bytes.withUnsafeBytes { record.matches($0) })
  }

  @Test func `a tag protects the header up to the sum of the payload`() {
    var record = SpillRecord(.chunk)
    (record.codec, record.source, record.identityCheck, record.block) = (1, 2, 3, 4)
    (record.sequence, record.lower, record.count, record.stored) = (5, 6, 7, 8)
    var header = [UInt8](repeating: 0xFF, count: SpillFormat.recordHeaderCount)
    header.withUnsafeMutableBytes { record.write(to: $0, segmentCheck: 9) }
    var protected = [UInt8](repeating: 0xFF, count: 52)
    protected.withUnsafeMutableBytes { record.writeProtected(to: $0) }
    #expect(protected == Array(header[..<52]))
  }

  @Test(arguments: [(5, 5, 7, true), (5, 4, 7, false), (5, 6, 8, true), (5, 6, 9, false)])
  func `a tombstone removes no blocks in front of its own, and nothing that comes after it`(
    block: Int, end: Int, bound: Int, isValid: Bool
  ) {
    var record = SpillRecord(.tombstone)
    (record.block, record.sequence) = (UInt64(block), 8)
    var payload = [UInt8](repeating: 0, count: SpillFormat.tombstoneCount)
    payload.withUnsafeMutableBytes {
      $0.put(UInt64(end), 0)
      $0.put(UInt64(bound), 8)
    }
    #expect((payload.withUnsafeBytes { SpillTombstone(record, $0) } != nil) == isValid)
  }

  @Test func `sequences that were not counted are nonsense`() {
    var footer = SpillFooter()
    (footer.firstSequence, footer.lastSequence) = (1, .max)
    #expect(Self.written(footer).withUnsafeBytes { SpillFooter($0, at: 1 << 30) } == nil)
    (footer.firstSequence, footer.lastSequence) = (9, 8)
    #expect(Self.written(footer).withUnsafeBytes { SpillFooter($0, at: 1 << 30) } == nil)
  }

  @Test func `names of files and private directories are told from others`() {
    // Nobody has counted so far.
    #expect(SpillFormat.segmentNumber(SpillFormat.segmentName(.max)) == nil)
    #expect(SpillFormat.segmentNumber(SpillFormat.segmentName(0)) == 0)
    for name in ["", "0", "00000000000000AB", "000000000000000g", "+000000000000001", "0000000000000001x"] {
      #expect(SpillFormat.segmentNumber(name) == nil)
    }
    #expect(SpillFormat.isPrivateName(String(repeating: "a", count: 32)))
    #expect(!SpillFormat.isPrivateName(String(repeating: "A", count: 32)))
  }

  @Test func `a source whose version cannot be written down has no identity`() {
    let grid = BlockGrid(blockSize: 4096)!
    let nameless = SourceDescription(id: "", validator: ModelValidator(number: 0), byteCount: 1)
    let long = SourceDescription(
      id: String(repeating: "x", count: SpillFormat.maxIDLength + 1), validator: ModelValidator(number: 0), byteCount: 1
    )
    let unknown = SourceDescription(id: "x", validator: nil, byteCount: 1)
    for source in [nameless, long, unknown] { #expect(SpillIdentity(source, grid) == nil) }
  }
}
