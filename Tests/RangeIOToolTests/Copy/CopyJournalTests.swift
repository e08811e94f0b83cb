#if Tool
import RangeIO
import Testing

@testable import RangeIOTool

@Suite struct CopyJournalTests {
  private let identity = CopyJournal.Identity(
    source: Array(0..<32), version: Array(100..<132), layout: CopyLayout(byteCount: 10_000_000, pieceSize: 64 << 10))

  private func journal(_ records: [CopyJournal.Record]) -> [UInt8] {
    var cursor = CopyJournal.Cursor(identity)
    return CopyJournal.header(identity) + cursor.write(records).bytes
  }

  private let records = [
    CopyJournal.Record(piece: 3, sum: 0xDEAD_BEEF), CopyJournal.Record(piece: 0, sum: 0),
    CopyJournal.Record(piece: 152, sum: 1), CopyJournal.Record(piece: 3, sum: 5),
  ]

  @Test func `what is written is read, the later record of a piece before the earlier one`() {
    let bytes = journal(records)
    #expect(bytes.count == 96 + 4 * 16)
    #expect(CopyJournal.identity(bytes) == identity)
    #expect(CopyJournal.sums(bytes, of: identity) == [3: 5, 0: 0, 152: 1])
  }

  @Test func `the bytes are those of the format`() {
    let bytes = journal([CopyJournal.Record(piece: 3, sum: 0xDEAD_BEEF)])
    #expect(bytes[0..<8].elementsEqual("rioCopy1".utf8))
    #expect(bytes[8..<16].elementsEqual([0x80, 0x96, 0x98, 0, 0, 0, 0, 0]))
    #expect(bytes[16..<24].elementsEqual([0, 0, 1, 0, 0, 0, 0, 0]))
    #expect(bytes[24..<56].elementsEqual(0..<32) && bytes[56..<88].elementsEqual(100..<132))
    #expect(bytes[88..<92].elementsEqual([0, 0, 0, 0]))
    #expect(bytes[96..<108].elementsEqual([3, 0, 0, 0, 0, 0, 0, 0, 0xEF, 0xBE, 0xAD, 0xDE]))
  }

  @Test func `a torn tail is ignored, and the next record goes after it`() {
    let bytes = journal(records)
    for length in 0..<bytes.count {
      let torn = Array(bytes[..<length])
      guard length >= CopyJournal.headerSize else {
        #expect(CopyJournal.identity(torn) == nil)
        continue
      }
      let whole = (length - CopyJournal.headerSize) / CopyJournal.recordSize
      let sums = CopyJournal.sums(torn, of: identity)
      #expect(sums == CopyJournal.sums(journal(Array(records[..<whole])), of: identity))
      var cursor = CopyJournal.Cursor(identity, length: length)
      let write = cursor.write([CopyJournal.Record(piece: 7, sum: 9)])
      #expect(write.offset >= length && (write.offset - CopyJournal.headerSize) % CopyJournal.recordSize == 0)
      let hole = [UInt8](repeating: 0, count: write.offset - length)
      #expect(CopyJournal.sums(torn + hole + write.bytes, of: identity) == sums.merging([7: 9]) { $1 })
    }
  }

  @Test func `a byte that is another one costs its record, and in the header all`() {
    let bytes = journal(records)
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 0x10
      if offset < CopyJournal.headerSize {
        #expect(CopyJournal.identity(damaged) == nil, "\(offset)")
      } else {
        var left = records
        left.remove(at: (offset - CopyJournal.headerSize) / CopyJournal.recordSize)
        #expect(
          CopyJournal.sums(damaged, of: identity) == CopyJournal.sums(journal(left), of: identity), "\(offset)")
      }
    }
  }

  @Test func `a record of another journal, and a piece that there is not, count as nothing`() {
    var other = CopyJournal.Cursor(
      CopyJournal.Identity(source: identity.source, version: identity.source, layout: identity.layout))
    let foreign = CopyJournal.header(identity) + other.write(records).bytes
    #expect(CopyJournal.sums(foreign, of: identity).isEmpty)
    #expect(CopyJournal.sums(journal([CopyJournal.Record(piece: 153, sum: 1)]), of: identity).isEmpty)
  }

  @Test func `sizes that cannot be are no journal`() {
    for (byteCount, pieceSize) in [(-1, 64 << 10), (1, 0), (1, 100_000), (1, 1 << 12), (1, 1 << 21)] {
      let layout = CopyLayout(byteCount: byteCount, pieceSize: pieceSize)
      let header = CopyJournal.Identity(source: identity.source, version: identity.version, layout: layout).encoded
      #expect(CopyJournal.identity(header) == nil, "\(byteCount) \(pieceSize)")
    }
  }

  @Test func `the journal decides how a copy begins`() {
    let bytes = journal(records)
    let layout = CopyLayout(byteCount: identity.layout.byteCount, pieceSize: 1 << 20)
    var wanted = CopyJournal.Identity(source: identity.source, version: identity.version, layout: layout)
    func beginning(_ bytes: [UInt8], restarts: Bool = false) -> CopyBeginning {
      CopyBeginning(bytes, wanted: wanted, restarts: restarts)
    }
    // In the pieces of the journal.
    #expect(beginning(bytes) == .goOn(identity, sums: [3: 5, 0: 0, 152: 1]))
    #expect(beginning([]) == .new && beginning(bytes, restarts: true) == .new)
    #expect(beginning(Array("text".utf8)) == .startOver(.damaged))
    #expect(CopyBeginning(bytes, wanted: nil, restarts: false) == .startOver(.unversioned))
    wanted.version[0] ^= 1
    #expect(beginning(bytes) == .startOver(.changed))
    wanted.source[0] ^= 1
    #expect(beginning(bytes) == .startOver(.otherSource))
    wanted = CopyJournal.Identity(
      source: identity.source, version: identity.version, layout: CopyLayout(byteCount: 10_000_001))
    #expect(beginning(bytes) == .startOver(.changed))
  }

  @Test func `only a version that can be recognized later is noted`() {
    struct Version: SourceDescription.Validator {
      var persistentForm: [UInt8]?
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change { .other }
    }
    func identity(_ form: [UInt8]?, isSettled: Bool = true) -> CopyJournal.Identity? {
      var traits = SourceDescription.Traits()
      traits.isSettled = isSettled
      let source = SourceDescription(
        id: "made:up", validator: Version(persistentForm: form), byteCount: 1, traits: traits)
      return CopyJournal.Identity(source, CopyLayout(byteCount: 1))
    }
    #expect(identity([1]) != nil && identity([1]) != identity([2]))
    #expect(identity(nil) == nil && identity([]) == nil && identity([1], isSettled: false) == nil)
    let bare = SourceDescription(id: "made:up", validator: nil, byteCount: 1)
    #expect(CopyJournal.Identity(bare, CopyLayout(byteCount: 1)) == nil)
  }
}

extension CopyJournal.Identity {
  fileprivate var encoded: [UInt8] { CopyJournal.header(self) }
}
#endif
