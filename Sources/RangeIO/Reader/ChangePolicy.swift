extension RangeReader {
  /// What a reader does when its source changes to another version than the one it opened.
  ///
  /// With every policy, a read never mixes versions: all its bytes are of one version, or it throws.
  public struct ChangePolicy: Hashable, Sendable {
    private enum Kind { case fail, refresh, follow }
    private let kind: Kind

    /// Reads throw `ReadError.Code.sourceChanged`. A file that became longer is another version too: it may have been
    /// overwritten. Not a change is anything that leaves the bytes of the open file as they were: another mode, owner
    /// or name, its removal, and another file that takes its name.
    public static let fail = RangeReader.ChangePolicy(kind: .fail)

    /// The reader switches to the new version: it drops what is cached of the old one, and reads again. The reader goes
    /// by the path, so after a replacement it opens the new file. A removed file stays readable until another file has
    /// its name. If the new version is too short for a range, the read throws `rangeNotSatisfiable`. A stream stays on
    /// one version: a stream in progress throws `sourceChanged` when its source changes, and the next stream reads the
    /// new version.
    ///
    /// For a while after the change, reads may still return cached bytes, or bytes of a file that was replaced. The
    /// reader notices the change when a read meets it, when the system reports it, or at the latest after
    /// ``RangeReader/Configuration/pollInterval``. If a source keeps changing faster than it can be read, the read
    /// throws `sourceChanged` in the end.
    public static let refresh = RangeReader.ChangePolicy(kind: .refresh)

    /// The reader follows a source that is still being written: `byteCount` grows with it, and streams can wait for
    /// data that is not there yet. Any change other than growth is `sourceChanged`.
    ///
    /// The source must declare that it grows. For a `FileSource` that you create, set `isAppendOnly` of
    /// ``FileSource/Configuration``. With a source that does not declare it, opening the reader fails with
    /// `invalidConfiguration`.
    public static let follow = RangeReader.ChangePolicy(kind: .follow)

    /// Whether the reader looks for changes between reads.
    var watches: Bool { kind != .fail }
  }
}
