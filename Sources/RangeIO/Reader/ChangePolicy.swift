/// What a reader does when its source becomes another version than the one it opened.
///
/// Whatever the policy, no read mixes versions: each is of one, or throws.
public struct ChangePolicy: Hashable, Sendable {
  private enum Kind { case fail, refresh, follow }
  private let kind: Kind

  /// Reads throw `ReadError.Code.sourceChanged`. A source that may grow may do so: reads beyond the end that is known look
  /// again.
  public static let fail = ChangePolicy(kind: .fail)

  /// Turns to the new version: lets go of what is cached of the old one, and reads anew. What its name leads to counts, so
  /// a file that was replaced by another is opened. Reads whose range the new version does not hold throw
  /// `rangeNotSatisfiable`. A stream is of one version: one that is under way throws `sourceChanged`, and the next is of
  /// the new one. What is cached may be read for a while after the change: it is noticed by the next read of the source,
  /// when the system tells of it, or at the latest after ``RangeReader/Configuration/lookInterval``. A source that goes on changing faster than it can be read throws `sourceChanged` in the end.
  public static let refresh = ChangePolicy(kind: .refresh)

  /// Follows a source that is still being recorded: `byteCount` grows with it, and streams may wait for what is not there
  /// yet. Anything but growth is `sourceChanged`.
  ///
  /// Say also that the source is only ever added to (``FileSource/Configuration/isAppendOnly``), if it is: a growing file
  /// of which that is not known can hardly be cached.
  public static let follow = ChangePolicy(kind: .follow)

  /// Whether changes are looked for while nobody reads.
  var watches: Bool { kind != .fail }
}
