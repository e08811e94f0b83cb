#if SharedCache
  import NIOConcurrencyHelpers
  import RangeIO

  @testable import RangeIOSharedCache

  /// An engine in simulated time, whose nodes die, stall, lie, evict and restart as a seed decides.
  final class SimulatedEngine: SharedCacheEngine {
    /// The probability of each fault, for one command.
    struct Faults: Sendable {
      var stall = 0.0
      var forget = 0.0
      var flip = 0.0
      var cut = 0.0
      var swap = 0.0
      var refuse = 0.0
      var restart = 0.0

      static let none = Faults()
      static let all = Faults(
        stall: 0.02, forget: 0.02, flip: 0.02, cut: 0.02, swap: 0.02, refuse: 0.02, restart: 0.001)
    }

    private struct State {
      var values: [SharedBlockKey: Bytes] = [:]
      var leases: [SharedBlockKey: ReadClock.Instant] = [:]
      var numbers: SeededNumbers
      var lies = 0
    }

    private let state: NIOLockedValueBox<State>
    private let faults: Faults
    private let time: ReadClock
    let latency: Duration
    let valueLimit = 1 << 20

    init(_ time: ReadClock, seed: UInt64, latency: Duration = .microseconds(200), faults: Faults = .none) {
      self.time = time
      self.latency = latency
      self.faults = faults
      state = NIOLockedValueBox(State(numbers: SeededNumbers(seed)))
    }

    /// The number of values returned other than they were put.
    var lies: Int { state.withLockedValue { $0.lies } }
    var valueCount: Int { state.withLockedValue { $0.values.count } }

    /// All of it is gone.
    func restart() {
      state.withLockedValue { state in
        state.values = [:]
        state.leases = [:]
      }
    }

    private func happens(_ chance: Double) -> Bool {
      chance > 0 && state.withLockedValue { Double.random(in: 0..<1, using: &$0.numbers) } < chance
    }

    nonisolated(nonsending) func get(
      _ keys: [SharedBlockKey], lease: Duration?, within limit: Duration
    ) async -> [SharedBlockAnswer] {
      if happens(faults.restart) { restart() }
      guard !happens(faults.stall), latency <= limit else {
        // `try?`: cancelled, it answers at once.
        try? await time.sleep(for: limit)
        return keys.map { _ in .missing }
      }
      // `try?`: cancelled, it answers at once.
      try? await time.sleep(for: latency)
      return keys.map { answer($0, lease) }
    }

    private func answer(_ key: SharedBlockKey, _ lease: Duration?) -> SharedBlockAnswer {
      if happens(faults.forget) { state.withLockedValue { $0.values[key] = nil } }
      let (flips, cuts, swaps) = (happens(faults.flip), happens(faults.cut), happens(faults.swap))
      let now = time.now
      return state.withLockedValue { state in
        guard let value = state.values[key] else {
          guard let lease else { return .missing }
          if let until = state.leases[key], now < until { return .awaited }
          state.leases[key] = now.advanced(by: lease)
          return .leased
        }
        if flips {
          var bytes = Array(value)
          bytes[state.numbers.below(bytes.count)] ^= 1 << state.numbers.below(8)
          state.lies += 1
          return .value(Bytes(bytes))
        }
        if cuts {
          state.lies += 1
          return .value(value[..<state.numbers.below(value.count)])
        }
        if swaps, let other = state.values.randomElement(using: &state.numbers), other.key != key {
          state.lies += 1
          return .value(other.value)
        }
        return .value(value)
      }
    }

    nonisolated(nonsending) func set(
      _ values: [(key: SharedBlockKey, value: Bytes)], lifetime: Duration
    ) async -> Int {
      // `try?`: cancelled, it answers at once.
      try? await time.sleep(for: latency)
      var taken = 0
      for (key, value) in values where !happens(faults.refuse) {
        taken += 1
        state.withLockedValue { state in
          state.values[key] = value
          state.leases[key] = nil
        }
      }
      return taken
    }

    nonisolated(nonsending) func close() async {}

    func statistics() -> [Counters] { [] }
  }

  /// An object that is replaced now and then, and counts what is read of it.
  final class ReplacedObject: RangeSource {
    private struct State {
      var version = 1
      var reads: [ByteRange] = []
      var fails = 0
    }

    private let state = NIOLockedValueBox(State())
    private let time: ReadClock
    private let latency: Duration
    private let id: String
    private let isSettled: Bool
    let byteCount: Int

    init(
      byteCount: Int, latency: Duration, time: ReadClock, id: String = "https://origin.example/object",
      isSettled: Bool = true
    ) {
      self.id = id
      self.isSettled = isSettled
      self.byteCount = byteCount
      self.latency = latency
      self.time = time
    }

    private struct Part: Hashable {
      static let size = 1 << 18
      let version: Int
      let number: Int

      var bytes: Bytes {
        Bytes(
          (0..<Self.size).map { offset in
            let pattern = (offset &* 31) ^ (offset >> 8) &* 7 ^ (offset >> 16) &* 57
            return UInt8(truncatingIfNeeded: pattern ^ (number &* 91) ^ (version &* 101))
          })
      }
    }

    /// Some parts of some versions, so that a long run neither makes them for each read nor keeps all.
    private static let parts = NIOLockedValueBox<[Part: Bytes]>([:])

    static func bytes(_ range: ByteRange, version: Int) -> Bytes {
      let first = range.lowerBound / Part.size
      let parts = (first...max(first, (range.upperBound - 1) / Part.size)).map { number in
        let part = Part(version: version, number: number)
        return Self.parts.withLockedValue { parts in
          if let bytes = parts[part] { return bytes }
          if parts.count >= 64 { parts.removeAll() }
          let bytes = part.bytes
          parts[part] = bytes
          return bytes
        }
      }
      let start = first * Part.size
      return Bytes(concatenating: parts)[range.lowerBound - start..<range.upperBound - start]
    }

    var version: Int { state.withLockedValue { $0.version } }
    var reads: [ByteRange] { state.withLockedValue { $0.reads } }
    func replace() { state.withLockedValue { $0.version += 1 } }

    func describe() async throws -> SourceDescription {
      try await time.sleep(for: latency)
      var traits = SourceDescription.Traits()
      (traits.cost, traits.isSettled) = (.init(latency: latency, bytesPerSecond: .bytes(100_000_000)), isSettled)
      return SourceDescription(
        id: id, validator: Tag(text: "\(version)"), byteCount: byteCount, preferredBlockSize: .kibibytes(4),
        traits: traits)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      state.withLockedValue { $0.reads.append(range) }
      try await time.sleep(for: latency)
      let now = version
      guard (source.validator as? Tag)?.text == "\(now)" else {
        throw ReadError(.sourceChanged, "the object was replaced: open it again")
      }
      return Self.bytes(range, version: now)
    }
  }
#endif
