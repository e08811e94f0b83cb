#if Encrypted
  import RangeIOEncrypted
  import RangeIOTesting
  import Testing

  @testable import RangeIO
  @testable import RangeIOTestSupport
  @testable import RangeIOTiers

  /// Wrong keys, missing ones, new ones, and directories of the other kind.
  @Suite struct KeyTests {
    @Test(arguments: [true, false])
    func `a wrong key, and one that is not there, cost misses; the right one finds all again`(isThere: Bool)
      async throws
    {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<12)
      let wrong = try isThere ? EncryptionKeys([1: testKey(9)], current: 1) : EncryptionKeys(2, current: 2)
      let store = try spill.open { $0.encryption = .key(wrong) }
      #expect(served(0..<12, by: store) == [])
      let counts = store.counts()
      #expect(counts.segmentsOfOtherKeys == 1 && counts.segmentsLeftOut == 1 && counts.misses == 12)
      #expect(counts.damaged == 0 && store.lastFailure == nil)
      // It is used meanwhile.
      FillSource(store.sources).put(20, in: store)
      try await store.close()
      let again = try spill.open()
      #expect(served(0..<12, by: again) == Set(0..<12) && served(20..<21, by: again) == [])
      #expect(again.counts().segmentsOfOtherKeys == 1)
    }

    @Test func `a new key takes over without a miss, and without the old one only what is new is found`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<8)
      let both = try EncryptionKeys(1, 2, current: 2)
      let store = try spill.open { $0.encryption = .key(both) }
      #expect(served(0..<8, by: store) == Set(0..<8))
      for block in 8..<16 { FillSource(store.sources).put(block, in: store) }
      try await store.close()
      let new = try spill.open { $0.encryption = .key(try! EncryptionKeys(2, current: 2)) }
      #expect(served(0..<16, by: new) == Set(8..<16))
      #expect(new.counts().segmentsOfOtherKeys == 1)
    }

    @Test func `a provider changes its key while the directory is open`() async throws {
      let provider = ChangingKeys()
      let spill = SimulatedSpill { $0.encryption = .key(provider) }
      let store = try spill.open()
      // More than a segment.
      for number in 0..<6 {
        if number == 3 { provider.current = 2 }
        for block in number * 8..<number * 8 + 8 { FillSource(store.sources).put(block, in: store) }
        try await store.flush()
      }
      try await store.close()
      #expect(Set(keyNumbers(of: spill)) == [1, 2])
      #expect(served(0..<48, by: try spill.open()) == Set(0..<48))
    }

    @Test func `when the current key goes, nothing new is kept, and what is there is served`() async throws {
      let provider = ChangingKeys()
      let clock = ManualClock()
      let spill = SimulatedSpill {
        $0.encryption = .key(provider)
        $0.time = ReadClock(clock)
      }
      let store = try spill.open()
      for block in 0..<4 { FillSource(store.sources).put(block, in: store) }
      try await store.flush()
      provider.current = 3
      for block in 4..<40 { FillSource(store.sources).put(block, in: store) }
      try await store.flush()
      #expect(served(0..<4, by: store) == Set(0..<4))
      #expect(store.lastFailure?.code == .invalidConfiguration)
      #expect(served(30..<40, by: store) == [])
      provider.current = 2
      clock.advance(by: .seconds(600))
      for block in 30..<40 { FillSource(store.sources).put(block, in: store) }
      try await store.flush()
      #expect(served(30..<40, by: store) == Set(30..<40))
    }

    @Test func `files of older keys go when their time is over, whether their key is there or not`() async throws {
      for known in [true, false] {
        let spill = try await filled(EncryptionKeys(1, current: 1), 0..<8)
        let keys = try known ? EncryptionKeys(1, 2, current: 2) : EncryptionKeys(2, current: 2)
        for (time, isThere) in [(Self.now + 50, true), (Self.now + 101, false)] {
          let store = try spill.open {
            $0.encryption = .key(keys)
            $0.encryption?.olderKeysLast = .seconds(100)
            $0.wallClock = { time * 1_000_000_000 }
          }
          #expect(served(0..<8, by: store) == (isThere && known ? Set(0..<8) : []))
          #expect(spill.segments.contains("0000000000000001") == isThere)
          try await store.close()
        }
      }
    }

    @Test func `files of the current key stay`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<8)
      let store = try spill.open {
        $0.encryption?.olderKeysLast = .seconds(100)
        $0.wallClock = { (Self.now + 1000) * 1_000_000_000 }
      }
      #expect(served(0..<8, by: store) == Set(0..<8))
    }

    @Test func `what only a missing key opens goes first when room is needed`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<15)
      let store = try spill.open { $0.encryption = .key(try! EncryptionKeys(2, current: 2)) }
      // A segment has room for 15 blocks, and the limit for 14 segments beside the one that is kept free.
      for block in 0..<14 * 15 {
        FillSource(store.sources).put(block, in: store)
        if block % 16 == 0 { try await store.flush() }
      }
      try await store.flush()
      #expect(!spill.segments.contains("0000000000000001"))
      let counts = store.counts()
      #expect(counts.segmentsOfOtherKeys == 0 && counts.segmentsLeftOut == 0 && counts.segmentsFreed == 0)
      #expect(counts.bytes <= counts.limit)
    }

    @Test func `what was removed stays removed while the key of the file that says so is not there`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<8)
      try await erase(2..<4, in: spill)
      let old = try spill.open { $0.encryption = .key(try! EncryptionKeys(1, current: 1)) }
      #expect(served(2..<4, by: old) == [])
      try await old.close()
      let both = try spill.open { $0.encryption = .key(try! EncryptionKeys(1, 2, current: 2)) }
      #expect(served(0..<8, by: both) == [0, 1, 4, 5, 6, 7])
    }

    @Test func `a file that is not read goes with newer ones that go: they may have removed some of it`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<8)
      try await erase(2..<4, in: spill)
      let more = try spill.open { $0.encryption = .key(try! EncryptionKeys(1, 2, current: 2)) }
      for block in 20..<70 { FillSource(more.sources).put(block, in: more) }
      try await more.close()
      let small = try spill.open {
        $0.encryption = .key(try! EncryptionKeys(2, current: 2))
        $0.limit = .kibibytes(192)
      }
      #expect(!spill.segments.contains("0000000000000002"))
      try await small.close()
      let both = try spill.open { $0.encryption = .key(try! EncryptionKeys(1, 2, current: 2)) }
      #expect(served(2..<4, by: both) == [])
    }

    @Test func `files of the current number stay, though their key is another one`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<8)
      let wrong = try spill.open {
        $0.encryption = .key(try! EncryptionKeys([1: testKey(9)], current: 1))
        $0.encryption?.olderKeysLast = .seconds(100)
        $0.wallClock = { (Self.now + 1000) * 1_000_000_000 }
      }
      try await wrong.close()
      #expect(served(0..<8, by: try spill.open()) == Set(0..<8))
    }

    @Test func `times that no clock shows, in headers whose sums are right, end nothing`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<8)
      let path = spill.path("0000000000000001")
      for created in [Int64.min, -8_000_000_000_000_000_000, .max] {
        var bytes = try #require(spill.disk.contents(of: path))
        bytes.withUnsafeMutableBytes { bytes in
          bytes.put(created, 40)
          _ = SpillPrefix.close(bytes)
        }
        spill.disk.setContents(of: path, bytes)
        let store = try spill.open {
          $0.encryption = .key(try! EncryptionKeys(2, current: 2))
          $0.encryption?.olderKeysLast = .seconds(100)
          $0.isReadOnly = true
        }
        #expect(served(0..<8, by: store) == [])
      }
    }

    @Test func `an encryption shows nothing of keys, wherever they are kept`() {
      struct Own: EncryptionKeyProvider {
        let keys: [UInt32: [UInt8]]
        var current: UInt32 { 1 }
        func key(_ number: UInt32) -> [UInt8]? { keys[number] }
      }
      var disk = DiskConfiguration(directory: "/cache", limit: .mebibytes(1))
      disk.encryption = .key(Own(keys: [1: testKey(217)]))
      var text = "\(disk) \(String(reflecting: disk))"
      dump(disk, to: &text)
      #expect(text.contains("DiskEncryption") && !text.contains("217"))
    }

    // MARK: the other kind

    @Test(arguments: [true, false])
    func `a directory of the other kind begins anew`(wasEncrypted: Bool) async throws {
      let encryption = DiskEncryption.key(try EncryptionKeys(1, current: 1))
      let spill = try await filled(nil, 0..<12) { $0.encryption = wasEncrypted ? encryption : nil }
      let store = try spill.open { $0.encryption = wasEncrypted ? nil : encryption }
      #expect(spill.segments == [])
      #expect(served(0..<12, by: store) == [])
      FillSource(store.sources).put(3, in: store)
      try await store.close()
      let again = try spill.open { $0.encryption = wasEncrypted ? nil : encryption }
      #expect(served(0..<12, by: again) == [3])
    }

    @Test(arguments: [true, false])
    func `a reader finds nothing in a directory of the other kind, and changes nothing`(wasEncrypted: Bool) async throws
    {
      let encryption = DiskEncryption.key(try EncryptionKeys(1, current: 1))
      let spill = try await filled(nil, 0..<12) { $0.encryption = wasEncrypted ? encryption : nil }
      let before = spill.contents
      let store = try spill.open {
        $0.encryption = wasEncrypted ? nil : encryption
        $0.isReadOnly = true
      }
      #expect(served(0..<12, by: store) == [])
      #expect(spill.contents == before)
    }

    @Test func `a plain segment in an encrypted directory is deleted, whatever it says`() async throws {
      let spill = try await filled(EncryptionKeys(1, current: 1), 0..<4)
      let plain = try await filled(nil, 0..<12) { $0.encryption = nil }
      // With the directory and epoch of the encrypted one.
      var header = try #require(plain.disk.contents(of: plain.path("0000000000000001")))
      let root = try #require(spill.disk.contents(of: spill.path("store")))
      header.replaceSubrange(16..<32, with: root[16..<32])
      header[32] = 9
      header.withUnsafeMutableBytes { _ = SpillPrefix.close($0) }
      spill.disk.setContents(of: spill.path("0000000000000009"), header)
      let store = try spill.open()
      #expect(!spill.segments.contains("0000000000000009"))
      #expect(served(0..<12, by: store) == Set(0..<4))
    }

    // MARK: what they share

    private static let now: Int64 = 1_700_000_000

    /// A directory with some blocks of a source.
    private func filled(
      _ keys: EncryptionKeys?, _ blocks: Range<Int>, _ change: (inout SpillStore.Configuration) -> Void = { _ in }
    ) async throws -> SimulatedSpill {
      var spill = try EncryptedSpill(keys) { $0.wallClock = { Self.now * 1_000_000_000 } }
      let encryption = spill.configuration.encryption
      change(&spill.configuration)
      let store = try spill.open()
      for block in blocks { FillSource(store.sources).put(block, in: store) }
      try await store.close()
      spill.configuration.encryption = encryption
      return spill
    }

    /// Removes blocks while a second key is the current one.
    private func erase(_ blocks: Range<Int>, in spill: SimulatedSpill) async throws {
      let keys = try EncryptionKeys(1, 2, current: 2)
      let store = try spill.open { $0.encryption = .key(keys) }
      FillSource(store.sources).erase(blocks, in: store)
      try await store.close()
    }

    private func served(_ blocks: Range<Int>, by store: SpillStore) -> Set<Int>? {
      FillSource(store.sources).served(blocks, by: store)
    }

    private func keyNumbers(of spill: SimulatedSpill) -> [UInt32] {
      spill.segments.compactMap { name in
        spill.disk.contents(of: spill.path(name))!.withUnsafeBytes { SpillSegmentHeader.read($0) }?.header.encryption?
          .key
      }
    }
  }

  /// Keys 1 and 2, of which a test says which is current.
  final class ChangingKeys: EncryptionKeyProvider {
    private let number = Locked<UInt32>(1)

    var current: UInt32 {
      get { number.withLock { $0 } }
      set { number.withLock { $0 = newValue } }
    }

    func key(_ number: UInt32) -> [UInt8]? {
      [1, 2].contains(number) ? testKey(UInt8(number)) : nil
    }
  }
#endif
