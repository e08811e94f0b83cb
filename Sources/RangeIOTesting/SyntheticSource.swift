public import RangeIO

/// A source of any size whose bytes follow from their offset and version by a formula, with latency and bandwidth on a
/// clock of your choice.
///
/// `expected(_:)` makes the same bytes, to compare. The version can be changed and the size grown under a reader.
public final class SyntheticSource: RangeSource {
  private struct State {
    var byteCount: Int
    var version: UInt64 = 0
    var reads = 0
    var bytesRead = 0
    var underWay = 0
    var mostUnderWay = 0
    var isClosed = false
  }

  private let id: String
  private let cost: SourceCost
  private let time: TimeSource?
  private let state: Locked<State>

  /// A source of `byteCount` bytes.
  ///
  /// - Parameters:
  ///   - latency: the time to the first byte of a read. Zero: the bytes are there at once, without suspending.
  ///   - bytesPerSecond: the rate after that; infinite by default.
  ///   - time: the clock that latency is measured by. Without one there is none.
  public init(
    byteCount: Int, id: String = "synthetic", latency: Duration = .zero, bytesPerSecond: Double = .infinity,
    time: TimeSource? = nil
  ) {
    self.id = id
    cost = SourceCost(latency: latency, bytesPerSecond: bytesPerSecond)
    self.time = time
    state = Locked(State(byteCount: byteCount))
  }

  /// Reads so far.
  public var readCount: Int { state.withLock { $0.reads } }
  /// Bytes read so far.
  public var bytesRead: Int { state.withLock { $0.bytesRead } }
  /// The most reads that were under way at once.
  public var mostReadsUnderWay: Int { state.withLock { $0.mostUnderWay } }
  /// Whether it has been closed.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Replaces the contents: from now on reads of the old version throw `sourceChanged`.
  public func rewrite() { state.withLock { $0.version += 1 } }

  /// Appends `count` bytes.
  public func grow(by count: Int) { state.withLock { $0.byteCount += count } }

  /// The version and size now.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    let (byteCount, version) = state.withLock { ($0.byteCount, $0.version) }
    return SourceDescription(
      id: id, validator: Version(number: version, byteCount: byteCount), byteCount: byteCount, cost: cost, mayGrow: true
    )
  }

  /// The bytes of `range`, after the latency and at the rate given.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    state.withLock { state in
      state.reads += 1
      state.bytesRead += range.count
      state.underWay += 1
      state.mostUnderWay = max(state.mostUnderWay, state.underWay)
    }
    defer { state.withLock { $0.underWay -= 1 } }
    if let time {
      let transfer = cost.bytesPerSecond.isFinite ? Duration.seconds(Double(range.count) / cost.bytesPerSecond) : .zero
      let wait = cost.latency + transfer
      if wait > .zero { try await time.sleep(for: wait) }
    }
    let version = state.withLock { $0.version }
    guard let asked = source.validator as? Version, asked.number == version else {
      throw ReadError(.sourceChanged, "the synthetic source was rewritten: open it again", context: .init(source: id))
    }
    return Self.bytes(range, version: version)
  }

  /// Remembers that it was closed.
  public nonisolated(nonsending) func close() async { state.withLock { $0.isClosed = true } }

  /// The bytes that a read of `range` must return, in the version that is there now.
  public func expected(_ range: ByteRange) -> Bytes { Self.bytes(range, version: state.withLock { $0.version }) }

  /// The bytes of `range` in version `version`.
  public static func bytes(_ range: ByteRange, version: UInt64 = 0) -> Bytes {
    Bytes(count: range.count) { buffer in
      var offset = range.lowerBound
      while offset < range.upperBound {
        // A word at a time where it can: tests make gigabytes of this.
        if offset & 7 == 0, range.upperBound - offset >= 8 {
          let word = word(offset >> 3, version).littleEndian
          buffer.storeBytes(of: word, toByteOffset: offset - range.lowerBound, as: UInt64.self)
          offset += 8
        } else {
          buffer[offset - range.lowerBound] = byte(at: offset, version: version)
          offset += 1
        }
      }
    }
  }

  /// The byte at `offset` in version `version`: no two offsets nearby look alike, so a shift shows.
  public static func byte(at offset: Int, version: UInt64 = 0) -> UInt8 {
    UInt8(truncatingIfNeeded: word(offset >> 3, version) >> UInt64((offset & 7) * 8))
  }

  private static func word(_ number: Int, _ version: UInt64) -> UInt64 {
    SeededGenerator.mix(UInt64(truncatingIfNeeded: number) &+ version &* 0x9E37_79B9_7F4A_7C15)
  }

  struct Version: SourceValidator {
    let number: UInt64
    let byteCount: Int

    func change(to newer: any SourceValidator) -> SourceChange {
      guard let newer = newer as? Version, newer.number == number else { return .other }
      return newer.byteCount == byteCount ? .same : newer.byteCount > byteCount ? .extends : .other
    }
  }
}
