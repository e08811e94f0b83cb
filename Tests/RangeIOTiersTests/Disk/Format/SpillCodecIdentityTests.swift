import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Chunks are decoded by the codec that encoded them, and by no other with the same number.
@Suite struct SpillCodecIdentityTests {
  private func open(_ codec: any ChunkCodec, _ spill: SimulatedSpill) throws -> SpillStore {
    try spill.open { $0.codec = codec }
  }

  private func write(_ blocks: Range<Int>, _ codec: any ChunkCodec, _ spill: SimulatedSpill) async throws {
    let store = try open(codec, spill)
    for block in blocks { FillSource(store.sources).put(block, in: store) }
    try await store.close()
  }

  private func served(_ blocks: Range<Int>, _ codec: any ChunkCodec, _ spill: SimulatedSpill) throws -> Set<Int>? {
    let store = try spill.open {
      $0.codec = codec
      $0.isReadOnly = true
    }
    var served: Set<Int> = []
    for block in blocks {
      guard let found = FillSource(store.sources).readKept(block, in: store) else { return nil }
      if found { served.insert(block) }
    }
    return served
  }

  @Test(arguments: [0, 1, 2, 127] as [UInt8])
  func `a codec of the user's with a number of the library's is refused`(id: UInt8) async throws {
    var configuration = SimulatedSpill().configuration
    configuration.disk = SimulatedDisk().newProcess()
    configuration.codec = KeyedCodec(id: id, key: 3)
    let error = await #expect(throws: ReadError.self) { _ = try await SpillStore.open(configuration) }
    #expect(error?.code == .invalidConfiguration)
    for codec in [LZ4Codec(), IdentityCodec(), AutomaticCodec()] as [any ChunkCodec] {
      configuration.codec = codec
      configuration.disk = SimulatedDisk().newProcess()
      try await SpillStore.open(configuration).close()
    }
  }

  @Test func `what one key has written, another does not read`() async throws {
    let spill = SimulatedSpill()
    try await write(0..<8, KeyedCodec(key: 3), spill)
    #expect(try served(0..<8, KeyedCodec(key: 5), spill) == [])
    #expect(try served(0..<8, KeyedCodec(key: 3, named: false), spill) == [])
    #expect(try served(0..<8, LZ4Codec(), spill) == [])
    #expect(try served(0..<8, KeyedCodec(key: 3), spill) == Set(0..<8))
  }

  @Test(arguments: [KeyedCodec(key: 5), KeyedCodec(key: 3, named: false), LZ4Codec()] as [any ChunkCodec])
  func `what another key has written is not said to be there, and is no damage`(codec: any ChunkCodec) async throws {
    let spill = SimulatedSpill()
    try await write(0..<8, KeyedCodec(key: 3), spill)
    let store = try open(codec, spill)
    let source = FillSource(store.sources)
    #expect(store.isEmpty)
    #expect(!store.contains(source.block(0), of: source.source))
    let parts = store.explain(source.block(1), token: source.token.number, grid: source.token.grid)
    #expect(parts.allSatisfy { $0.origin == .source })
    #expect(source.held(source.block(2), in: store).isEmpty)
    #expect(store.counts().damaged == 0)
    try await store.close()
    #expect(try served(0..<8, KeyedCodec(key: 3), spill) == Set(0..<8))
  }

  @Test func `what a codec without an identity has written is no damage for one that has one`() async throws {
    let spill = SimulatedSpill()
    try await write(0..<8, KeyedCodec(key: 3, named: false), spill)
    let store = try open(KeyedCodec(key: 3), spill)
    for block in 0..<8 { #expect(FillSource(store.sources).readKept(block, in: store) == false) }
    #expect(store.isEmpty)
    #expect(store.counts().damaged == 0)
    try await store.close()
  }

  @Test func `the identity is read once, when the directory is opened`() async throws {
    let (spill, asked) = (SimulatedSpill(), Noted<Bool>())
    let codec = KeyedCodec(key: 3, asked: asked)
    try await write(0..<8, codec, spill)
    let store = try open(codec, spill)
    for block in 0..<8 { #expect(FillSource(store.sources).readKept(block, in: store) == true) }
    try await store.close()
    #expect(asked.all.count == 2)
  }

  @Test func `a codec without more than its number reads what it wrote before there were identities`() async throws {
    let spill = SimulatedSpill()
    try await write(0..<8, KeyedCodec(key: 3, named: false), spill)
    let header = try #require(spill.disk.contents(of: spill.path(spill.segments[0])))
    #expect(header[48..<60].allSatisfy { $0 == 0 })
    #expect(try served(0..<8, KeyedCodec(key: 3, named: false), spill) == Set(0..<8))
    #expect(try served(0..<8, KeyedCodec(key: 3), spill) == [])
  }

  @Test func `segments of several codecs are never merged into one`() async throws {
    let spill = SimulatedSpill()
    for block in 0..<80 { try await write(block..<block + 1, KeyedCodec(key: block % 2 == 0 ? 3 : 5), spill) }
    let even = try #require(try served(0..<80, KeyedCodec(key: 3), spill))
    let odd = try #require(try served(0..<80, KeyedCodec(key: 5), spill))
    #expect(!even.isEmpty && !odd.isEmpty)
    #expect(even.allSatisfy { $0 % 2 == 0 } && odd.allSatisfy { $0 % 2 == 1 })
  }

  @Test func `the identity in a header is the FNV-1a hash of the number and the identity`() {
    #expect(KeyedCodec(key: 3, named: false).spilledIdentity == 0 && LZ4Codec().spilledIdentity == 0)
    // Of the bytes 200, 200, 3.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in [200, 200, 3] as [UInt64] { hash = (hash ^ byte) &* 0x100_0000_01B3 }
    #expect(KeyedCodec(key: 3).spilledIdentity == hash)
  }
}

/// Encodes a block of equal bytes as one, changed by a key.
private struct KeyedCodec: ChunkCodec {
  var id: UInt8 = 200
  var key: UInt8
  /// Whether its identity says which key it has.
  var named = true
  var asked = Noted<Bool>()
  var identity: [UInt8] {
    asked.add(true)
    return named ? [id, key] : [id]
  }

  func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? {
    destination[0] = source[0] &+ key
    return 1
  }

  func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool {
    guard source.count == 1 else { return false }
    for place in destination.indices { destination[place] = source[0] &- key }
    return true
  }
}

extension FillSource {
  /// Whether a block is on the disk and can be decoded; `nil` if it has wrong bytes.
  fileprivate func readKept(_ number: Int, in store: SpillStore) -> Bool? {
    for piece in held(block(number), in: store) {
      guard let bytes = piece.loader.answeredBytes else { return false }
      return bytes == expected(piece.range) ? true : nil
    }
    return false
  }
}
