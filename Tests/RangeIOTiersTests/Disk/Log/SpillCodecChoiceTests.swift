import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Whether a disk compresses: rates in, codec out.
struct SpillCodecChoiceTests {
  /// A choice that has measured these, in MB/s; LZ4 keeps `fraction` of a byte.
  private func choice(
    writing: Int = 2000, reading: Int? = nil, encoding: Int = 700, decoding: Int = 2500, fraction: Double = 0.5
  ) -> SpillCodecChoice {
    var choice = SpillCodecChoice()
    measure(&choice, writing: writing, reading: reading, encoding: encoding, decoding: decoding, fraction: fraction)
    return choice
  }

  private func measure(
    _ choice: inout SpillCodecChoice, writing: Int, reading: Int? = nil, encoding: Int = 700, decoding: Int = 2500,
    fraction: Double = 0.5, bytes: Int = 16_000_000
  ) {
    func nanoseconds(_ rate: Int) -> Int64 { Int64(bytes * 1000 / rate) }
    choice.wrote(bytes: bytes, nanoseconds: nanoseconds(writing))
    if let reading { choice.read(bytes: bytes, nanoseconds: nanoseconds(reading)) }
    choice.coding.encoded(bytes: bytes, to: Int(Double(bytes) * fraction), nanoseconds: nanoseconds(encoding))
    choice.coding.decoded(bytes: bytes, nanoseconds: nanoseconds(decoding))
  }

  @Test func `before anything is known it compresses`() {
    var choice = SpillCodecChoice()
    #expect(!choice.decide(.init()) && choice.chosen == .encoded)
    choice.wrote(bytes: 4096, nanoseconds: 1)
    choice.coding.encoded(bytes: 4096, to: 2048, nanoseconds: 1000)
    #expect(!choice.decide(.init()) && choice.chosen == .encoded, "too little is known")
  }

  /// `writing` and `reading` in MB/s: the disk's; `share`: of the reads, that the page cache answers.
  @Test(arguments: [
    (
      what: "NVMe, resident", writing: 2000, reading: 1500, share: 1.0, fraction: 0.5, form: SpillCodecChoice.Form.plain
    ),
    ("NVMe, cold", 2000, 1500, 0.0, 0.5, .plain),
    ("SATA SSD, cold", 450, 400, 0.0, 0.5, .encoded),
    ("hard disk", 120, 80, 0.0, 0.5, .encoded),
    ("hard disk, all resident", 120, 80, 1.0, 0.5, .encoded),
    ("hard disk, nothing shrinks", 120, 80, 0.0, 1.0, .encoded),
    ("network disk behind a fast cache", 2000, 60, 0.0, 0.5, .encoded),
  ])
  func `the faster way is chosen`(
    _ row: (what: String, writing: Int, reading: Int, share: Double, fraction: Double, form: SpillCodecChoice.Form)
  ) {
    var choice = choice(writing: row.writing, reading: row.reading, fraction: row.fraction)
    let use = SpillCodecChoice.Use(
      writtenBlocks: 1000, readBlocks: 1000, reads: 1000, residentReads: Int(1000 * row.share), isFull: false)
    choice.decide(use)
    #expect(choice.chosen == row.form, "\(row.what): \(choice.cost(use)!)")
  }

  @Test func `a full store compresses what shrinks, however fast its disk is`() {
    var choice = choice(writing: 4000)
    choice.decide(.init())
    #expect(choice.chosen == .plain)
    measure(&choice, writing: 4000)
    var use = SpillCodecChoice.Use()
    use.isFull = true
    #expect(choice.decide(use) && choice.chosen == .encoded)
    var other = self.choice(writing: 4000, fraction: 0.95)
    #expect(other.decide(use) && other.chosen == .plain)
  }

  @Test func `a small gain changes nothing`() {
    // About 4 ns for a byte either way.
    var choice = choice(writing: 250, encoding: 700)
    let before = choice.cost(.init())!
    #expect(abs(before.plain / before.encoded - 1) < 0.25)
    #expect(!choice.decide(.init()) && choice.chosen == .encoded)
  }

  @Test func `it does not change its mind before eight mebibytes were written`() {
    var choice = choice(writing: 4000)
    #expect(choice.decide(.init()) && choice.chosen == .plain)
    // Now the disk is slow, but too little was written.
    measure(&choice, writing: 10, bytes: 4_000_000)
    #expect(!choice.decide(.init()) && choice.chosen == .plain)
    measure(&choice, writing: 10, bytes: 6_000_000)
    #expect(choice.decide(.init()) && choice.chosen == .encoded)
  }

