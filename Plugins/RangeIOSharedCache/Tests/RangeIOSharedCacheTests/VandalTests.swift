#if SharedCache
  import Foundation
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOSharedCache

  /// Real engines whose values are spoilt while readers use them, and objects that are replaced.
  @Suite(.timeLimit(.minutes(60))) struct VandalTests {
    /// The reads, of all processes together: `RANGEIO_READS`, or a few.
    private static let operations =
      ProcessInfo.processInfo.environment["RANGEIO_READS"].flatMap { Int($0) } ?? 200
    private static let size = 200_000

    /// The bytes that the vandal puts in place of a value.
    private static func spoilt(
      _ value: Bytes?, _ family: BlockFamily, _ block: Int, _ numbers: inout SeededNumbers
    ) throws -> Bytes {
      guard let value, !value.isEmpty else { return Bytes(numbers.bytes(1 + numbers.below(5000))) }
      var bytes = Array(value)
      switch numbers.below(5) {
      case 0: bytes[numbers.below(bytes.count)] ^= 1 << numbers.below(8)
      case 1: bytes.removeLast(1 + numbers.below(bytes.count))
      case 2: bytes += numbers.bytes(1 + numbers.below(100))
      case 3: bytes = numbers.bytes(bytes.count)
      // A value as it should be, of another block.
      default: return try BlockFrame(keys: nil).value(of: Bytes(numbers.bytes(4096)), block: block + 1, in: family)
      }
      return Bytes(bytes)
    }

    @Test(arguments: EngineProcess.Kind.allCases.filter(\.isInstalled))
    func `no read has a wrong byte`(_ kind: EngineProcess.Kind) async throws {
      let seed = UInt64.random(in: 0 ... .max)
      let engine = try await EngineProcess.start(kind)
      let source = ReplacedObject(byteCount: Self.size, latency: .milliseconds(1), time: .continuous)
      let processes = 4
      let changed = try await withThrowingTaskGroup(of: Int.self) { group in
        for process in 0..<processes {
          group.addTask { try await Self.read(source, engine, seed &+ UInt64(process), Self.operations / processes) }
        }
        let vandal = Task { try await Self.vandalise(source, engine, seed) }
        let changed = try await group.reduce(0, +)
        vandal.cancel()
        #expect(try await vandal.value > 0)
        return changed
      }
      print("\(kind.rawValue): \(Self.operations) reads, \(changed) of a replaced object, seed \(seed)")
      try engine.end()
    }

    /// Reads as one process, with next to no memory of its own.
    ///
    /// - Returns: the reads that found the object replaced.
    private static func read(
      _ source: ReplacedObject, _ engine: EngineProcess, _ seed: UInt64, _ count: Int
    ) async throws -> Int {
      let store = try engine.store()
      var configuration = SharedCacheConfiguration()
      // Longer than a busy machine takes.
      configuration.lookUpTimeout = .seconds(10)
      let shared: ReadPipeline = .sharedCaching(store, configuration: configuration)
      var numbers = SeededNumbers(seed)
      var opened: (reader: RangeReader, expected: Bytes)?
      var changed = 0
      for _ in 0..<count {
        if numbers.below(100) == 0 { source.replace() }
        if opened == nil {
          let reader = try await RangeReader(
            source, [.caching(MemoryStore(limit: .kibibytes(64))), shared, .merging()])
          let version = Int((reader.source.validator as? Tag)?.text ?? "") ?? 0
          opened = (reader, ReplacedObject.bytes(0..<size, version: version))
        }
        guard let (reader, expected) = opened else { continue }
        let start = numbers.below(size)
        let range = start..<min(size, start + 1 + numbers.below(20_000))
        do {
          let isRight = try await reader.read(range) == expected[range]
          #expect(isRight, "seed \(seed): \(range)")
        } catch let error as ReadError where error.code == .sourceChanged {
          changed += 1
          await reader.close()
          opened = nil
        }
      }
      await opened?.reader.close()
      await store.close()
      return changed
    }

    /// Spoils values until it is cancelled. Returns how many.
    private static func vandalise(_ source: ReplacedObject, _ engine: EngineProcess, _ seed: UInt64) async throws -> Int
    {
      let store = try engine.store()
      var numbers = SeededNumbers(~seed)
      var spoiltCount = 0
      while !Task.isCancelled || spoiltCount == 0 {
        // `try?`: cancelled while it waits.
        guard let now = try? await source.describe(), let family = BlockFamily(now, blockSize: 4096) else { continue }
        let blocks = (0..<8).map { _ in numbers.below(size / 4096) }
        let answers = await store.get(blocks.map(family.key), lease: nil, within: .seconds(10))
        var values: [(key: SharedBlockKey, value: Bytes)] = []
        for (block, answer) in zip(blocks, answers) {
          let value: Bytes? = if case .value(let value) = answer { value } else { nil }
          values.append((family.key(block), try spoilt(value, family, block, &numbers)))
        }
        spoiltCount += await store.set(values, lifetime: .seconds(100))
      }
      await store.close()
      return spoiltCount
    }
  }
#endif
