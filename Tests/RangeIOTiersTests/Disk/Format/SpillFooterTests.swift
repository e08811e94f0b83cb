import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Footers whose sums are right, and that say what cannot be.
struct SpillFooterTests {
  private func footer() -> SpillFooter {
    let source = SourceDescription(id: "a", validator: ModelValidator(number: 1), byteCount: 1 << 20)
    var footer = SpillFooter()
    footer.identities = [SpillIdentity(source, BlockGrid(blockSize: 4096)!)!]
    (footer.firstSequence, footer.lastSequence) = (7, 9)
    footer.tombstones = [.init(source: 0, blocks: 3..<5, bound: 8)]
    var record = SpillRecord(.chunk)
    (record.block, record.sequence, record.stored, record.count) = (1, 9, 4096, 4096)
    footer.entries = [.init(record, at: 256)]
    return footer
  }

  /// What is read of it, in a segment whose footer begins at byte 8,192.
  private func read(_ footer: SpillFooter) -> SpillFooter? {
    var bytes = [UInt8](repeating: 0, count: footer.byteCount)
    bytes.withUnsafeMutableBytes { footer.write(to: $0) }
    return bytes.withUnsafeBytes { SpillFooter($0, at: 8192) }
  }

  @Test func `one that says what can be is believed`() {
    #expect(read(footer()) == footer())
    #expect(read(SpillFooter()) == SpillFooter())
  }

  @Test func `sequences beyond the largest that is counted are not believed`() {
    var beyond = footer()
    (beyond.firstSequence, beyond.lastSequence) = (SpillFormat.maxCounted - 1, SpillFormat.maxCounted)
    beyond.entries[0].sequence = beyond.firstSequence
    #expect(read(beyond) == nil)
  }

  @Test func `a chunk whose sequence is not among those of its segment is not believed`() {
    var late = footer()
    late.entries[0].sequence = 10
    #expect(read(late) == nil)
    var uncounted = footer()
    (uncounted.firstSequence, uncounted.entries[0].sequence) = (0, 5)
    #expect(read(uncounted) == nil)
  }

  @Test func `sequences that span more than 32 bits are not believed`() {
    var wide = footer()
    wide.lastSequence = wide.firstSequence + 1 << 32
    #expect(read(wide) == nil)
  }

  @Test func `a tombstone that removes what comes after it is not believed`() {
    var ahead = footer()
    ahead.tombstones[0].bound = 10
    #expect(read(ahead) == nil)
  }

  @Test(arguments: [0, 56, 4040, 8192, 1 << 33])
  func `a record that lies outside of the segment's records is not believed`(offset: Int) {
    var outside = footer()
    outside.entries[0].offset = offset
    #expect(read(outside) == nil)
  }

  @Test(arguments: [(0, 4096), (4097, 4096), (8, 1 << 31)] as [(UInt32, UInt32)])
  func `a payload that is empty, or longer than its block, is not believed`(stored: UInt32, count: UInt32) {
    var odd = footer()
    (odd.entries[0].stored, odd.entries[0].count) = (stored, count)
    #expect(read(odd) == nil)
  }
}
