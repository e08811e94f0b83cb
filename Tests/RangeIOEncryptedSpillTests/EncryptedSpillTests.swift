#if Encrypted
  import RangeIOEncrypted
  import RangeIOSpillInspection
  import RangeIOTesting
  import SystemPackage
  import Testing

  @testable import RangeIO
  @testable import RangeIOTestSupport
  @testable import RangeIOTiers

  /// A disk tier that is encrypted does all that one does that is not.
  @Suite struct EncryptedSpillTests {
    /// As they are, compressed, and both.
    static let codecs: [any LibraryCodec] = [IdentityCodec(), LZ4Codec(), OddLZ4()]

    @Test(arguments: codecs) func `what was written is found again, at once and one by one`(
      codec: any LibraryCodec
    ) async throws {
      let spill = try EncryptedSpill { $0.codec = codec }
      let process = spill.disk.newProcess()
      var store = try spill.open(in: process)
      for block in 0..<16 { FillSource(store.sources).put(block, in: store) }
      try await store.flush()
      for isCrash in [true, false] {
        let source = FillSource(store.sources)
        #expect(source.served(0..<16, by: store) == Set(0..<16))
        #expect(await source.fetched(0..<16, by: store) == Set(0..<16))
        for block in 0..<16 { #expect(source.served(block..<block + 1, by: store) == [block]) }
        if isCrash { process.crash() } else { try await store.close() }
        store = try spill.open()
      }
      #expect(FillSource(store.sources).served(0..<16, by: store) == Set(0..<16))
      let counts = store.counts()
      #expect(counts.damaged == 0 && counts.notAuthentic == 0 && counts.blocks == 16)
    }

    @Test func `blocks of every size are found again, to the byte`() async throws {
      let spill = try EncryptedSpill { $0.codec = LZ4Codec() }
      let sizes = [1, 2, 15, 16, 17, 47, 48, 49, 55, 63, 64, 65, 333, 511, 512]
      let store = try spill.open()
      for size in sizes { FillSource(store.sources, id: "\(size)", byteCount: size, blockSize: 512).put(0, in: store) }
      try await store.close()
      let again = try spill.open()
      for size in sizes {
        let source = FillSource(again.sources, id: "\(size)", byteCount: size, blockSize: 512)
        #expect(source.served(0..<1, by: again) == [0], "\(size)")
      }
    }

    @Test func `a removal stays, also after a crash`() async throws {
      let spill = try EncryptedSpill()
      for isCrash in [true, false] {
        let process = spill.disk.newProcess()
        let store = try spill.open(in: process)
        let source = FillSource(store.sources)
        for block in 0..<8 { source.put(block, in: store) }
        source.erase(2..<4, in: store)
        try await store.flush()
        if isCrash { process.crash() } else { try await store.close() }
        let again = try spill.open()
        #expect(FillSource(again.sources).served(0..<8, by: again) == Set([0, 1, 4, 5, 6, 7]))
        again.erase(source: nil)
        try await again.close()
      }
    }

    @Test
    func `neither names nor versions nor contents can be read on the disk, and blocks cannot be counted by source`()
      async throws
    {
      let spill = try EncryptedSpill()
      let store = try spill.open()
      let source = SourceDescription(
        id: "https://secret.example/object", name: "a secret name", validator: Secret(), byteCount: 123_456_789,
        preferredBlockSize: .bytes(4096))
      let contents = Array(repeating: Array("the secret contents ".utf8), count: 205).flatMap { $0 }[..<4096]
      for block in [7, 30_000] {
        try await store.store(Bytes(contents), at: block * 4096..<block * 4096 + 4096, of: source)
      }
      try await store.close()
      let plain = SimulatedSpill()
      let other = try plain.open()
      for block in [7, 30_000] {
        try await other.store(Bytes(contents), at: block * 4096..<block * 4096 + 4096, of: source)
      }
      try await other.close()
      let texts = ["secret.example", "a secret name", "version-tag", "secret contents"].map { Array($0.utf8) }
      let numbers = [123_456_789, 30_000].map { number in withUnsafeBytes(of: UInt64(number).littleEndian) { Array($0) }
      }
      for secret in texts + numbers {
        #expect(plain.contents.values.contains { Bytes($0).firstRange(of: secret) != nil })
        #expect(!spill.contents.values.contains { Bytes($0).firstRange(of: secret) != nil })
      }
      // Not by what records have in common, either.
      let segment = try #require(spill.disk.contents(of: spill.path("0000000000000001")))
      let heads = segment.withUnsafeBytes { bytes in
        var heads: [ArraySlice<UInt8>] = []
        var place = 128
        while let record = SpillRecord(bytes.part(place, 64), segmentCheck: bytes.number(60, UInt32.self)),
          record.kind != .footer
        {
          if record.kind == .chunk { heads.append(segment[place + 8..<place + 24]) }
          place += SpillFormat.recordCount(payload: Int(record.stored))
        }
        return heads
      }
      #expect(heads.count == 2 && zip(heads[0], heads[1]).count { $0 == $1 } < 8)
    }

    private struct Secret: SourceDescription.Validator {
      var persistentForm: [UInt8]? { Array("version-tag".utf8) }
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
        newer is Secret ? .same : .other
      }
    }

    @Test(arguments: [true, false])
    func `a flipped bit costs at most what follows, and never serves a wrong byte`(isSealed: Bool) async throws {
      let original = try EncryptedSpill { $0.codec = OddLZ4() }
      let process = original.disk.newProcess()
      let store = try original.open(in: process)
      let first = FillSource(store.sources, id: "first")
      let second = FillSource(store.sources, id: "second", version: 3)
      for block in 0..<12 { first.put(block, in: store) }
      try await store.flush()
      first.erase(3..<5, in: store)
      for block in 0..<16 { second.put(block, in: store) }
      try await store.flush()
      if isSealed { try await store.close() } else { process.crash() }
      let path = original.path("0000000000000001")
      let count = try #require(original.disk.contents(of: path)).count
      let step = TestScale.isDamageComplete ? 1 : max(1, count * 8 / 1500 | 1)
      var (lost, notAuthentic) = (0, 0)
      for bit in stride(from: 0, to: count * 8, by: step) {
        let spill = original.copy()
        spill.disk.flipBit(of: path, at: bit)
        let store = try spill.open()
        var found = 0
        for source in [FillSource(store.sources, id: "first"), FillSource(store.sources, id: "second", version: 3)] {
          let served = source.served(0..<16, by: store)
          guard let served else {
            Issue.record("wrong bytes are served after bit \(bit) was flipped")
            return
          }
          found += served.count
        }
        lost += max(0, 26 - found)
        notAuthentic += store.counts().notAuthentic
        if isSealed, bit >= 128 * 8 { #expect(found >= 25, "bit \(bit)") }
      }
      // Sums tell damage from forgery.
      #expect(lost > 0 && notAuthentic == 0)
      TestScale.report(
        "\(count * 8 / step) bits of an encrypted segment flipped, sealed \(isSealed): 0 wrong, \(lost) lost")
    }

    @Test func `what is forged with right sums is counted as that, and is not found again`() async throws {
      let spill = try EncryptedSpill()
      let store = try spill.open()
      for block in 0..<3 { FillSource(store.sources).put(block, in: store) }
      try await store.close()
      let path = spill.path("0000000000000001")
      var bytes = try #require(spill.disk.contents(of: path))
      // The first chunk, after the source's record.
      let place = 128 + SpillFormat.recordCount(payload: 24 + 4 + 1 + 16)
      bytes[place + 64] ^= 1
      bytes.withUnsafeMutableBytes { bytes in
        bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes.part(place + 64, 4112))), place + 52)
        bytes.put(CRC32C.of(UnsafeRawBufferPointer(bytes.part(place, 60))), place + 60)
      }
      spill.disk.setContents(of: path, bytes)
      let again = try spill.open()
      let source = FillSource(again.sources)
      for _ in 0..<2 { #expect(source.served(0..<3, by: again) == [1, 2]) }
      #expect(again.counts().notAuthentic == 1 && again.counts().damaged == 0)
    }

    @Test func `a directory can be looked at without its keys`() async throws {
      let spill = try EncryptedSpill()
      let store = try spill.open()
      for block in 0..<20 { FillSource(store.sources).put(block, in: store) }
      FillSource(store.sources).erase(2..<3, in: store)
      try await store.close()
      let inspection = try SpillInspection(SimulatedSpill.directory.string, on: spill.disk.newProcess())
      let survey = try inspection.survey()
      #expect(survey.encrypted == spill.segments.count && survey.sources.isEmpty && survey.unbelieved == 0)
      let verified = try inspection.verify()
      #expect(verified.damaged == 0 && verified.encryptedSegments == survey.encrypted)
      #expect(verified.chunks >= 19 && verified.tombstones <= 1)
      spill.disk.flipBit(of: spill.path(spill.segments[0]), at: 3000 * 8)
      #expect(try inspection.verify().damaged == 1)
    }
  }
#endif
