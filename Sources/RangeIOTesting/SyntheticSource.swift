public import RangeIO

/// A source of any size whose bytes are computed from their offset and version, with latency and bandwidth on a clock
/// of your choice.
///
/// `expected(_:)` returns the same bytes, for comparison. You can change the version and grow the size while a reader
/// uses the source.
public final class SyntheticSource: RangeSource {
  private struct State {
    var byteCount: Int
    var version: UInt64 = 0
    var reads = 0
    var bytesRead = 0
    /// When the shared link will have transferred all that was asked for.
    var linkIsFreeAt: ReadClock.Instant?
    var underWay = 0
    var mostUnderWay = 0
    var isClosed = false
  }

  private let id: String
  private let cost: SourceDescription.Cost
  private let time: ReadClock?
  private let compressibility: Double
  private let sharesBandwidth: Bool
  private let isAppendOnly: Bool
  private let state: Locked<State>

  /// Creates a source of `byteCount` bytes.
  ///
  /// - Parameters:
  ///   - byteCount: the size.
  ///   - id: identifies the source in caches.
  ///   - latency: the time to the first byte of a read. Zero: the read returns at once, without suspending.
  ///   - bytesPerSecond: the rate after that; infinite by default.
  ///   - sharesBandwidth: whether all reads share one link of that rate. The link transfers one answer after the other,
  ///     in the order of the requests. By default each read has the full rate.
  ///   - time: the clock for the latency. Without a clock there is no latency.
  ///   - compressibility: about which share of the bytes compression saves, from 0 to 1. Default: none.
  ///   - isAppendOnly: whether the source declares that its bytes never change and that it only grows.
  public init(
    byteCount: Int, id: String = "synthetic", latency: Duration = .zero, bytesPerSecond: Double = .infinity,
    sharesBandwidth: Bool = false, time: ReadClock? = nil, compressibility: Double = 0, isAppendOnly: Bool = false
  ) {
    self.id = id
    self.sharesBandwidth = sharesBandwidth
    self.isAppendOnly = isAppendOnly
    self.compressibility = compressibility
    cost = SourceDescription.Cost(latency: latency, bytesPerSecond: bytesPerSecond)
    self.time = time
    state = Locked(State(byteCount: byteCount))
  }

  /// The number of reads so far.
  public var readCount: Int { state.withLock { $0.reads } }
  /// The number of bytes read so far.
  public var bytesRead: Int { state.withLock { $0.bytesRead } }
  /// The most reads in flight at the same time.
  public var mostReadsUnderWay: Int { state.withLock { $0.mostUnderWay } }
  /// `true` once the source has been closed.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Replaces the contents: from now on reads of the old version throw `sourceChanged`.
  public func rewrite() { state.withLock { $0.version += 1 } }

  /// Appends `count` bytes.
  public func grow(by count: Int) { state.withLock { $0.byteCount += count } }

  /// The current version and size.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    let (byteCount, version) = state.withLock { ($0.byteCount, $0.version) }
    var traits = SourceDescription.Traits()
    (traits.cost, traits.mayGrow, traits.isAppendOnly) = (cost, true, isAppendOnly)
    return SourceDescription(
      id: id, validator: Version(number: version, byteCount: byteCount), byteCount: byteCount, traits: traits)
  }

  /// The bytes of `range`, after the latency and at the given rate.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    state.withLock { state in
      state.reads += 1
      state.bytesRead += range.count
      state.underWay += 1
      state.mostUnderWay = max(state.mostUnderWay, state.underWay)
    }
    defer { state.withLock { $0.underWay -= 1 } }
    if let time {
      let until = arrival(of: range.count, askedAt: time.now)
      if until > time.now { try await time.sleep(until: until) }
    }
    let version = state.withLock { $0.version }
    guard let asked = source.validator as? Version, asked.number == version else {
      throw ReadError(.sourceChanged, "the synthetic source was rewritten: open it again", context: .init(source: id))
    }
    return Self.bytes(range, version: version, compressibility: compressibility)
  }

  /// When the last of `byteCount` bytes arrives.
  private func arrival(of byteCount: Int, askedAt now: ReadClock.Instant) -> ReadClock.Instant {
    let transfer = cost.rate.isFinite ? Duration.seconds(Double(byteCount) / cost.rate) : .zero
    let earliest = now.advanced(by: cost.latency)
    guard sharesBandwidth else { return earliest.advanced(by: transfer) }
    return state.withLock { state in
      let end = max(earliest, state.linkIsFreeAt ?? earliest).advanced(by: transfer)
      state.linkIsFreeAt = end
      return end
    }
  }

  /// Records that the source was closed.
  public nonisolated(nonsending) func close() async { state.withLock { $0.isClosed = true } }

  /// The bytes that a read of `range` must return in the current version.
  public func expected(_ range: ByteRange) -> Bytes {
    Self.bytes(range, version: state.withLock { $0.version }, compressibility: compressibility)
  }

  /// The bytes of `range` in version `version`.
  ///
  /// - Parameters:
  ///   - range: where they are in the source.
  ///   - version: the version; another one has other bytes.
  ///   - compressibility: about which share of the bytes compression saves, from 0 to 1. With another share the bytes are
  ///     different.
  public static func bytes(_ range: ByteRange, version: UInt64 = 0, compressibility: Double = 0) -> Bytes {
    let alike = wordsAlike(compressibility)
    return Bytes(count: range.count) { buffer in
      var offset = range.lowerBound
      while offset < range.upperBound {
        // Computes a word at a time if possible: tests need gigabytes of this.
        if offset & 7 == 0, range.upperBound - offset >= 8 {
          let word = word(offset >> 3, version, alike).littleEndian
          buffer.storeBytes(of: word, toByteOffset: offset - range.lowerBound, as: UInt64.self)
          offset += 8
        } else {
          buffer[offset - range.lowerBound] = byte(offset, word(offset >> 3, version, alike))
          offset += 1
        }
      }
    }
  }

  /// The byte at `offset` in version `version`. Nearby offsets differ in their bytes, so that a shift is noticed.
  public static func byte(at offset: Int, version: UInt64 = 0) -> UInt8 {
    byte(offset, word(offset >> 3, version, 0))
  }

  private static func byte(_ offset: Int, _ word: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: word >> UInt64((offset & 7) * 8))
  }

  /// The number of each 16 words that are the same throughout 2 KiB.
  private static func wordsAlike(_ compressibility: Double) -> Int {
    Int((min(max(0, compressibility), 1) * 16).rounded())
  }

  /// - Parameter alike: how many of each 16 words are the same throughout 2 KiB. They differ from one stretch of 2 KiB
  ///   to the next, so that a wrong block is noticed too.
  private static func word(_ number: Int, _ version: UInt64, _ alike: Int) -> UInt64 {
    let place = number & 15 < alike ? ~(number >> 8) : number
    return SeededGenerator.mix(UInt64(truncatingIfNeeded: place) &+ version &* 0x9E37_79B9_7F4A_7C15)
  }

  struct Version: SourceDescription.Validator {
    let number: UInt64
    let byteCount: Int

    var persistentForm: [UInt8]? { Array("\(number) \(byteCount)".utf8) }

    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      guard let newer = newer as? Version, newer.number == number else { return .other }
      return newer.byteCount == byteCount ? .same : newer.byteCount > byteCount ? .extends : .other
    }
  }
}
