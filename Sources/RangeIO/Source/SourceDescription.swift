import Synchronization

/// A snapshot of a source at one moment: its identity, version and size. Nothing of it changes, except that a version may
/// become settled.
///
/// A reader pins one and passes it down with every request, so that all parts of a read refer to the same version.
public final class SourceDescription: Sendable {
  /// Identifies the source among all sources, whatever its version: a URL, or a device and inode. Compared byte by
  /// byte: `é` as one character and as two are different ids. Caches keep it, also on disks: put no secret into it, but a
  /// digest of one if it says which object is meant.
  public let id: String
  /// The name of the source in messages and listings: the path as given, or a URL without user and password. Of the
  /// query it has only a version or a part, and `…` for the rest. Not an identity: two names may refer to one source.
  public let name: String
  /// The version, or `nil` if the source cannot tell versions apart.
  public let validator: (any Validator)?
  /// The size in bytes, never negative.
  public let byteCount: Int
  /// The best size of aligned blocks for reading and caching this source, in bytes: a power of two, from 1 to 1 GiB.
  public var preferredBlockSize: ByteCount { .bytes(preferredGrid.blockSize) }
  /// The grid of blocks of that size.
  var preferredGrid: BlockGrid { BlockGrid(shift: Int(blockShift)) }
  package var cost: Cost { Cost(latency: .nanoseconds(latencyNanoseconds), bytesPerSecond: bytesPerSecond) }
  private let latencyNanoseconds: Int64
  private let bytesPerSecond: Double
  /// `true` if a change made right now would show in the validator. If not, the version is read but not kept, and checked again
  /// before the next read.
  package var isSettled: Bool { settled.load(ordering: .relaxed) }
  /// An object of the source, which finds it again when it gets its description back. Opaque to all other code.
  package let context: (any AnyObject & Sendable)?
  /// The description that a stage derived this one from.
  package let base: SourceDescription?
  /// The number of the first cache that kept this version, and its token in that cache. With it a hit need not look the
  /// version up by its values.
  private let cacheToken = Atomic<UInt64>(0)
  /// Why the sizes in this description are impossible, if they are. A reader then refuses the source. Sizes come from
  /// servers and headers, so this is no programming error and does not trap.
  var fault: String? { faulty?.text }
  private let faulty: Fault?
  // Last, and close together: stores keep a description for each source.
  private let cacheNumber = Atomic<UInt32>(0)
  private let blockShift: UInt8
  private let settled: Atomic<Bool>
  /// The value of ``isBypassed``.
  private let isBypassedByCache = Atomic<Bool>(false)
  private let flags: Flags
  package var mayGrow: Bool { flags.contains(.mayGrow) }
  var isAppendOnly: Bool { flags.contains(.isAppendOnly) }
  var answersCancellation: Bool { flags.contains(.answersCancellation) }
  var reportsChanges: Bool { flags.contains(.reportsChanges) }
  var isBorrowed: Bool { flags.contains(.isBorrowed) }

  /// The largest block that stores keep.
  private static let maxBlockSize = 1 << 30

  /// Creates a snapshot. See the properties for their meaning.
  ///
  /// - Parameters:
  ///   - id: what identifies the source among all sources, in all its versions.
  ///   - name: what the user calls the source. Default: its id. Of a URL, what may be secret is hidden.
  ///   - validator: tells its versions apart; `nil` if nothing does.
  ///   - byteCount: the size. A negative one becomes zero, and a reader refuses the source with
  ///     `ReadError.Code.invalidResponse`.
  ///   - preferredBlockSize: a power of two; more than 1 GiB counts as 1 GiB. Any other number becomes 64 KiB, and a
  ///     reader refuses the source.
  ///   - traits: what is special about the source.
  public init(
    id: String, name: String? = nil, validator: (any Validator)?, byteCount: Int,
    preferredBlockSize: ByteCount = .kibibytes(64),
    traits: Traits = Traits()
  ) {
    self.id = id
    self.name = ShownName.of(name ?? id)
    self.validator = validator
    self.byteCount = max(0, byteCount)
    let blockSize = preferredBlockSize.bytes
    let isGrid = BlockGrid(blockSize: blockSize) != nil
    blockShift = UInt8((isGrid ? min(blockSize, Self.maxBlockSize) : 65_536).trailingZeroBitCount)
    faulty = Fault(
      byteCount < 0
        ? "the source says that it has \(byteCount) bytes"
        : isGrid ? nil : "the source prefers blocks of \(blockSize) bytes, which is no power of two")
    latencyNanoseconds = traits.cost.latency.nanoseconds
    bytesPerSecond = traits.cost.rate
    flags = Flags(traits)
    settled = Atomic(traits.isSettled)
    context = traits.context
    base = nil
  }