  @Test func `old rates fade`() {
    var choice = choice(writing: 4000)
    choice.decide(.init())
    for _ in 0..<40 { measure(&choice, writing: 100) }
    #expect(choice.writing.bytesPerSecond! < 120e6)
    #expect(choice.decide(.init()) && choice.chosen == .encoded)
  }

  @Test func `a clock that stands still or goes back changes nothing`() {
    var choice = SpillCodecChoice()
    choice.wrote(bytes: 1 << 20, nanoseconds: 0)
    choice.coding.encoded(bytes: 1 << 20, to: 1 << 19, nanoseconds: 0)
    #expect(!choice.decide(.init()) && choice.writing.bytesPerSecond == nil)
    choice.wrote(bytes: 1 << 20, nanoseconds: -5)
    choice.read(bytes: 0, nanoseconds: 100)
    #expect(!choice.decide(.init()) && choice.reading.nanosecondsPerByte == nil)
  }

  @Test func `durable writes count with the time of making them durable`() {
    var choice = SpillCodecChoice()
    choice.wrote(bytes: 1 << 20, nanoseconds: 500_000)
    let before = choice.writing.bytesPerSecond!
    choice.made(durable: 1 << 20, nanoseconds: 10_000_000)
    #expect(choice.writing.bytesPerSecond! < before / 5)
  }
}

/// Directories with records of several codecs.
struct SpillMixedCodecsTests {
  @Test func `what was written in both forms is found in one directory, now and later`() async throws {
    var spill = SpillOnSimulatedDisk(segments: 16)
    spill.configuration.codec = AutomaticCodec()
    var store = try await spill.open()
    var source = FillSource(store.sources)
    for (form, blocks) in [(SpillCodecChoice.Form.encoded, 0..<4), (.plain, 4..<8), (.encoded, 8..<12)] {
      store.state.withLock { $0.codecChoice = .chosen(form) }
      store.writer.appender.form = form
      for block in blocks { source.put(block, in: store) }
      try await store.flush()
    }
    let stored = store.state.withLock { state in
      (0..<12).map { state.table[state.table.find(source: 0, block: $0)].stored }
    }
    #expect(stored[4..<8].allSatisfy { $0 == 4096 })
    #expect((stored[..<4] + stored[8...]).allSatisfy { $0 < 4096 })
    for block in 0..<12 { #expect(source.read(source.block(block), in: store) == [source.block(block)]) }
    try await store.close()
    // Whatever the next process writes with.
    for codec: any ChunkCodec in [IdentityCodec(), LZ4Codec(), AutomaticCodec()] {
      spill.configuration.codec = codec
      store = try await spill.open()
      source = FillSource(store.sources)
      for block in 0..<12 { #expect(source.read(source.block(block), in: store) == [source.block(block)]) }
      #expect(SpillRecount(store, isAtRest: true).faults.isEmpty)
      try await store.close()
    }
  }

  @Test func `explanations and statistics tell how blocks are stored`() async throws {
    var spill = SpillOnSimulatedDisk(segments: 16)
    spill.configuration.codec = AutomaticCodec()
    let store = try await spill.open()
    let source = FillSource(store.sources)
    source.put(0, in: store)
    try await store.flush()
    store.state.withLock { $0.codecChoice = .chosen(.plain) }
    store.writer.appender.form = .plain
    source.put(1, in: store)
    try await store.flush()
    let parts = store.explain(0..<8192, token: source.token.number, grid: source.token.grid)
    #expect(parts.map(\.detail) == ["compressed to 1%", "stored as it is"])
    #expect(store.statistics()["disk"]?["compresses"] == 0)
    try await store.close()
  }

  @Test func `a store that is told a codec does not choose`() async throws {
    let store = try await SpillOnSimulatedDisk().open()
    let source = FillSource(store.sources)
    store.state.withLock { $0.codecChoice = .chosen(.encoded) }
    source.put(0, in: store)
    try await store.flush()
    let stored = store.state.withLock { $0.table[$0.table.find(source: 0, block: 0)].stored }
    #expect(stored == 4096 && store.statistics()["disk"]?["compresses"] == nil)
    try await store.close()
  }
}
