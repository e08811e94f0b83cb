#if Encrypted
  import RangeIO
  import RangeIOTiers

  /// Blocks that LZ4 halves, or cannot shrink.
  struct HalfSource: RangeSource {
    let blockSize: Int
    let count: Int
    let isHalf: Bool

    private struct Version: SourceDescription.Validator {
      var persistentForm: [UInt8]? { [1] }
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
        newer is Version ? .same : .other
      }
    }

    func describe() async throws -> SourceDescription {
      SourceDescription(
        id: "half", validator: Version(), byteCount: blockSize * count, preferredBlockSize: .bytes(blockSize))
    }

    /// Noise, of which every other piece of 64 bytes is zero in what is to be halved.
    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      Bytes(count: range.count) { bytes in
        var state = UInt64(range.lowerBound) | 1
        for index in 0..<bytes.count {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          bytes[index] = isHalf && index / 64 % 2 == 1 ? 0 : UInt8(truncatingIfNeeded: state >> 56)
        }
      }
    }
  }

  /// A disk tier without memory above, with all blocks of a source in it.
  struct Tier {
    private let store: TieredStore
    private let reader: RangeReader
    private let source: HalfSource
    private let clock = ContinuousClock()

    init(_ source: HalfSource, _ directory: String, _ codec: any ChunkCodec, _ encryption: DiskEncryption?) async throws
    {
      var disk = DiskConfiguration(directory: directory, limit: .mebibytes(256))
      disk.codec = codec
      disk.encryption = encryption
      disk.keepsFastSources = true
      disk.freeSpaceFloor = .bytes(0)
      store = try await TieredStore(disk: disk)
      reader = try await RangeReader(source, [.caching(store)])
      self.source = source
      for block in 0..<source.count {
        let range = block * source.blockSize..<(block + 1) * source.blockSize
        try await store.store(try await source.read(range, of: reader.source), at: range, of: reader.source)
      }
      // Each is what it was.
      for block in 0..<source.count {
        let range = block * source.blockSize..<(block + 1) * source.blockSize
        let expected = try await source.read(range, of: reader.source)
        guard try await reader.read(range) == expected else { fatalError("block \(block) is wrong") }
      }
    }

    private var hits: Int { store.statistics()["disk"]?["hits"] ?? 0 }

    /// Reads all blocks.
    func microsecondsPerHit() async throws -> Double {
      let before = hits
      let begun = clock.now
      for block in 0..<source.count {
        _ = try await reader.read(block * source.blockSize..<(block + 1) * source.blockSize)
      }
      let time = clock.now - begun
      guard hits == before + source.count else { fatalError("a block was not read from the disk") }
      return time / .microseconds(source.count)
    }

    func close() async throws {
      await reader.close()
      try await store.close()
    }
  }
#endif
