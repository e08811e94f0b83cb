#if Encrypted
  import Foundation
  import RangeIOEncrypted
  import RangeIOTesting
  import Testing

  @testable import RangeIO
  @testable import RangeIOTestSupport
  @testable import RangeIOTiers

  /// What `Golden/make.py` wrote: another program, with other cryptography, by the document.
  @Suite struct EncryptedGoldenTests {
    @Test(arguments: [true, false])
    func `what another program wrote by the document is read, with its footer and without`(hasFooter: Bool) throws {
      let spill = try Self.spill()
      let path = spill.path("0000000000000001")
      let whole = try #require(spill.disk.contents(of: path))
      // Not the footer: then the records are scanned.
      if !hasFooter { spill.disk.truncateFile(path, to: whole.count - 40) }
      let store = try spill.open()
      let source = FillSource(store.sources, id: "a", byteCount: 100)
      #expect(source.served(0..<1, by: store) == [0])
      #expect(store.counts().blocks == 1 && store.counts().segmentsOfOtherKeys == 0 && store.counts().notAuthentic == 0)
      // It is known by its id, version and size together.
      #expect(FillSource(store.sources, id: "a", version: 1, byteCount: 100).served(0..<1, by: store) == [])
      #expect(FillSource(store.sources, id: "b", byteCount: 100).served(0..<1, by: store) == [])
    }

    @Test func `each bit of what another program wrote counts`() throws {
      let original = try Self.spill()
      let path = original.path("0000000000000001")
      let whole = try #require(original.disk.contents(of: path))
      let chunk = 128 + 64 + 48..<128 + 64 + 48 + 64 + 116
      for bit in 0..<whole.count * 8 {
        let spill = original.copy()
        spill.disk.flipBit(of: path, at: bit)
        let store = try spill.open()
        let served = FillSource(store.sources, id: "a", byteCount: 100).served(0..<1, by: store)
        #expect(served != nil, "bit \(bit)")
        if chunk.contains(bit / 8) || bit / 8 < 112 { #expect(served == [], "bit \(bit)") }
      }
    }

    private static func spill() throws -> SimulatedSpill {
      let spill = try EncryptedSpill(EncryptionKeys([7: Array(0..<32)], current: 7)) {
        $0.wallClock = { 1_700_000_001_000_000_000 }
      }
      for name in ["store", "0000000000000001"] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
          "Golden/\(name).hex")
        let digits = try String(contentsOf: file, encoding: .utf8).filter { !$0.isWhitespace }
        spill.disk.setContents(of: spill.path(name), [UInt8](hex: digits))
      }
      spill.disk.setOwner(of: SimulatedSpill.directory, mode: 0o700)
      return spill
    }
  }

#endif
