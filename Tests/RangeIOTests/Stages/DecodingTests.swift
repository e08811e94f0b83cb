import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Decoding of blocks that know their place, compared byte by byte.
struct DecodingTests {
  /// A cipher for tests: each byte is changed by what block it is in and where; a tag may follow.
  struct Cipher {
    let blockSize: Int
    let tagSize: Int
    let headerSize: Int

    func mask(_ block: Int, _ offset: Int) -> UInt8 {
      UInt8(truncatingIfNeeded: SeededGenerator.mix(UInt64(block) << 20 | UInt64(offset)))
    }

    func encode(_ plain: [UInt8]) -> [UInt8] {
      var encoded = [UInt8](repeating: 0xEE, count: headerSize)
      for (block, start) in stride(from: 0, to: plain.count, by: blockSize).enumerated() {
        let piece = plain[start..<min(start + blockSize, plain.count)]
        encoded += piece.enumerated().map { $0.element ^ mask(block, $0.offset) }
        encoded += (0..<tagSize).map { UInt8(truncatingIfNeeded: block * 7 + $0) }
      }
      return encoded
    }

    func decode(_ block: Int, _ encoded: Bytes) throws -> Bytes {
      let tag = encoded.slice(encoded.count - tagSize..<encoded.count)
      guard Array(tag) == (0..<tagSize).map({ UInt8(truncatingIfNeeded: block * 7 + $0) }) else { throw Refusal.no }
      return Bytes(encoded.slice(0..<encoded.count - tagSize).enumerated().map { $0.element ^ mask(block, $0.offset) })
    }

    func stage(_ decoded: Noted<Int>? = nil) -> ReadPipeline {
      ReadPipeline.decoding(
        name: "cipher", blockSize: .bytes(blockSize), encodedBlockSize: .bytes(blockSize + tagSize),
        headerSize: .bytes(headerSize)
      ) { block, encoded in
        decoded?.add(block)
        return try decode(block, encoded)
      }
    }
  }

  private static let ciphers = [
    Cipher(blockSize: 16, tagSize: 0, headerSize: 0), Cipher(blockSize: 7, tagSize: 3, headerSize: 5),
    Cipher(blockSize: 1, tagSize: 0, headerSize: 1), Cipher(blockSize: 100, tagSize: 16, headerSize: 0),
  ]

  private static func plain(_ count: Int) -> [UInt8] { Array(SyntheticSource.bytes(0..<count)) }

  @Test(arguments: ciphers.indices)
  func `every range of sources of every length is decoded as it was`(number: Int) async throws {
    let cipher = Self.ciphers[number]
    for count in [0, 1, 6, 7, 8, 15, 16, 17, 35, 40] {
      let plain = Self.plain(count)
      let reader = try await RangeReader(ContentSource(cipher.encode(plain)), [cipher.stage()])
      #expect(reader.byteCount == count)
      for lower in 0...count {
        for upper in lower...count {
          #expect(Array(try await reader.read(lower..<upper)) == Array(plain[lower..<upper]))
        }
      }
    }
  }

  @Test(arguments: ciphers.indices)
  func `many ranges and streams are decoded as they were`(number: Int) async throws {
    let cipher = Self.ciphers[number]
    let plain = Self.plain(1003)
    let reader = try await RangeReader(ContentSource(cipher.encode(plain)), [cipher.stage()])
    for seed in testSeeds.prefix(20) {
      var random = TestRandom(seed)
      let ranges = (0..<8).map { _ in random.range(within: plain.count) }
      #expect(try await reader.read(ranges).map { Array($0) } == ranges.map { Array(plain[$0]) }, "seed \(seed)")
    }
    var all: [UInt8] = []
    for try await piece in reader.stream(chunkSize: .bytes(33)) { all += Array(piece) }
    #expect(all == plain)
  }

  @Test func `a block is decoded once for a request, and neighbours are read together`() async throws {
    let cipher = Self.ciphers[1]
    let source = ContentSource(cipher.encode(Self.plain(1000)))
    let decoded = Noted<Int>()
    let stage = cipher.stage(decoded)
    let reader = try await RangeReader(source, [stage])
    _ = try await reader.read([8..<9, 13..<22, 0..<2, 10..<12, 700..<701])
    #expect(decoded.all == [0, 1, 2, 3, 100])
    #expect(source.requests.map(\.ranges) == [[5..<45, 1005..<1015]])
    #expect(stage.statistics()?.figures == ["reads": 1, "blocks": 5, "bytes beside": 35 - 15])
  }

  @Test func `what a cache below has is decoded without waiting, if it is little`() async throws {
    let cipher = Cipher(blockSize: 1000, tagSize: 16, headerSize: 5)
    let plain = Self.plain(400_000)
    let source = ContentSource(cipher.encode(plain))
    let stage = cipher.stage()
    let reader = try await RangeReader(
      source, [stage, .caching(MemoryStore(limit: .mebibytes(4)), blockSize: .kibibytes(4))])
    #expect(reader.cached(10..<2500) == nil)
    for start in stride(from: 0, to: plain.count, by: 100_000) { _ = try await reader.read(start..<start + 100_000) }
    let (reads, counts) = (source.requests.count, stage.statistics()?.figures)
    for range in [0..<1, 10..<2500, 399_999..<400_000, 150_000..<400_000] {
      let isRight = reader.cached(range).map { $0.elementsEqual(plain[range]) }
      #expect(isRight == true, "\(range)")
    }
    #expect(reader.cached(0..<400_000) == nil, "more than is decoded on the spot")
    #expect(source.requests.count == reads)
    #expect(stage.statistics()?.figures["reads"] == counts?["reads"].map { $0 + 4 })
    await reader.close()
  }

