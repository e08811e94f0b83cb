internal import Cost
internal import RangeIO
internal import RangeIOSharedCache

/// What programs do.
struct StageAndReader: Contender {
  private let reader: RangeReader
  private let store: any SharedCacheEngine

  init(_ source: NumberedObject, _ store: any SharedCacheEngine, size: Int) async throws {
    self.store = store
    var configuration = SharedCacheConfiguration()
    configuration.blockSize = .bytes(size)
    // As for a source that is 20 ms away: this one is not.
    configuration.lookUpTimeout = .milliseconds(2)
    // All of the object, when it is put there.
    configuration.pendingWriteLimit = .gibibytes(1)
    let shared: ReadPipeline = .sharedCaching(store, configuration: configuration)
    reader = try await RangeReader(source, [shared])
  }

  func read(_ range: Range<Int>) async throws {
    let bytes = try await reader.read(range)
    bytes.withUnsafeBytes { Content.check($0, range) }
  }

  func close() async throws {
    await reader.close()
    await store.close()
  }
}

/// The engine's client, without a stage: what it returns is believed.
struct StoreAlone: Contender {
  private let store: any SharedCacheEngine
  private let size: Int

  init(store: any SharedCacheEngine, size: Int) {
    self.store = store
    self.size = size
  }

  private func key(_ block: Int) -> SharedBlockKey {
    SharedBlockKey(digest: (0..<32).map { UInt8(truncatingIfNeeded: block >> (8 * ($0 & 3))) })
  }

  func fill(_ byteCount: Int) async throws {
    let source = NumberedObject(byteCount: byteCount)
    let description = try await source.describe()
    for start in stride(from: 0, to: byteCount, by: size) {
      let bytes = try await source.read(start..<start + size, of: description)
      let stored = await store.set([(key: key(start / size), value: bytes)], lifetime: .seconds(3600))
      precondition(stored == 1, "a block was not stored")
    }
    await store.close()
  }

  func read(_ range: Range<Int>) async throws {
    while true {
      // It is there, though it may come too late.
      let answers = await store.get([key(range.lowerBound / size)], lease: nil, within: .seconds(1))
      guard case .value(let bytes) = answers[0] else { continue }
      return bytes.withUnsafeBytes { Content.check($0, range) }
    }
  }

  func close() async throws { await store.close() }
}
