#if Encrypted
  import RangeIO
  import RangeIOEncrypted
  import RangeIOTesting
  import RangeIOTiers
  import Testing

  @testable import RangeIOTestSupport

  /// Keys as users give them. Directories have tests of their own, in `Tests/RangeIOEncryptedSpillTests`.
  @Suite struct EncryptionKeysTests {
    @Test func `keys have their lengths, and show nothing`() throws {
      let key = [UInt8](repeating: 7, count: 32)
      #expect(throws: EncryptionKeys.Fault.length) { try EncryptionKeys([1: [1, 2, 3]], current: 1) }
      #expect(throws: EncryptionKeys.Fault.noCurrent) { try EncryptionKeys([1: key], current: 2) }
      let keys = try EncryptionKeys([7: key, 9: key], current: 7)
      #expect("\(keys)" == "EncryptionKeys([7, 9], current: 7)" && Mirror(reflecting: keys).children.isEmpty)
    }

    @Test func `what one store has written another one with the same keys finds`() async throws {
      let directory = try TemporaryDirectory()
      defer { directory.remove() }
      var disk = DiskConfiguration(directory: directory.path("spill"), limit: .mebibytes(8))
      disk.encryption = .key(try EncryptionKeys([1: [UInt8](repeating: 7, count: 32)], current: 1))
      disk.keepsFastSources = true
      disk.freeSpaceFloor = .bytes(0)
      let source = SyntheticSource(byteCount: 1 << 20)
      let ranges = stride(from: 0, to: 1 << 20, by: 1 << 16).map { $0..<$0 + 1 << 16 }
      for isFirst in [true, false] {
        let store = try await TieredStore(disk: disk)
        let reader = try await RangeReader(source, [.caching(store)])
        for range in ranges {
          if isFirst { try await store.store(SyntheticSource.bytes(range), at: range, of: reader.source) }
          #expect(try await reader.read(range) == SyntheticSource.bytes(range))
        }
        #expect(store.statistics()["disk"]?["hits"] == ranges.count, "\(store.statistics())")
        await reader.close()
        try await store.close()
      }
    }
  }
#endif
