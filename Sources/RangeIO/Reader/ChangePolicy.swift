/// What a reader does when its source becomes another version than the one it opened.
///
/// Whatever the policy, no read mixes versions: each is of one, or throws.
public struct ChangePolicy: Hashable, Sendable {
  private enum Kind { case fail, refresh, follow }
  private let kind: Kind

  /// Reads throw `ReadError.Code.sourceChanged`. A file that became longer is another version, too: it may have been
  /// overwritten. What leaves the bytes of the open file as they were is no change: another mode, owner or name, its
  /// removal, and another file that takes its name.
  public static let fail = ChangePolicy(kind: .fail)

  /// Turns to the new version: drops what is cached of the old one, and reads again. The file that the path leads to counts,
  /// so the new file is opened after a replacement; a removed one is read on until another has its name. Reads whose
  /// range the new version does not hold throw `rangeNotSatisfiable`. A stream is of one version: one that is under way
  /// throws `sourceChanged` when its source becomes another, and the next is of the new one.
  ///
  /// What is cached, and a file that was replaced, may be read for a while after the change: it is noticed by the next read
  /// that meets it, when the system tells of it, or at the latest after ``RangeReader/Configuration/pollInterval``. A source
  /// that goes on changing faster than it can be read throws `sourceChanged` in the end.
  public static let refresh = ChangePolicy(kind: .refresh)

  /// Follows a source that is still being recorded: `byteCount` grows with it, and streams may wait for what is not there
  /// yet. Anything but growth is `sourceChanged`.
  ///
  /// The source has to say that it grows: a `FileSource` of your own by ``FileSource/Configuration/isAppendOnly``. Readers of
  /// one that does not are refused with `invalidConfiguration`.
  public static let follow = ChangePolicy(kind: .follow)

  /// Whether changes are looked for between reads.
  var watches: Bool { kind != .fail }
}
