/// The facts learnt of an object's server, kept from read to read.
struct Habits: Hashable, Sendable {
  /// One thing to learn.
  enum Lesson: Hashable, Sendable {
    /// HEAD is refused, and GET is not.
    case refusesHead
    /// HEAD gives no length, or another length or other marks of the version than GET.
    case headLies
    /// A range was answered with the whole object.
    case ignoresRanges
    /// A range was refused, and the whole object was not.
    case refusesRanges
    /// A range was answered with that range.
    case honoursRanges
    /// 412 though the tag was right.
    case refusesIfMatch
    /// A cache on the way answered with an old version.
    case servesStale
    /// The server's clock minus ours.
    case clockOffset(seconds: Int)
  }

  /// Descriptions begin with a GET.
  private(set) var skipsHead = false
  /// A range was ignored or refused, and none honoured since. Ranges are tried all the same.
  private(set) var ignoresRanges = false
  /// A range was refused, and none honoured since.
  private(set) var refusesRanges = false
  /// Tags are only compared, not sent.
  private(set) var refusesIfMatch = false
  /// Requests ask caches to let them pass.
  private(set) var servesStale = false
  /// The server's clock minus ours, in seconds; `nil` while they agree to ten seconds.
  private(set) var clockOffset: Int?

  /// Nothing is known.
  init() {}

  /// Takes a lesson in.
  mutating func learn(_ lesson: Lesson) {
    switch lesson {
    case .refusesHead, .headLies: skipsHead = true
    case .ignoresRanges: ignoresRanges = true
    case .refusesRanges: (ignoresRanges, refusesRanges) = (true, true)
    case .honoursRanges: (ignoresRanges, refusesRanges) = (false, false)
    case .refusesIfMatch: refusesIfMatch = true
    case .servesStale: servesStale = true
    case .clockOffset(let seconds): clockOffset = abs(seconds) > 10 ? seconds : nil
    }
  }
}
