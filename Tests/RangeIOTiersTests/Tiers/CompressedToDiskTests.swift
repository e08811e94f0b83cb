import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What leaves compressed memory for a disk: neither decompressed nor compressed again, if both have one codec.
@Suite(.simulated) struct CompressedToDiskTests {
  private let codec = WatchedCodec()

  private struct Tiers {
    let store: TieredStore
    let compressed: CompressedStore
    let disk: SpillStore
    let source: FillSource

    /// Moves blocks into compressed memory, which sends on what it evicts. Waits for the disk now and then.
    func fill(_ count: Int) async throws {
      for block in 0..<count {
        _ = compressed.insertDemoted(source.chunk(block, at: compressed.now))
        if block % 16 == 15 { try await store.flush() }
      }
      try await store.flush()
    }

    func onDisk(_ blocks: Range<Int>) -> Set<Int>? { source.served(blocks, by: disk) }

    func inMemory(_ blocks: Range<Int>) -> Set<Int> {
      Set(blocks.filter { source.read(source.block($0), in: compressed) == [source.block($0)] })
    }
  }

  /// Compressed memory for some forty blocks of 64 KiB that shrink to next to nothing, and a disk for all.
  private func open(diskCodec: any ChunkCodec, segment: Int = 1 << 20) async throws -> Tiers {
    let spill = SpillOnSimulatedDisk(segment: segment) {
      $0.codec = diskCodec
      $0.stagingLimit = .mebibytes(8)
    }
    var configuration = spill.configuration
    configuration.disk = spill.disk.newProcess()
    let sources = ChunkSources()
    let disk = try await SpillStore.open(configuration, sources: sources)
    var above = CompressedStore.Configuration(limit: .kibibytes(16))
    above.codec = codec
    let compressed = CompressedStore(above, sources: sources)
    let source = FillSource(sources, blockSize: 65_536)
    // Room for all that leaves at once, decompressed too.
    let store = TieredStore(compressed, disk, queueLimit: .mebibytes(8))
    return Tiers(store: store, compressed: compressed, disk: disk, source: source)
  }

  @Test func `it is written as it is`() async throws {
    let tiers = try await open(diskCodec: codec)
    try await tiers.fill(200)
    #expect(codec.encodes == 200 && codec.decodes == 0)
    let disk = tiers.disk.counts()
    // 64 KiB of one byte take some 300.
    #expect(disk.written > 100 && disk.writtenBytes < disk.written * 1024)
    #expect(tiers.onDisk(0..<200)?.union(tiers.inMemory(0..<200)) == Set(0..<200))
    #expect(codec.encodes == 200)
    try await tiers.store.close()
  }

  @Test func `closing writes what is left as it is`() async throws {
    let tiers = try await open(diskCodec: codec)
    for block in 0..<8 { tiers.source.put(block, in: tiers.compressed) }
    try await tiers.store.close()
    #expect(codec.encodes == 8 && codec.decodes == 0)
    #expect(tiers.disk.counts().written == 8)
  }

  @Test func `another codec of the disk compresses it anew`() async throws {
    let tiers = try await open(diskCodec: LZ4Codec())
    try await tiers.fill(200)
    let moved = tiers.disk.counts().written
    #expect(moved > 100 && codec.decodes == moved && codec.encodes == 200)
    #expect(tiers.onDisk(0..<200)?.union(tiers.inMemory(0..<200)) == Set(0..<200))
    try await tiers.store.close()
  }

  @Test func `what waits to be written is decompressed for readers`() async throws {
    let tiers = try await open(diskCodec: codec)
    let chunk = try #require(compressedChunk(of: 3, tiers))
    #expect(tiers.disk.insertDemoted(chunk))
    #expect(tiers.disk.counts().stagedHits == 0)
    let part = tiers.source.block(3).lowerBound + 100..<tiers.source.block(3).lowerBound + 5000
    #expect(tiers.source.read(part, in: tiers.disk) == [part])
    #expect(tiers.disk.counts().stagedHits == 1 && codec.decodes == 1)
    try await tiers.store.close()
  }

  @Test func `what cannot be decompressed on its way is not found, and is no wrong byte`() async throws {
    let tiers = try await open(diskCodec: codec)
    let chunk = try #require(compressedChunk(of: 3, tiers))
    codec.damage { true }
    #expect(tiers.disk.insertDemoted(chunk))
    #expect(tiers.source.read(tiers.source.block(3), in: tiers.disk) == [])
    try await tiers.store.close()
  }

  @Test(arguments: [IdentityCodec() as any ChunkCodec, WatchedCodec(), LZ4Codec()])
  func `a disk with another codec gets them decompressed, even if that has the same id`(other: any ChunkCodec)
    async throws
  {
    let tiers = try await open(diskCodec: other)
    try await tiers.fill(100)
    let moved = tiers.disk.counts().written
    #expect(moved > 50 && codec.decodes == moved)
    #expect(tiers.onDisk(0..<100)?.union(tiers.inMemory(0..<100)) == Set(0..<100))
    try await tiers.store.close()
  }

