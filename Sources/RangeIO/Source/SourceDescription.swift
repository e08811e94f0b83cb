import Synchronization

/// What a later version of a source is to an earlier one.
public enum SourceChange: Hashable, Sendable {
  /// The same bytes.
  case same
  /// The earlier bytes are still there; more follow them.
  case extends
  /// Anything else: nothing read before may be mixed with what is read now.
  case other
}

/// An opaque value that tells versions of a source apart: an ETag, a generation number, the times of a file.
///
/// A source without one is served, but what is read from it can be neither checked nor kept on disk.
public protocol SourceValidator: Sendable {
  /// What `newer` is to this version. Answer ``SourceChange/other`` when in doubt, and for a validator of another type.
  /// Compare what is text by its bytes, `Array(etag.utf8)`: two strings of other bytes can be equal.
  func change(to newer: any SourceValidator) -> SourceChange

  /// This version in bytes, at most 4,096, for a cache on a disk: two validators of one source with the same bytes are
  /// the same version, in another process and years from now, too. Empty or `nil`: it cannot be written down, and what
  /// is read of it is kept in memory only. By default `nil`.
  var persistentForm: [UInt8]? { get }
}

extension SourceValidator {
  /// Cannot be written down.
  public var persistentForm: [UInt8]? { nil }
}

/// A validator that can say, for an error's message, how a newer version differs.
package protocol ExplainedValidator: SourceValidator {
  /// As in "the file shrank"; `nil` for a validator of another type.
  func difference(to newer: any SourceValidator) -> String?
}

/// What reading from a source costs, from which merging and read-ahead are decided.
public struct SourceCost: Hashable, Sendable {
  /// The time to the first byte of a read.
  public var latency: Duration
  /// The rate after the first byte, in bytes a second.
  public var bytesPerSecond: Double

  /// A cost. The defaults are those of a local disk.
  public init(latency: Duration = .microseconds(100), bytesPerSecond: Double = 1e9) {
    self.latency = latency
    self.bytesPerSecond = bytesPerSecond
  }
}

/// An immutable snapshot of what a source is at one moment: its identity, version and size.
///
/// A reader pins one and hands it down with every request, so that all parts of a read speak of the same version.
public final class SourceDescription: Sendable {
  /// Identifies the source among all sources, whatever its version: a URL, a device and inode. Compared byte by byte:
  /// `é` as one character and as two are two ids.
  public let id: String
  /// What the user calls the source, for messages and listings: a path as it was given, a URL without its password. Says
  /// nothing of identity: two names may lead to one source.
  public let name: String
  /// The version, or `nil` if the source cannot tell versions apart.
  public let validator: (any SourceValidator)?
  /// The size in bytes, never negative.
  public let byteCount: Int
  /// The size of the aligned blocks in which the source is best read and cached, in bytes: a power of two, from 1 to
  /// 1 GiB.
  public let preferredBlockSize: Int
  /// What reading costs.
  public let cost: SourceCost
  /// Whether a later version may extend this one. Reads that are counted from the end ask again then, and it can be
  /// followed (``ChangePolicy/follow``).
  public let mayGrow: Bool
  /// Whether a change made right now would show in the validator. If not, the version is served but not kept, and
  /// looked at again before the next read.
  public let isSettled: Bool
  /// Whether bytes that are there never change, whatever is added: a cache keeps them when the source has grown.
  public let isAppendOnly: Bool
  /// What the source itself wants to find again when it is handed its description. Opaque to everyone else.
  public let context: (any AnyObject & Sendable)?
  /// The description that a stage derived this one from.
  public let base: SourceDescription?
  /// The number of the cache that was first to keep this version, and what it calls it: so that a hit need not look
  /// the version up by its values.
  private let cacheNumber = Atomic<UInt64>(0)
  private let cacheToken = Atomic<UInt64>(0)
  /// What was said of the source that cannot be: a reader refuses it. Sizes come from servers and headers, so they are
  /// no mistake of the program, and do not end it.
  let fault: String?

  /// The largest block that stores keep.
  private static let largestBlock = 1 << 30

