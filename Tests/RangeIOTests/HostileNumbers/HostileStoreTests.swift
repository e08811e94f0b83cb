import RangeIOTiers
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Whatever a store is asked about is there or not.
struct HostileStoreTests {
  @Test func `a memory store is asked of any range`() async throws {
    for size in [4097, Int.max] {
      let store = MemoryStore(limit: .mebibytes(4))
      let reader = try await RangeReader(HostileSource(byteCount: size), [.caching(store)])
      _ = try await reader.read(0..<4097)
      for range in Hostile.ranges {
        let isHere = range.isEmpty || range.lowerBound >= 0 && range.upperBound <= 4097
        if range.lowerBound < 0 || range.upperBound > 8192 {
          #expect(store.contains(range, of: reader.source) == range.isEmpty, "\(range)")
        } else if isHere {
          #expect(store.contains(range, of: reader.source), "\(range)")
        }
        for part in store.cachedRanges(of: reader.source, within: range) {
          #expect(part.lowerBound >= max(0, range.lowerBound) && part.upperBound <= range.upperBound)
        }
        await survives { try store.pin(range, of: reader.source) }
        store.unpin(range, of: reader.source)
      }
      // From the smallest on: the last ones remove all.
      for range in Hostile.ranges {
        store.remove(range, of: reader.source)
        await survives { _ = try await reader.read(0..<4097) }
      }
      await reader.close()
    }
  }

  @Test func `tiers are asked of any range`() async throws {
    for size in [4097, Int.max] {
      let store = TieredStore(memory: .mebibytes(4), compressed: .mebibytes(1))
      let reader = try await RangeReader(HostileSource(byteCount: size), [.caching(store)])
      _ = try await reader.read(0..<4097)
      for range in Hostile.ranges {
        if range.lowerBound < 0 { #expect(store.contains(range, of: reader.source) == range.isEmpty, "\(range)") }
        _ = store.contains(range, of: reader.source)
        store.remove(range, of: reader.source)
        await survives { _ = try await reader.read(0..<4097) }
      }
      await reader.close()
    }
  }

  @Test func `a disk is given bytes of any range`() async throws {
    let directory = try TemporaryDirectory()
    let store = try await TieredStore(
      memory: .mebibytes(1), disk: .init(directory: directory.path, limit: .mebibytes(64)))
    for size in Hostile.sizes {
      let source = try await HostileSource(byteCount: size).describe()
      for range in Hostile.ranges {
        await survives { try await store.store(Bytes(), at: range, of: source) }
      }
    }
    try await store.close()
  }

  @Test func `limits of a memory store`() async throws {
    for limit in Hostile.counts {
      for block in Hostile.counts {
        var configuration = MemoryStore.Configuration(limit: limit)
        configuration.typicalBlockSize = block
        for blocks in Hostile.integers {
          configuration.blockLimit = blocks
          let store = MemoryStore(configuration)
          let reader = try await RangeReader(HostileSource(), [.caching(store)])
          _ = try await reader.read(0..<4097)
          #expect(store.counts().bytes <= limit.bytes)
          try await store.trim(toBlocks: blocks)
          try await store.trim(to: block)
          await survives { try await store.resize(to: block, blocks: blocks) }
          _ = try await reader.read(0..<4097)
          await reader.close()
        }
      }
    }
  }

  @Test func `limits of age`() async throws {
    for age in Hostile.durations {
      for idle in Hostile.durations {
        let store = MemoryStore(limit: .mebibytes(1))
        let tiers = TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1))
        store.setTimeLimits(age: age, idle: idle)
        tiers.setTimeLimits(age: age, idle: idle)
        for pipeline: ReadPipeline in [.caching(store), .caching(tiers)] {
          let reader = try await RangeReader(HostileSource(), pipeline)
          for _ in 0..<2 { _ = try await reader.read(0..<4097) }
          await reader.close()
        }
        store.change(.expire)
        tiers.change(.expire)
      }
    }
  }

  @Test func `limits of tiers`() async throws {
    for memory in Hostile.counts {
      for compressed in Hostile.counts {
        let store = TieredStore(memory: memory, compressed: compressed)
        let reader = try await RangeReader(HostileSource(), [.caching(store)])
        for _ in 0..<2 { _ = try await reader.read(0..<4097) }
        await survives { try await store.resize(memory: compressed, compressed: memory) }
        _ = try await reader.read(0..<4097)
        store.handleMemoryPressure(.critical)
        await reader.close()
      }
    }
  }

  @Test func `compression as strong as anybody wishes`() {
    for number in Hostile.integers {
      let codec = LZ4Codec(acceleration: number)
      let source = [UInt8](repeating: 1, count: 1000)
      var encoded = [UInt8](repeating: 0, count: 2000)
      let count = source.withUnsafeBytes { source in encoded.withUnsafeMutableBytes { codec.encode(source, into: $0) } }
      #expect(count.map { $0 < 1000 } == true)
    }
  }
}
