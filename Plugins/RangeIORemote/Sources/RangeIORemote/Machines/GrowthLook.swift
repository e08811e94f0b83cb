/// Finds out whether an object that only grows still has the bytes that it had, and how many there are now.
///
/// Each request begins ``GrowthMark/span`` bytes before the known end and goes beyond it: what is compared and what is new come
/// in one answer, of one version. Where more is new than one answer brings, a second request looks at the end, and counts only
/// if it is answered of the same version. Otherwise the new end is what came, so the bytes before an end are always known.
/// Answers in, requests out. A value.
struct GrowthLook: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    /// Describe the object by this request.
    case ask(Opening)
    /// The object has these bytes before this end.
    case found(GrowthMark)
    /// It is shorter, or has other bytes.
    case ended
    case fail(Failure)
  }

  /// The most requests.
  static let maxRequests = 8

  /// The bytes that are compared.
  private let span: Int
  /// The most bytes of an answer.
  private let maxBytes: Int
  /// What is known; `nil` before the first end is.
  private(set) var mark: GrowthMark?
  /// The version whose end is looked at, without what is between.
  private var jump: ObjectVersion?
  private var requests = 0
  /// An answer contradicted the mark.
  private var isDoubted = false
  /// The first bytes that came, or the first after the end that was known.
  private(set) var start = 0
  private(set) var bytes: [UInt8] = []
  private var versionOfBytes: ObjectVersion?
  private var asked: Opening

  /// - Parameters:
  ///   - mark: what is known of the object.
  ///   - opening: what to begin with, if nothing is.
  init(
    after mark: GrowthMark?, opening: Opening, comparing span: Int = GrowthMark.span,
    most maxBytes: Int = Opening.maxBytes
  ) {
    (self.span, self.maxBytes) = (span, maxBytes)
    self.mark = mark
    asked = mark.map { Self.part(from: $0.start, maxBytes) } ?? opening
  }

  /// `count` bytes, fewer where numbers end: an object is as long as a server says.
  private static func part(from start: Int, _ count: Int) -> Opening {
    let (end, overflow) = start.addingReportingOverflow(count)
    return .range(start..<(overflow ? .max : end))
  }

  /// The first step.
  var first: Step { .ask(asked) }

  /// An answer came.
  ///
  /// - Parameter body: the bytes that came with it.
  mutating func answered(_ object: ObjectDescription, _ body: [UInt8]) -> Step {
    requests += 1
    if let version = jump { return jumped(to: version, object, body) }
    guard let mark else { return opened(object, body) }
    let isCut = object.isSizeTold && object.size < mark.end
    switch isCut ? false : mark.isKept(in: body, from: object.bytes.lowerBound) {
    case true?: return extended(mark, object, body)
    case false?:
      // One server of several may be behind.
      guard !isDoubted else { return .ended }
      isDoubted = true
      return ask(from: mark.start)
    case nil where object.acceptsRanges == false && body.isEmpty:
      return object.version == mark.version ? .found(mark) : .fail(Self.withoutRanges)
    // It was cut short.
    case nil: return askAgain(from: mark.start, instead: .fail(Self.broken))
    }
  }

  /// The first answers: until the bytes before the end have come.
  private mutating func opened(_ object: ObjectDescription, _ body: [UInt8]) -> Step {
    // Nothing shows that another version begins with the same bytes.
    if versionOfBytes != object.version || object.version.identifier == .unknown { bytes = [] }
    take(body, from: object.bytes.lowerBound, of: object.version)
    let isEnd = !object.isSizeTold || object.bytes.upperBound == object.size
    if object.isSizeTold, object.size == 0 { return adopt([], from: 0, object) }
    if isEnd, !body.isEmpty, body.count >= min(span, object.bytes.upperBound) {
      return adopt(body, from: object.bytes.lowerBound, object)
    }
    if object.acceptsRanges == false, object.size > 0 { return .fail(Self.withoutRanges) }
    // Answers that were cut, or sent by a server that brings little at a time, may be long enough for another end.
    if case .range(let range) = asked, requests > 1, range.lowerBound == object.bytes.lowerBound,
      body.count >= min(span, object.bytes.upperBound)
    {
      return adopt(body, from: range.lowerBound, object)
    }
    return askAgain(from: max(0, object.size - span), instead: .fail(Self.broken))
  }

  private mutating func extended(_ known: GrowthMark, _ object: ObjectDescription, _ body: [UInt8]) -> Step {
    let fresh = known.end - object.bytes.lowerBound
    if bytes.isEmpty { take(Array(body[fresh...]), from: known.end, of: object.version) }
    return adopt(body, from: object.bytes.lowerBound, object)
  }

  /// The end of what came is an end of the object. Goes on if more is known to be there.
  private mutating func adopt(_ body: [UInt8], from offset: Int, _ object: ObjectDescription) -> Step {
    guard let found = GrowthMark(body, from: offset, of: object.version, span: span) else {
      return .fail(Self.broken)
    }
    mark = found
    if object.isSizeTold {
      guard found.end < object.size else { return .found(found) }
      // Without tag and date nothing tells whether a second answer is of the same version.
      guard object.version.identifier != .unknown else { return askAgain(from: found.start, instead: .found(found)) }
      jump = object.version
      return askAgain(from: max(found.start, object.size - span), instead: .found(found))
    }
    // It may go on where an answer ends that has all that was asked for.
    guard case .range(let range) = asked, found.end == range.upperBound else { return .found(found) }
    return askAgain(from: found.start, instead: .found(found))
  }

  /// The end of the object was looked at, though not all before it was.
  private mutating func jumped(to version: ObjectVersion, _ object: ObjectDescription, _ body: [UInt8]) -> Step {
    jump = nil
    // It is there: nothing ends without one that is known.
    guard let mark else { preconditionFailure("an end is looked at after another one") }
    if object.version == version, object.bytes.upperBound == version.size,
      let found = GrowthMark(body, from: object.bytes.lowerBound, of: version, span: span)
    {
      self.mark = found
      return .found(found)
    }
    return askAgain(from: mark.start, instead: .found(mark))
  }

  private mutating func take(_ body: [UInt8], from offset: Int, of version: ObjectVersion) {
    guard bytes.isEmpty else { return }
    (bytes, start, versionOfBytes) = (body, offset, version)
  }

  private mutating func ask(from start: Int) -> Step {
    asked = Self.part(from: start, maxBytes)
    return .ask(asked)
  }

  private mutating func askAgain(from start: Int, instead last: Step) -> Step {
    requests < Self.maxRequests ? ask(from: start) : last
  }

  private static let withoutRanges = Failure(
    .ignoresRanges,
    "the server ignores ranges, and the object is long: it can be read, and not followed as it grows; follow it from a "
      + "server that serves ranges")

  private static let broken = Failure(
    .tooManyCuts, "the server cut its answers before the last bytes that are known of the object: try again later")
}