  /// A snapshot. See the properties for their meaning.
  ///
  /// - Parameters:
  ///   - name: what the user calls the source. Default: its id.
  ///   - byteCount: the size. A negative one becomes zero, and a reader refuses the source with
  ///     `ReadError.Code.invalidResponse`.
  ///   - preferredBlockSize: a power of two; more than 1 GiB counts as 1 GiB. Any other number becomes 64 KiB, and a
  ///     reader refuses the source.
  public init(
    id: String, name: String? = nil, validator: (any SourceValidator)?, byteCount: Int,
    preferredBlockSize: Int = 65_536,
    cost: SourceCost = SourceCost(), mayGrow: Bool = false, isSettled: Bool = true, isAppendOnly: Bool = false,
    context: (any AnyObject & Sendable)? = nil
  ) {
    self.id = id
    self.name = name ?? id
    self.validator = validator
    self.byteCount = max(0, byteCount)
    let isGrid = BlockGrid(blockSize: preferredBlockSize) != nil
    self.preferredBlockSize = isGrid ? min(preferredBlockSize, Self.largestBlock) : 65_536
    fault =
      byteCount < 0
      ? "the source says that it has \(byteCount) bytes"
      : isGrid ? nil : "the source prefers blocks of \(preferredBlockSize) bytes, which is no power of two"
    self.cost = cost
    self.mayGrow = mayGrow
    self.isSettled = isSettled
    self.isAppendOnly = isAppendOnly
    self.context = context
    base = nil
  }

  private init(deriving id: String, byteCount: Int, from base: SourceDescription) {
    self.id = id
    // Who asked for the file does not know what stages make of it.
    name = base.name
    validator = base.validator
    self.byteCount = max(0, byteCount)
    fault = base.fault ?? (byteCount < 0 ? "a stage makes \(byteCount) bytes of \(base.byteCount)" : nil)
    preferredBlockSize = base.preferredBlockSize
    cost = base.cost
    mayGrow = base.mayGrow
    isSettled = base.isSettled
    // What a stage makes of the end may change when more comes.
    isAppendOnly = false
    context = nil
    self.base = base
  }

  /// What a stage makes of this source: other contents, and maybe another size. For `ReadStage.describe(_:)`.
  ///
  /// - Parameters:
  ///   - suffix: names the transformation, and all that it depends on, within the id: `"aes-ctr:key7"`. Two readers
  ///     share cached bytes only where ids are equal.
  ///   - byteCount: the size after the transformation, in bytes. A negative one, of a source that is shorter than its
  ///     header says, becomes zero, and a reader refuses the source with `ReadError.Code.invalidResponse`.
  public func deriving(_ suffix: String, byteCount: Int) -> SourceDescription {
    SourceDescription(deriving: id + "|" + suffix, byteCount: byteCount, from: self)
  }

  /// What `newer` is to this snapshot: by their validators if both have one, else by id and size.
  public func change(to newer: SourceDescription) -> SourceChange {
    guard id.hasSameBytes(as: newer.id) else { return .other }
    if let validator, let newerValidator = newer.validator { return validator.change(to: newerValidator) }
    return byteCount == newer.byteCount ? .same : .other
  }

  /// Whether all of `range` lies within the source.
  func has(_ range: ByteRange) -> Bool { range.lowerBound >= 0 && range.upperBound <= byteCount }

  /// Whether this snapshot says all that `other` does, so that it can stand for it.
  func isEquivalent(to other: SourceDescription) -> Bool {
    if self === other { return true }
    guard change(to: other) == .same, byteCount == other.byteCount, isSettled == other.isSettled, name == other.name
    else { return false }
    guard mayGrow == other.mayGrow, isAppendOnly == other.isAppendOnly, preferredBlockSize == other.preferredBlockSize,
      cost == other.cost
    else {
      return false
    }
    // What is opaque may have changed in ways that only the source knows.
    guard context === other.context else { return false }
    guard let base, let otherBase = other.base else { return base === other.base }
    return base.isEquivalent(to: otherBase)
  }

  /// What the cache numbered `cache` calls this version, if it is the one that is noted here.
  @inline(__always) func knownToken(of cache: UInt64) -> UInt64? {
    guard cacheNumber.load(ordering: .relaxed) == cache else { return nil }
    let token = cacheToken.load(ordering: .relaxed)
    return token == 0 ? nil : token
  }

  /// Notes what the cache numbered `cache` calls this version, unless another cache was first.
  func know(_ token: UInt64, of cache: UInt64) {
    let first = cacheNumber.compareExchange(expected: 0, desired: cache, ordering: .relaxed)
    if first.exchanged || first.original == cache { cacheToken.store(token, ordering: .relaxed) }
  }
}

extension SourceDescription {
  /// This; throws if a size in it cannot be one.
  func checked() throws(ReadError) -> SourceDescription {
    guard let fault else { return self }
    throw ReadError(
      .invalidResponse, "\(fault): a source or stage breaks its contract", context: .init(source: name))
  }
}
