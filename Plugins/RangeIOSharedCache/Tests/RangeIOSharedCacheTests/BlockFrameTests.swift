#if SharedCache
  import RangeIO
  import Testing

  @testable import RangeIOSharedCache

  struct BlockFrameTests {
    private func family(_ source: SourceDescription = description(), blockSize: Int = 4096) throws -> BlockFamily {
      try #require(BlockFamily(source, blockSize: blockSize))
    }

    private func keys(_ ids: UInt32..., current: UInt32) throws -> SharedCacheKeys {
      try SharedCacheKeys(
        Dictionary(uniqueKeysWithValues: ids.map { ($0, [UInt8](repeating: UInt8($0), count: 32)) }), current: current)
    }

    private let contents = Bytes((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    @Test(arguments: [false, true]) func `a block comes back, also the short last one`(_ isEncrypted: Bool) throws {
      let frame = BlockFrame(keys: isEncrypted ? try keys(1, current: 1) : nil)
      let family = try family()
      for block in [0, 7, 1_000_000 / 4096] {
        let bytes = contents[..<family.count(of: block)]
        let value = try frame.value(of: bytes, block: block, in: family)
        #expect(value.count == frame.overhead(of: family) + bytes.count)
        #expect(try frame.contents(of: value, block: block, in: family) == bytes)
      }
    }

    /// The example of `Docs/Formats/SharedBlock.md`.
    @Test func `values and keys have the bytes that their format says`() throws {
      let family = try family(description("a", byteCount: 3))
      let value: [UInt8] = [
        0x52, 0x49, 0x4f, 0x42, 1, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
        0x0e, 0x2a, 0x97, 0x8c, 1, 0, 0, 0, 0x61, 1, 0, 0, 0, 0x31, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0,
        0x78, 0x79, 0x7a,
      ]
      let xyz = Bytes("xyz".utf8)
      #expect(Array(try BlockFrame(keys: nil).value(of: xyz, block: 0, in: family)) == value)
      let digest = family.key(0).digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      #expect(digest == "8e1f272a0d30f347e39c8b1a8890a1783fa43976e51232de91702572f2381423")
      // Encrypted by another program: a nonce, three bytes and a tag.
      var encrypted = value[..<58]
      (encrypted[5], encrypted[8]) = (1, 1)
      encrypted.replaceSubrange(28..<32, with: [0x7b, 0x4b, 0x23, 0x15])
      encrypted += 0..<12
      encrypted += [
        0xc3, 0xdf, 0xef, 0x8c, 0x3e, 0x65, 0x00, 0x12, 0x48, 0xde, 0xed, 0xcb, 0x99, 0x7b, 0x57, 0xcc, 0x90, 0xc3,
        0xd4,
      ]
      let frame = BlockFrame(keys: try keys(1, current: 1))
      #expect(try frame.contents(of: Bytes(encrypted), block: 0, in: family) == xyz)
    }

    @Test(arguments: [false, true]) func `every flipped bit and every length is noticed`(_ isEncrypted: Bool) throws {
      let frame = BlockFrame(keys: isEncrypted ? try keys(1, current: 1) : nil)
      let family = try family(description(byteCount: 300), blockSize: 4096)
      let value = Array(try frame.value(of: contents[..<300], block: 0, in: family))
      for bit in 0..<value.count * 8 {
        var other = value
        other[bit / 8] ^= 1 << (bit % 8)
        #expect(throws: BlockFrame.Fault.self) { try frame.contents(of: Bytes(other), block: 0, in: family) }
      }
      for count in 0..<value.count {
        #expect(throws: BlockFrame.Fault.self) { try frame.contents(of: Bytes(value[..<count]), block: 0, in: family) }
      }
      #expect(throws: BlockFrame.Fault.self) { try frame.contents(of: Bytes(value + [0]), block: 0, in: family) }
    }

    @Test(arguments: [false, true]) func `a value of another block, version, source or size is foreign`(
      _ isEncrypted: Bool
    ) throws {
      let frame = BlockFrame(keys: isEncrypted ? try keys(1, current: 1) : nil)
      let one = try family()
      let value = try frame.value(of: contents, block: 3, in: one)
      #expect(throws: BlockFrame.Fault.foreign) { try frame.contents(of: value, block: 4, in: one) }
      for other in [
        try family(description(tag: "2")), try family(description("https://a.example/c")),
        try family(description(byteCount: 999_999)), try family(blockSize: 8192),
      ] {
        #expect(one.key(3) != other.key(3))
        #expect(throws: BlockFrame.Fault.foreign) { try frame.contents(of: value, block: 3, in: other) }
      }
      #expect(one.key(3) != one.key(4))
    }

    @Test func `parts of an identity cannot be moved between its fields`() throws {
      let one = try family(description("ab", tag: "c"))
      let other = try family(description("a", tag: "bc"))
      #expect(one.identity != other.identity && one.key(0) != other.key(0))
    }

    @Test func `keys are rotated by their ids`() throws {
      let family = try family()
      let old = BlockFrame(keys: try keys(1, current: 1))
      let both = BlockFrame(keys: try keys(1, 2, current: 2))
      let new = BlockFrame(keys: try keys(2, current: 2))
      let value = try old.value(of: contents, block: 0, in: family)
      #expect(try both.contents(of: value, block: 0, in: family) == contents)
      #expect(throws: BlockFrame.Fault.notAuthentic) { try new.contents(of: value, block: 0, in: family) }
      let renewed = try both.value(of: contents, block: 0, in: family)
      #expect(try new.contents(of: renewed, block: 0, in: family) == contents)
    }

    @Test func `plain values are refused where they should be encrypted, and the other way round`() throws {
      let family = try family()
      let (plain, encrypted) = (BlockFrame(keys: nil), BlockFrame(keys: try keys(1, current: 1)))
      let value = try plain.value(of: contents, block: 0, in: family)
      #expect(throws: BlockFrame.Fault.notAuthentic) { try encrypted.contents(of: value, block: 0, in: family) }
      let secret = try encrypted.value(of: contents, block: 0, in: family)
      #expect(throws: BlockFrame.Fault.notAuthentic) { try plain.contents(of: secret, block: 0, in: family) }
      #expect(!Array(secret).contains(Array(contents[..<16])))
    }

    @Test func `keys have their lengths, and show nothing`() throws {
      #expect(throws: SharedCacheKeys.Fault.length) { try SharedCacheKeys([1: [1, 2, 3]], current: 1) }
      #expect(throws: SharedCacheKeys.Fault.noCurrent) {
        try SharedCacheKeys([1: [UInt8](repeating: 0, count: 16)], current: 2)
      }
      #expect("\(try keys(7, current: 7))" == "SharedCacheKeys([7], current: 7)")
    }

    @Test func `only versions that all processes recognise have blocks`() {
      #expect(BlockFamily(description(tag: nil), blockSize: 4096) == nil)
      #expect(BlockFamily(description(tag: ""), blockSize: 4096) == nil)
      #expect(BlockFamily(description(isSettled: false), blockSize: 4096) == nil)
      #expect(BlockFamily(description(), blockSize: 1000) == nil)
    }
  }
#endif
