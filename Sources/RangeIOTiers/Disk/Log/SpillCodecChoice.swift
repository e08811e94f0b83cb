import RangeIO

/// Decides whether a disk keeps blocks as they are or compressed. A value: it is told what writing, reading, encoding
/// and decoding took, and answers; it reads no clock.
///
/// *While there is room* the faster way counts: LZ4 costs a time for each byte, and saves the time that the disk takes
/// for the bytes that are saved. So a slow disk compresses, and a fast one takes blocks as they are. *Once the store is
/// full*, it compresses what shrinks: more blocks then fit, and each of them is a read of a source that is slower than
/// any disk.
///
/// It changes its mind only if the other way takes at least a fifth less time, and not again before 8 MiB were written.
package struct SpillCodecChoice: Equatable, Sendable {
  package enum Form: Sendable {
    /// As they are.
    case plain
    case encoded
  }

  /// A moving average of what a byte takes: time, or room.
  struct Rate: Equatable, Sendable {
    private var bytes = 0.0
    private var amount = 0.0

    /// Of fewer bytes, what they took in time says nothing.
    private static let minBytes = 256.0 * 1024
    /// About this many bytes count: older ones fade.
    private static let maxBytes = 64.0 * 1024 * 1024

    mutating func add(bytes: Int, nanoseconds: Int64) {
      guard bytes > 0, nanoseconds >= 0 else { return }
      add(Rate(bytes: Double(bytes), amount: Double(nanoseconds)))
    }

    mutating func add(bytes: Int, stored: Int) { add(Rate(bytes: Double(bytes), amount: Double(stored))) }

    mutating func add(_ other: Rate) {
      bytes += other.bytes
      amount += other.amount
      guard bytes > Self.maxBytes else { return }
      bytes /= 2
      amount /= 2
    }

    init() {}

    private init(bytes: Double, amount: Double) { (self.bytes, self.amount) = (bytes, amount) }

    /// `nil` before there is any.
    var perByte: Double? { bytes > 0 ? amount / bytes : nil }
    /// `nil` before enough is known.
    var nanosecondsPerByte: Double? { bytes < Self.minBytes ? nil : perByte }
    /// `nil` before enough is known, or if the clock stood still.
    var bytesPerSecond: Double? { nanosecondsPerByte.flatMap { $0 > 0 ? 1e9 / $0 : nil } }
  }

  /// The time that encoding and decoding took, and the room that this saves.
  struct Coding: Equatable, Sendable {
    private(set) var encoding = Rate()
    private(set) var decoding = Rate()
    fileprivate var shrinkage = Rate()

    /// - Parameter stored: the encoded size, or the block's own size if it does not shrink.
    mutating func encoded(bytes: Int, to stored: Int, nanoseconds: Int64) {
      encoding.add(bytes: bytes, nanoseconds: nanoseconds)
      shrinkage.add(bytes: bytes, stored: stored)
    }

    mutating func decoded(bytes: Int, nanoseconds: Int64) { decoding.add(bytes: bytes, nanoseconds: nanoseconds) }

    mutating func add(_ other: Coding) {
      encoding.add(other.encoding)
      decoding.add(other.decoding)
      shrinkage.add(other.shrinkage)
    }

    /// The encoded size of a byte; `nil` before anything was encoded.
    var fraction: Double? { shrinkage.perByte }
  }

  /// The store's work so far, by its counters.
  struct Use: Equatable {
    var writtenBlocks = 0
    var readBlocks = 0
    /// Reads from files, and how many of them the page cache answered.
    var reads = 0
    var residentReads = 0
    /// There is room for more only when segments are freed.
    var isFull = false
  }

  /// Writing, until the system has taken the bytes; with the time that it took to make them durable, if that was asked
  /// for.
  private(set) var writing = Rate()
  /// Reading what was not in the page cache.
  private(set) var reading = Rate()
  /// Added to by the writer, which measures without the store's lock.
  var coding = Coding()
  package private(set) var chosen = Form.encoded
  /// Bytes written since the choice last changed.
  private var stay = 0

  private static let minStay = 8 << 20
  private static let minGain = 0.8
  /// The time that a byte takes out of the page cache.
  private static let residentNanosecondsPerByte = 0.1

  /// A choice that was made before anything was measured.
  static func chosen(_ form: Form) -> Self {
    var choice = Self()
    choice.chosen = form
    return choice
  }

  /// The public part of the choice, as far as it was measured.
  var counts: [Counters.Count] {
    let measured: KeyValuePairs<String, Double?> = [
      "writingBytesPerSecond": writing.bytesPerSecond, "readingBytesPerSecond": reading.bytesPerSecond,
      "encodingBytesPerSecond": coding.encoding.bytesPerSecond,
      "decodingBytesPerSecond": coding.decoding.bytesPerSecond,
      "encodedPercent": coding.fraction.map { $0 * 100 },
    ]
    return [.init("compresses", chosen == .encoded ? 1 : 0)]
      + measured.compactMap { name, value in value.map { .init(name, Int(min($0, 1e15))) } }
  }

  // MARK: what is measured

  mutating func wrote(bytes: Int, nanoseconds: Int64) {
    writing.add(bytes: bytes, nanoseconds: nanoseconds)
    stay += bytes
  }

  mutating func made(durable bytes: Int, nanoseconds: Int64) {
    // The bytes were counted when they were written: this only adds time.
    guard let before = writing.nanosecondsPerByte, bytes > 0 else { return }
    writing.add(bytes: bytes, nanoseconds: nanoseconds + Int64(before * Double(bytes)))
  }

  mutating func read(bytes: Int, nanoseconds: Int64) { reading.add(bytes: bytes, nanoseconds: nanoseconds) }

  // MARK: deciding

  /// Returns the time that a block of one byte takes in each form, in nanoseconds: written once, and read as often as
  /// blocks are read here. `nil` before enough is known.
  func cost(_ use: Use) -> (plain: Double, encoded: Double)? {
    guard let writing = writing.nanosecondsPerByte, let encoding = coding.encoding.nanosecondsPerByte,
      let fraction = coding.fraction
    else { return nil }
    // Unknown, but several times as fast as encoding.
    let decoding = coding.decoding.nanosecondsPerByte ?? encoding / 4
    let readings = use.writtenBlocks > 0 ? min(8, max(0.25, Double(use.readBlocks) / Double(use.writtenBlocks))) : 1
    let resident = use.reads > 0 ? Double(use.residentReads) / Double(use.reads) : 1
    let reading =
      resident * Self.residentNanosecondsPerByte
      + (1 - resident) * (reading.nanosecondsPerByte ?? Self.residentNanosecondsPerByte)
    let plain = writing + readings * reading
    // What does not shrink is stored as it is, and needs no decoding; but encoding was tried.
    let decoded = fraction < 0.99 ? decoding : 0
    return (plain, fraction * plain + encoding + readings * decoded)
  }

  /// Decides anew. Call this after a batch was written. Returns whether the choice changed.
  @discardableResult mutating func decide(_ use: Use) -> Bool {
    guard let better = better(use), better != chosen, stay >= Self.minStay || isUndecided else { return false }
    chosen = better
    stay = 0
    isUndecided = false
    return true
  }

  /// The first choice needs no stay.
  private var isUndecided = true

  private func better(_ use: Use) -> Form? {
    guard let cost = cost(use), let fraction = coding.fraction else { return nil }
    if use.isFull { return fraction <= 7 / 8 ? .encoded : .plain }
    switch chosen {
    case .encoded: return cost.plain < cost.encoded * Self.minGain ? .plain : .encoded
    case .plain: return cost.encoded < cost.plain * Self.minGain ? .encoded : .plain
    }
  }
}
