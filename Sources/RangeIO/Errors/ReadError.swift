/// Why a read, or the opening of a source, failed: what happened, what to do, and whether to try again.
///
/// ```swift
/// do {
///   let tail = try await reader.read(suffix: 8)
/// } catch let error as ReadError where error.code == .sourceChanged {
///   let newReader = try await RangeReader(path)  // the file was rewritten: read the new version
/// }
/// ```
///
/// Cancellation is not a `ReadError`: a cancelled read throws Swift's own `CancellationError`. Errors of a source or
/// stage of yours pass through unchanged.
public struct ReadError: Error, Sendable {
  /// The kind of failure, for programs.
  public let code: Code
  /// What failed and what to do about it, for people. Never holds contents of the source.
  public let message: String
  /// Whether the same read may succeed when tried again, unchanged.
  public let isTransient: Bool
  /// How long the source wants to be left alone before it is tried again, if it said so.
  public let retryAfter: Duration?
  /// The read that failed, where there was one.
  public let context: Context?
  /// The error below this one, such as an `Errno`.
  public let cause: (any Error)?

  /// An error for a source, stage or store of your own.
  ///
  /// - Parameters:
  ///   - message: what failed, then what to do: `"the tile index is truncated: download it again"`.
  ///   - isTransient: whether trying again, unchanged, may help.
  ///   - retryAfter: how long the source wants to be left alone before that, if it said so.
  public init(
    _ code: Code, _ message: String, isTransient: Bool = false, retryAfter: Duration? = nil, context: Context? = nil,
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.isTransient = isTransient
    self.retryAfter = retryAfter
    self.context = context
    self.cause = cause
  }

  /// What was being read.
  public struct Context: Hashable, Sendable {
    /// What the user calls the source (`SourceDescription.name`), or the path that was to be opened.
    public var source: String
    /// Bytes from the start of the source.
    public var offset: Int
    /// Bytes asked for.
    public var count: Int

    /// The `count` bytes from `offset` of `source`.
    public init(source: String, offset: Int = 0, count: Int = 0) {
      self.source = source
      self.offset = offset
      self.count = count
    }
  }
}

extension ReadError {
  /// The kinds of failure. New ones may come, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable {
    private enum Kind: String {
      case rangeNotSatisfiable, notFound, permissionDenied, unsupportedSource, sourceChanged, closed
      case inputOutput, resourcesExhausted, invalidResponse, invalidConfiguration, limitExceeded, timedOut, notCached
      case inUse, unsupportedFormat, corrupted
    }
    private let kind: Kind

    /// The range is negative, overflows, or does not lie within the source. The message names the source's size.
    public static let rangeNotSatisfiable = Code(kind: .rangeNotSatisfiable)
    /// Nothing is there under this name.
    public static let notFound = Code(kind: .notFound)
    /// It is there, but this process may not read it.
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// It cannot be read at random offsets: a directory, a FIFO, a socket, a terminal, a file of `/proc`.
    public static let unsupportedSource = Code(kind: .unsupportedSource)
    /// The source is no longer the version that the reader opened: the message says what changed. Open it again to read the
    /// new one, or with ``ChangePolicy/follow`` if it grows.
    public static let sourceChanged = Code(kind: .sourceChanged)
    /// The reader or the source has been closed.
    public static let closed = Code(kind: .closed)
    /// The device or the network failed.
    public static let inputOutput = Code(kind: .inputOutput)
    /// The process or the system ran out of memory, descriptors or threads.
    public static let resourcesExhausted = Code(kind: .resourcesExhausted)
    /// A source, stage or server broke its contract, for instance with too few bytes.
    public static let invalidResponse = Code(kind: .invalidResponse)
    /// The parts cannot work together as they were put: the message says which to move.
    public static let invalidConfiguration = Code(kind: .invalidConfiguration)
    /// Something is larger than a bound that the caller set.
    public static let limitExceeded = Code(kind: .limitExceeded)
    /// A deadline passed.
    public static let timedOut = Code(kind: .timedOut)
    /// The read was to be answered from the cache only, which does not have all of it.
    public static let notCached = Code(kind: .notCached)
    /// Another process has it.
    public static let inUse = Code(kind: .inUse)
    /// It was written by another version of this library, which cannot be read. Nothing of it was touched.
    public static let unsupportedFormat = Code(kind: .unsupportedFormat)
    /// The bytes that came are not those that they should be, as a digest or their decoding tells.
    public static let corrupted = Code(kind: .corrupted)
  }
}

extension ReadError.Code: CustomStringConvertible {
  /// The name of the code.
  public var description: String { kind.rawValue }
}

extension ReadError: CustomStringConvertible {
  /// The code, the message, and what was being read.
  public var description: String { "\(code): \(explanation)" }

  /// The message, and what was being read.
  package var explanation: String {
    var text = message
    if let context {
      text += " [\(context.source)"
      if context.count > 0 { text += ", \(context.count) bytes at \(context.offset)" }
      text += "]"
    }
    return text
  }
}

extension ReadError {
  package static let closed = ReadError(
    .closed, "the reader is closed: make a new one to read on, and let reads end before you close")

  package static func rangeNotSatisfiable(_ asked: String, byteCount: Int, source: String) -> ReadError {
    ReadError(
      .rangeNotSatisfiable, "\(asked) does not lie within the source, which has \(byteCount) bytes",
      context: Context(source: source))
  }

  /// The source is another version.
  ///
  /// - Parameters:
  ///   - how: it changed, "since it was opened".
  ///   - isLonger: whether it may have grown, which a reader can be asked to follow.
  package static func changed(_ how: String, isLonger: Bool = false, _ context: Context) -> ReadError {
    let advice = isLonger ? ", or with `onChange: .follow` if it grows" : ""
    return ReadError(
      .sourceChanged, "\(how) since it was opened: open it again to read the new version\(advice)", context: context)
  }
}
