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
/// Cancellation is not a `ReadError`: a cancelled read throws Swift's own `CancellationError`. Errors of your own
/// sources and stages pass through unchanged.
public struct ReadError: Error, Sendable {
  /// The kind of failure, for programs.
  public let code: Code
  /// The failure, and what to do about it, for people. Never contains bytes of the source.
  public let message: String
  /// `true` if the same read may succeed when you retry it unchanged.
  public let isTransient: Bool
  /// The time to wait before a retry, if the source has asked for one.
  public var retryAfter: Duration?
  /// The source has never answered, so that its name may be wrong.
  package var isUnreached = false
  /// The source and range that were being read, if any.
  package let context: Context?
  /// The underlying error, such as an `Errno`.
  public let cause: (any Error)?

  /// Creates an error for a source, stage or store of your own.
  ///
  /// - Parameters:
  ///   - code: what programs tell errors apart by.
  ///   - message: what failed, then what to do: `"the tile index is truncated: download it again"`.
  ///   - isTransient: whether an unchanged retry may help.
  ///   - source: what the user calls the source (``SourceDescription/name``), or the path that was to be opened. Of a
  ///     URL, what may be secret is hidden.
  ///   - range: the bytes that were being read.
  ///   - cause: the underlying error, such as an `Errno`.
  public init(
    _ code: Code, _ message: String, isTransient: Bool = false, source: String? = nil, range: Range<Int>? = nil,
    cause: (any Error)? = nil
  ) {
    self.init(
      code, message, isTransient: isTransient, context: source.map { Context(source: $0, range: range) },
      cause: cause)
  }

  package init(
    _ code: Code, _ message: String, isTransient: Bool = false, context: Context?, cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.isTransient = isTransient
    self.context = context.map { Context(source: ShownName.of($0.source), offset: $0.offset, count: $0.count) }
    self.cause = cause
  }

  /// The name of the source that was being read (``SourceDescription/name``), or the path that was to be
  /// opened.
  public var source: String? { context?.source }

  /// The bytes that were being read, counted from the start of the source; `nil` if nothing was being read.
  public var range: Range<Int>? {
    guard let context, context.count > 0 else { return nil }
    let (end, overflow) = context.offset.addingReportingOverflow(context.count)
    return context.offset..<(overflow ? .max : end)
  }

  /// A range that was being read, and its source.
  package struct Context: Hashable, Sendable {
    /// The user's name for the source (`SourceDescription.name`), or the path that was to be opened.
    package var source: String
    /// The offset in bytes from the start of the source.
    var offset: Int
    /// The number of bytes requested.
    package var count: Int

    /// The `count` bytes from `offset` of `source`.
    package init(source: String, offset: Int = 0, count: Int = 0) {
      self.source = source
      self.offset = offset
      self.count = count
    }

    /// The bytes of `range`, which may be of any length.
    package init(source: String, range: Range<Int>?) {
      let (count, overflow) = (range?.upperBound ?? 0).subtractingReportingOverflow(range?.lowerBound ?? 0)
      self.init(source: source, offset: range?.lowerBound ?? 0, count: overflow ? .max : count)
    }
  }
}

extension ReadError {
  /// The kinds of failure. New ones may be added, so a `switch` needs a `default`.
  public struct Code: Hashable, Sendable {
    private enum Kind: String {
      case rangeNotSatisfiable, notFound, permissionDenied, unsupportedSource, sourceChanged, closed
      case inputOutput, resourcesExhausted, invalidResponse, invalidConfiguration, limitExceeded, timedOut, notCached
      case inUse, unsupportedFormat, corrupted
    }
    private let kind: Kind

    /// The range is negative, overflows, or does not lie within the source. The message gives the source's size.
    public static let rangeNotSatisfiable = Code(kind: .rangeNotSatisfiable)
    /// Nothing exists under this name.
    public static let notFound = Code(kind: .notFound)
    /// It exists, but this process may not read it.
    public static let permissionDenied = Code(kind: .permissionDenied)
    /// It cannot be read at random offsets: a directory, a FIFO, a socket, a terminal, a file of `/proc`.
    public static let unsupportedSource = Code(kind: .unsupportedSource)
    /// The source is no longer the version that the reader opened. The message says what changed. Open it again to read
    /// the new version, or use ``RangeReader/ChangePolicy/follow`` if it grows.
    public static let sourceChanged = Code(kind: .sourceChanged)
    /// The reader or the source has been closed.
    public static let closed = Code(kind: .closed)
    /// The device or the network failed.
    public static let inputOutput = Code(kind: .inputOutput)
    /// The process or the system ran out of memory, descriptors or threads.
    public static let resourcesExhausted = Code(kind: .resourcesExhausted)
    /// A source, stage or server broke its contract, for instance with too few bytes.
    public static let invalidResponse = Code(kind: .invalidResponse)
    /// The parts cannot work together in this order. The message says which one to move.
    public static let invalidConfiguration = Code(kind: .invalidConfiguration)
    /// Something exceeds a limit that the caller set.
    public static let limitExceeded = Code(kind: .limitExceeded)
    /// A deadline passed.
    public static let timedOut = Code(kind: .timedOut)
    /// The caller asked for cached bytes only, and the cache does not have all of them.
    public static let notCached = Code(kind: .notCached)
    /// Another process is using it.
    public static let inUse = Code(kind: .inUse)
    /// `unsupportedFormat` of RangeIOTiers.
    package static let otherFormat = Code(kind: .unsupportedFormat)
    /// The bytes are not the expected ones: a digest does not match, or decoding failed.
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
  /// `true` if fewer of the bytes may be readable: a sector is bad, a stage refuses some of them, a digest is wrong. `false` where
  /// it concerns the source, or where a retry may help, which is for stages that retry. A digest tells of its bytes alone, also
  /// after the last retry.
  var mayConcernAPart: Bool {
    switch code {
    case .corrupted: true
    case .inputOutput, .permissionDenied: !isTransient
    default: false
    }
  }

  package static let closed = ReadError(
    .closed, "the reader is closed: make a new one to read on, and let reads end before you close")

  /// A source cannot be used again.
  package static let closedSource = ReadError(
    .closed,
    "the source is closed: make a new one for each reader, since closing a reader, or failing to open one, closes its source"
  )

  /// The error for a range that does not lie within the source.
  ///
  /// - Parameters:
  ///   - asked: the range as the caller wrote it.
  ///   - range: the same as numbers, where there are some.
  static func rangeNotSatisfiable(
    _ asked: String, _ range: Range<Int>? = nil, byteCount: Int, source: String
  ) -> ReadError {
    let has = byteCount == 0 ? "is empty" : "has \(byteCount) bytes: read within 0..<\(byteCount)"
    return ReadError(
      .rangeNotSatisfiable, "\(asked) does not lie within the source, which \(has)",
      context: Context(source: source, range: range))
  }

  /// The source is another version.
  ///
  /// - Parameters:
  ///   - how: what happened, such as "the file shrank". The message goes on with "since it was opened".
  ///   - isLonger: whether it may have grown, which a reader can follow on request.
  static func changed(_ how: String, isLonger: Bool = false, _ context: Context) -> ReadError {
    let advice = isLonger ? ", or with `onChange: .follow` if it grows" : ""
    return ReadError(
      .sourceChanged, "\(how) since it was opened: open it again to read the new version\(advice)", context: context)
  }
}