  @Test func `what is decompressed for the disk does not pile up until a batch is written`() async throws {
    let tiers = try await open(diskCodec: IdentityCodec(), segment: 16 << 20)
    let most = Locked(0)
    codec.whileDecoding { [codec, disk = tiers.disk] in
      let held = codec.decodes - disk.counts().written
      most.withLock { $0 = max($0, held) }
    }
    for block in 0..<100 {
      let bytes = tiers.source.expected(tiers.source.block(block))
      #expect(tiers.disk.insertDemoted(try encodedChunk(of: bytes, block, tiers)))
    }
    try await tiers.store.flush()
    #expect(codec.decodes == 100 && tiers.disk.counts().written == 100)
    // A batch and a quarter of MiB, in blocks of 64 KiB.
    #expect((1...20).contains(most.withLock { $0 }))
    codec.whileDecoding(nil)
    #expect(tiers.onDisk(0..<100) == Set(0..<100))
    try await tiers.store.close()
  }

  @Test func `large blocks are decompressed before, since a reader that finds them would have to wait`() {
    var configuration = CompressedStore.Configuration(limit: .kibibytes(64))
    (configuration.codec, configuration.inlineLimit) = (codec, .kibibytes(32))
    for (size, isEncoded) in [(32_768, true), (65_536, false)] {
      let store = CompressedStore(configuration, sources: ChunkSources())
      let source = FillSource(store.sources, blockSize: size)
      #expect(source.put(0, in: store))
      #expect(store.residents().next()?.map(\.isEncoded) == [isEncoded])
    }
  }

  @Test func `what did not shrink is not tried again`() async throws {
    let tiers = try await open(diskCodec: codec)
    let noise = SyntheticSource.bytes(0..<65_536)
    for block in 0..<4 {
      let ticket = tiers.source.token.ticket(fetchedAt: tiers.compressed.now)
      let chunk = Chunk(ticket: ticket, block: block, piece: RangedBytes(tiers.source.block(block), noise))
      #expect(!tiers.compressed.insertDemoted(chunk))
    }
    try await tiers.store.flush()
    #expect(codec.encodes == 4 && tiers.disk.counts().written == 4)
    let piece = try #require(tiers.source.held(tiers.source.block(2), in: tiers.disk).first)
    #expect(piece.loader.answeredBytes == noise)
    try await tiers.store.close()
  }

  @Test func `what shrinks by half is written as it is, without a copy, and is right`() async throws {
    let tiers = try await open(diskCodec: codec)
    let half = Bytes(concatenating: [SyntheticSource.bytes(0..<32_768), Bytes([UInt8](repeating: 0, count: 32_768))])
    for block in 0..<8 {
      let chunk = try encodedChunk(of: half, block, tiers)
      #expect(chunk.byteCount > 16_384)
      #expect(tiers.disk.insertDemoted(chunk))
    }
    try await tiers.store.flush()
    #expect(codec.decodes == 0 && tiers.disk.counts().written == 8)
    for block in 0..<8 {
      let piece = try #require(tiers.source.held(tiers.source.block(block), in: tiers.disk).first)
      #expect(piece.loader.answeredBytes?.slice(0..<65_536) == half)
    }
    try await tiers.store.close()
  }

  @Test func `codecs with one id need not be one codec`() {
    let other = WatchedCodec()
    #expect(codec.id == other.id && codec.encoding != other.encoding && codec.encoding == codec.encoding)
    #expect(FillCodec().encoding == nil && LZ4Codec().encoding != OddLZ4().encoding)
    #expect(LZ4Codec().encoding == AutomaticCodec().encoding && LZ4Codec().encoding != IdentityCodec().encoding)
    #expect(LZ4Codec(acceleration: 9).encoding != AutomaticCodec().encoding)
  }

  /// A block of these bytes, encoded.
  private func encodedChunk(of bytes: Bytes, _ block: Int, _ tiers: Tiers) throws -> Chunk {
    var count = 0
    let encoded = Bytes(count: bytes.count) { buffer in
      count = bytes.withUnsafeBytes { codec.encode($0, into: buffer) } ?? 0
    }
    try #require(count > 0)
    return Chunk(
      ticket: tiers.source.token.ticket(fetchedAt: tiers.compressed.now), block: block,
      range: tiers.source.block(block),
      encoded: EncodedBytes(encoded.slice(0..<count), by: codec, of: bytes.count), lastRead: nil)
  }

  /// A block as compressed memory hands it to the disk.
  private func compressedChunk(of block: Int, _ tiers: Tiers) -> Chunk? {
    #expect(tiers.source.put(block, in: tiers.compressed))
    return tiers.compressed.residents().next()?.first { $0.block == block }
  }
}