  private init(deriving id: String, byteCount: Int, from base: SourceDescription) {
    self.id = id
    // The user of the file does not know what stages make of it.
    name = base.name
    validator = base.validator
    self.byteCount = max(0, byteCount)
    faulty =
      base.faulty ?? Fault(byteCount < 0 ? "a stage makes \(byteCount) bytes of \(base.byteCount)" : nil)
    blockShift = base.blockShift
    latencyNanoseconds = base.latencyNanoseconds
    bytesPerSecond = base.bytesPerSecond
    // What a stage makes of the last bytes may change when more are appended.
    flags = base.flags.subtracting(.isAppendOnly)
    settled = Atomic(base.isSettled)
    context = nil
    self.base = base
  }

  /// Describes what a stage makes of this source: other contents, and possibly another size. For
  /// `ReadStage.describe(_:)`.
  ///
  /// - Parameters:
  ///   - suffix: names, within the id, the transformation and all that it depends on: `"aes-ctr:key7"`. Two readers
  ///     share cached bytes only if the ids are equal.
  ///   - byteCount: the size after the transformation, in bytes. A negative size, as of a source shorter than its
  ///     header says, becomes zero, and a reader refuses the source with `ReadError.Code.invalidResponse`.
  public func deriving(_ suffix: String, byteCount: Int) -> SourceDescription {
    SourceDescription(deriving: id + "|" + suffix, byteCount: byteCount, from: self)
  }

  /// The change from this snapshot to `newer`: by id, then by the validators if both have one, else by size.
  package func change(to newer: SourceDescription) -> Change {
    guard id.hasSameBytes(as: newer.id) else { return .other }
    if let validator, let newerValidator = newer.validator { return validator.change(to: newerValidator) }
    return byteCount == newer.byteCount ? .same : .other
  }

  /// True if all of `range` lies within the source.
  func has(_ range: ByteRange) -> Bool { range.lowerBound >= 0 && range.upperBound <= byteCount }

  /// True if this snapshot says the same as `other`, so that it can replace it. The latest snapshot alone tells if changes are
  /// reported.
  func isEquivalent(to other: SourceDescription) -> Bool {
    if self === other { return true }
    guard change(to: other) == .same, byteCount == other.byteCount, isSettled == other.isSettled, name == other.name
    else { return false }
    guard flags.symmetricDifference(other.flags).subtracting(.reportsChanges).isEmpty,
      preferredBlockSize == other.preferredBlockSize, cost == other.cost
    else {
      return false
    }
    // The context is opaque: only the source knows what has changed in it.
    guard context === other.context else { return false }
    guard let base, let otherBase = other.base else { return base === other.base }
    return base.isEquivalent(to: otherBase)
  }

  /// The source has found that a change would show by now. So a reader keeps this snapshot, which others know already.
  func settle() {
    if !isSettled { settled.store(true, ordering: .relaxed) }
  }

  /// The token of this version in the cache numbered `cache`, if that cache is the one noted here.
  @inline(__always) func knownToken(of cache: UInt64) -> UInt64? {
    guard UInt64(cacheNumber.load(ordering: .relaxed)) == cache else { return nil }
    let token = cacheToken.load(ordering: .relaxed)
    return token == 0 ? nil : token
  }

  /// Notes the token of this version in the cache numbered `cache`, unless another cache was first.
  func know(_ token: UInt64, of cache: UInt64) {
    guard let number = UInt32(exactly: cache) else { return }
    let first = cacheNumber.compareExchange(expected: 0, desired: number, ordering: .relaxed)
    if first.exchanged || first.original == number { cacheToken.store(token, ordering: .relaxed) }
  }

  /// `true` if reads of this version bypass the cache whose token is noted here.
  var isBypassed: Bool {
    get { isBypassedByCache.load(ordering: .relaxed) }
    set { isBypassedByCache.store(newValue, ordering: .relaxed) }
  }
}

extension SourceDescription {
  /// Returns this description. Throws if a size in it is impossible.
  func checked() throws(ReadError) -> SourceDescription {
    guard let fault else { return self }
    throw ReadError(
      .invalidResponse, "\(fault): a source or stage breaks its contract", context: .init(source: name))
  }
}

extension SourceDescription: CustomStringConvertible {
  /// The name and the size: `"/data/survey.bin, 4096 bytes"`.
  public var description: String { "\(name), \(byteCount) bytes" }
}

// What a description keeps in less room: stores keep one for each source.

extension SourceDescription {
  /// Why the sizes are impossible. A pointer, since a string takes twice as much.
  final class Fault: Sendable {
    let text: String

    init?(_ text: String?) {
      guard let text else { return nil }
      self.text = text
    }
  }

  /// The traits that are true, in one byte.
  struct Flags: OptionSet {
    let rawValue: UInt8
    static let mayGrow = Flags(rawValue: 1)
    static let isAppendOnly = Flags(rawValue: 2)
    static let answersCancellation = Flags(rawValue: 4)
    static let reportsChanges = Flags(rawValue: 8)
    static let isBorrowed = Flags(rawValue: 16)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ traits: Traits) {
      self = []
      if traits.mayGrow { insert(.mayGrow) }
      if traits.isAppendOnly { insert(.isAppendOnly) }
      if traits.answersCancellation { insert(.answersCancellation) }
      if traits.reportsChanges { insert(.reportsChanges) }
      if traits.isBorrowed { insert(.isBorrowed) }
    }
  }
}
