#if Encrypted
  import RangeIOEncrypted
  import RangeIOTesting
  import SystemPackage

  @testable import RangeIO
  @testable import RangeIOTestSupport
  @testable import RangeIOTiers

  /// Someone who can write to a directory of three segments, knows the format, and makes all sums right again.
  struct Forger {
    /// A segment as it was written, and where its records are.
    private struct Segment {
      let name: String
      let bytes: [UInt8]
      /// Those of the footer at the end, if there is one.
      let records: [Int]
    }

    let spill: SimulatedSpill
    private var segments: [Segment] = []
    private var random: TestRandom

    /// Two sources with ids of one length, one of them in two versions. All bytes of one differ from those of the others.
    private static let sources = [("first", 0), ("first", 1), ("other", 7)]

    init(isEncrypted: Bool, seed: UInt64) async throws {
      random = TestRandom(seed)
      let keys = try EncryptionKeys(1, 2, current: 1)
      let original = SimulatedSpill {
        $0.codec = OddLZ4()
        $0.encryption = isEncrypted ? .key(keys) : nil
      }
      for (life, (id, version)) in Self.sources.enumerated() {
        let process = original.disk.newProcess()
        let store = try original.open(in: process)
        let source = FillSource(store.sources, id: id, version: version)
        for block in 0..<5 { source.put(block, in: store) }
        try await store.flush()
        source.erase(1..<2, in: store)
        // In two segments: in none of two both versions are read at a time.
        if version == 7 { for block in 5..<9 { FillSource(store.sources, id: "first").put(block, in: store) } }
        try await store.flush()
        if life < 2 { try await store.close() } else { process.crash() }
      }
      spill = original.copy()
      segments = spill.segments.map { name in
        let bytes = spill.disk.contents(of: spill.path(name))!
        return Segment(name: name, bytes: bytes, records: Self.records(of: bytes))
      }
    }

    private static func records(of bytes: [UInt8]) -> [Int] {
      bytes.withUnsafeBytes { bytes in
        var places: [Int] = []
        var place = SpillSegmentHeader.read(bytes)!.header.byteCount
        let check = bytes.number(60, UInt32.self)
        while place + 64 <= bytes.count, let record = SpillRecord(bytes.part(place, 64), segmentCheck: check) {
          places.append(place)
          place += SpillFormat.recordCount(payload: Int(record.stored))
        }
        return places
      }
    }

    /// Reads all blocks from the directory as it is after a forgery. Returns how many are served; `nil` if a byte is wrong.
    mutating func served(forged: Bool = true) throws -> Int? {
      let copy = spill.copy()
      if forged { forge(copy.disk) }
      let store = try copy.open()
      var count = 0
      for (id, version) in Self.sources {
        let source = FillSource(store.sources, id: id, version: version)
        for blocks in random.below(2) == 0 ? [0..<9] : (0..<9).map({ $0..<$0 + 1 }) {
          guard let served = source.served(blocks, by: store) else { return nil }
          count += served.count
        }
      }
      return count
    }

    // MARK: forging

    private mutating func forge(_ disk: SimulatedDisk) {
      let victim = random.below(segments.count)
      var bytes = segments[victim].bytes
      var name = segments[victim].name
      for _ in 0...random.below(2) {
        switch random.below(9) {
        case 0: flipBits(&bytes, within: 0..<bytes.count)
        case 1: changeHeader(&bytes, of: place(victim))
        case 2: swapPayloads(&bytes, victim)
        case 3, 4: copyRecord(&bytes, victim, wholly: true)
        case 5: copyRecord(&bytes, victim, wholly: false)
        case 6: flipBits(&bytes, within: payload(bytes, at: place(victim)))
        case 7: flipBits(&bytes, within: 16..<SpillFormat.encryptedHeaderCount)
        default: name = rename(&bytes)
        }
      }
      repair(&bytes, victim)
      disk.setContents(of: spill.path(name), bytes)
    }

    /// The place of one of the records.
    private mutating func place(_ segment: Int) -> Int {
      segments[segment].records[random.below(segments[segment].records.count)]
    }

    private func payload(_ bytes: [UInt8], at place: Int) -> Range<Int> {
      let count = bytes.withUnsafeBytes { Int($0.number(place + 48, UInt32.self)) }
      return place + 64..<max(place + 65, min(bytes.count, place + 64 + count))
    }

    private mutating func flipBits(_ bytes: inout [UInt8], within range: Range<Int>) {
      for _ in 0...random.below(3) {
        bytes[range.lowerBound + random.below(range.count)] ^= 1 << UInt8(random.below(8))
      }
    }

    /// Gives a record another kind, codec, source, block, sequence, birth, coverage or length: one of another record, or a near one.
    private mutating func changeHeader(_ bytes: inout [UInt8], of place: Int) {
      let fields = [4..<5, 5..<6, 8..<12, 12..<16, 16..<24, 24..<32, 32..<40, 40..<44, 44..<48, 48..<52]
      let field = fields[random.below(fields.count)]
      let other = segments[random.below(segments.count)]
      let from = other.records[random.below(other.records.count)]
      for offset in field {
        bytes[place + offset] = random.below(2) == 0 ? other.bytes[from + offset] : bytes[place + offset]
      }
      if random.below(2) == 0 { bytes[place + field.lowerBound] ^= 1 << UInt8(random.below(3)) }
    }

    private mutating func swapPayloads(_ bytes: inout [UInt8], _ segment: Int) {
      let (a, b) = (payload(bytes, at: place(segment)), payload(bytes, at: place(segment)))
      guard a.count == b.count else { return }
      for offset in 0..<a.count { bytes.swapAt(a.lowerBound + offset, b.lowerBound + offset) }
    }

    /// Copies a record of any segment, or its payload alone, to the place of one that is as long.
    private mutating func copyRecord(_ bytes: inout [UInt8], _ segment: Int, wholly: Bool) {
      let source = segments[random.below(segments.count)]
      let from = source.records[random.below(source.records.count)]
      let (old, place) = (payload(source.bytes, at: from), place(segment))
      let new = payload(bytes, at: place)
      guard old.count == new.count else { return }
      bytes.replaceSubrange(new, with: source.bytes[old])
      if wholly { bytes.replaceSubrange(place..<place + 64, with: source.bytes[from..<from + 64]) }
    }

    /// Gives the segment another number, above the others or that of one of them.
    private mutating func rename(_ bytes: inout [UInt8]) -> String {
      let number = UInt64(1 + random.below(5))
      bytes.withUnsafeMutableBytes { $0.put(number, 32) }
      return SpillFormat.segmentName(number)
    }

    /// Makes every sum right, and every length possible.
    private func repair(_ bytes: inout [UInt8], _ segment: Int) {
      let isEncrypted = segments[segment].bytes[10] == 3
      bytes.withUnsafeMutableBytes { bytes in
        func sum(_ offset: Int, _ count: Int) -> UInt32 { CRC32C.of(UnsafeRawBufferPointer(bytes.part(offset, count))) }
        bytes.put(sum(0, 12), 12)
        if isEncrypted { bytes.put(sum(64, 60), 124) }
        let check = sum(0, 60)
        bytes.put(check, 60)
        for place in segments[segment].records {
          let stored = Int(UnsafeRawBufferPointer(bytes).number(place + 48, UInt32.self))
          if stored <= bytes.count - place - 64 { bytes.put(sum(place + 64, stored), place + 52) }
          bytes.put(check, place + 56)
          bytes.put(sum(place, 60), place + 60)
        }
        let trailer = bytes.count - SpillFormat.trailerCount
        guard bytes[trailer..<trailer + 4].elementsEqual("RIOT".utf8) else { return }
        bytes.put(check, trailer + 24)
        bytes.put(sum(trailer, 28), trailer + 28)
      }
    }
  }
#endif