  @Test func `what cannot be decoded is nil without waiting, and the read says why`() async throws {
    let cipher = Self.ciphers[3]
    var encoded = cipher.encode(Self.plain(1000))
    encoded[115] ^= 1
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await RangeReader(ContentSource(encoded), [cipher.stage(), .caching(store)])
    for _ in 0..<2 {
      #expect(reader.cached(0..<10) == nil)
      await #expect(throws: Refusal.no) { try await reader.read(0..<10) }
    }
    await reader.close()
  }

  @Test func `the description says what was done`() async throws {
    let source = ContentSource(Self.ciphers[1].encode(Self.plain(10)))
    let reader = try await RangeReader(source, [Self.ciphers[1].stage()])
    #expect(reader.source.id == "content|cipher(10>7,5)")
    let simple = try await RangeReader(ContentSource([1]), [Self.ciphers[0].stage()])
    #expect(simple.source.id == "content|cipher(16)")
  }

  @Test func `a source cut short, or with other sizes, is told`() async throws {
    let cipher = Self.ciphers[1]
    let whole = cipher.encode(Self.plain(20))
    for count in 0..<whole.count {
      let body = count - cipher.headerSize
      let rest = body % 10
      let reader = try await RangeReader(ContentSource(whole.prefix(count)), [cipher.stage()])
      guard reader.byteCount > 0 else { continue }
      if rest == 1 || rest == 2 {
        let error = await #expect(throws: ReadError.self) { try await reader.read(0..<1) }
        #expect(error?.code == .corrupted && error?.isTransient == false)
      } else if body < 10 {
        // What is left of the first block has no tag of its own any more.
        await #expect(throws: Refusal.no) { try await reader.read(0..<1) }
      } else {
        #expect(Array(try await reader.read(0..<1)) == Self.plain(1))
      }
    }
  }

  @Test func `errors of the decoder pass through, and wrong sizes are told`() async throws {
    var damaged = Self.ciphers[1].encode(Self.plain(30))
    damaged[5 + 10 + 8] ^= 1
    let reader = try await RangeReader(ContentSource(damaged), [Self.ciphers[1].stage()])
    #expect(Array(try await reader.read(0..<7)) == Self.plain(7))
    await #expect(throws: Refusal.no) { try await reader.read(0..<8) }
    for count in [0, 15, 17] {
      let stage: ReadPipeline = .decoding(name: "wrong", blockSize: .bytes(16)) { _, _ in
        Bytes(repeatElement(0, count: count))
      }
      let wrong = try await RangeReader(ContentSource(Self.plain(64)), [stage])
      let error = await #expect(throws: ReadError.self) { try await wrong.read(20..<21) }
      #expect(error?.code == .invalidResponse)
      #expect(error?.context == .init(source: "content", offset: 16, count: 16))
    }
  }

  @Test func `below a cache blocks are decoded once, above it at each read`() async throws {
    let cipher = Cipher(blockSize: 64, tagSize: 0, headerSize: 0)
    let plain = Self.plain(1000)
    for isCacheAbove in [true, false] {
      let source = ContentSource(cipher.encode(plain))
      let decoded = Noted<Int>()
      let store = MemoryStore(limit: .mebibytes(1))
      let reader = try await RangeReader(
        source,
        [
          isCacheAbove ? .caching(store, blockSize: .bytes(256)) : [], cipher.stage(decoded),
          !isCacheAbove ? .caching(store, blockSize: .bytes(256)) : [],
        ])
      for _ in 0..<3 { #expect(Array(try await reader.read(300..<310)) == Array(plain[300..<310])) }
      #expect(decoded.all.count == (isCacheAbove ? 4 : 3))
      #expect(source.requests.count == 1)
      #expect(store.cachedRanges(of: isCacheAbove ? reader.source : reader.source.base!) == [256..<512])
    }
  }

  /// A source that lends its memory, unless it is asked for several ranges, as a cache does.
  private struct Lending: RangeSource {
    let bytes: Bytes
    let lent = Noted<Int>()
    func describe() async throws -> SourceDescription {
      SourceDescription(
        id: "lending", validator: nil, byteCount: bytes.count, preferredBlockSize: .bytes(64),
        traits: .with { $0.isBorrowed = true })
    }
    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      lent.add(range.count)
      return bytes.slice(range)
    }
    func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes] {
      ranges.map { Bytes(Array(bytes.slice($0))) }
    }
  }

  @Test(arguments: [false, true])
  func `a cache above is never lent the memory of the source`(hasCache: Bool) async throws {
    let cipher = Self.ciphers[2]
    let plain = Self.plain(1000)
    let source = Lending(bytes: Bytes(cipher.encode(plain)))
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await RangeReader(source, [hasCache ? .caching(store) : [], cipher.stage()])
    #expect(Array(try await reader.read(100..<300)) == Array(plain[100..<300]))
    let parts = try await reader.read([0..<10, 500..<520])
    #expect(parts.map { Array($0) } == [Array(plain[..<10]), Array(plain[500..<520])])
    #expect(source.lent.all.isEmpty == hasCache)
    await reader.close()
  }

  @Test func `several follow each other`() async throws {
    let (outer, inner) = (Self.ciphers[1], Self.ciphers[3])
    let plain = Self.plain(500)
    let reader = try await RangeReader(
      ContentSource(inner.encode(outer.encode(plain))), [outer.stage(), inner.stage()])
    for seed in testSeeds.prefix(10) {
      var random = TestRandom(seed)
      let range = random.range(within: 500)
      #expect(Array(try await reader.read(range)) == Array(plain[range]))
    }
  }
}
