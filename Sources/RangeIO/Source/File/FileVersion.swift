/// The version of a file: what `fstat` reports about its inode. If two checks agree, both saw the same bytes, with the
/// exceptions that ``FileSource`` names.
struct FileVersion: ExplainedValidator, DatedValidator, Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int
  var modified: FileTime
  var changed: FileTime
  /// For a file that only grows: the number of its ``AppendOnlyFile``.
  var recording: UInt64 = 0

  init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
    size = status.size
    modified = status.modified
    changed = status.changed
  }

  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    guard let newer = newer as? FileVersion else { return .other }
    return change(to: newer)
  }

  /// A longer file is another version too: a file overwritten by a longer one looks just like one that grew. Growth
  /// must be configured, and has its own validator, ``RecordingVersion``.
  func change(to newer: FileVersion) -> SourceDescription.Change { self == newer ? .same : .other }

  var modifiedSeconds: Int? { Int(modified.seconds) }

  /// All its numbers, unless the times are whole seconds. In images such times are often set by a tool, the same for
  /// each edition; on file systems that store no more, they soon repeat.
  var persistentForm: [UInt8]? {
    guard modified.nanoseconds != 0 || changed.nanoseconds != 0 else { return nil }
    return ([device, inode, UInt64(size)] + modified.words + changed.words).flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// True if any later change will show. The kernel stamps times with a clock that ticks, so a file that changed within the present
  /// tick can change again and look the same (the "racy" entries of Git's index, Documentation/technical/racy-git.txt). File
  /// systems that store whole seconds tick every two seconds. And it stamps a write at its start alone: a file modified a moment
  /// ago may be in the middle of one, and its bytes not be there yet.
  ///
  /// - Parameter changed: when its status last changed, if that was after the version began.
  func isSettled(at now: Int64, tick: Int64, changed: FileTime? = nil) -> Bool {
    let changed = changed ?? self.changed
    let now = FileTime(nanosecondsSince1970: now)
    // Never negative, whatever the tick: a time in the future has not passed.
    let coarse: Duration = changed.nanoseconds == 0 ? .seconds(2) : max(.zero, .nanoseconds(tick))
    guard changed.duration(to: now) > coarse else { return false }
    // A time of modification that is yet to come was set, and no write has stamped it.
    let written = modified > now ? changed : modified
    return written.duration(to: now) >= Self.rest
  }

  /// The time after its modification for which a file is taken to be in the middle of a write. Much less is not enough: one call
  /// that writes a gigabyte takes more than 100 ms, and on a virtual machine the writer may lose its processor in the middle for
  /// tens of milliseconds.
  static let rest = Duration.milliseconds(250)

  /// The difference to `newer`, for a message.
  func difference(to newer: any SourceDescription.Validator) -> String? {
    (newer as? FileVersion).map { difference(to: $0) }
  }

  func difference(to newer: FileVersion) -> String {
    if device != newer.device || inode != newer.inode { return "another file is open in its place" }
    if newer.size < size { return "the file shrank from \(size) to \(newer.size) bytes" }
    if newer.size > size { return "the file became longer, from \(size) to \(newer.size) bytes," }
    if newer.modified != modified { return "the file was rewritten" }
    return """
      the file's status was changed, and not its mode, owner or names, as by a rewrite that sets the time of modification \
      back,
      """
  }
}

/// An open file as it was when it was last found to be the version that is read.
///
/// Size and modification time decide what is another version. The status change time alone does not: `chmod`, `chown`,
/// `ln`, `mv` and a removed name change it too, and leave every byte unchanged. A new one is accepted if one of those
/// changes shows as well. The next status is then compared with this one, so that each such change explains one new
/// time.
struct FileSighting {
  let version: FileVersion
  private(set) var status: FileStatus
  /// The file's name, if the system reports it.
  private(set) var name: String?
  /// The changes of its names that were seen.
  private(set) var renamings = 0

  init(_ status: FileStatus, name: String?) {
    version = FileVersion(status)
    self.status = status
    self.name = name
  }

  /// True if `seen` shows nothing new.
  func isSame(_ seen: FileStatus) -> Bool { seen == status }

  /// Checks if the file still has the same bytes, as far as a later status shows.
  ///
  /// - Parameter nameNow: the file's name right after that status.
  /// - Returns: `true` if so; then the next status is compared with this one.
  mutating func accepts(_ seen: FileStatus, name nameNow: String?) -> Bool {
    guard seen.device == status.device, seen.inode == status.inode else { return false }
    guard seen.size == status.size, seen.modified == status.modified else { return false }
    let isMoved = if let name, let nameNow { name != nameNow } else { false }
    let isRenamed = isMoved || seen.links != status.links
    let isExplained =
      isRenamed || seen.mode != status.mode || seen.owner != status.owner || seen.group != status.group
    guard seen.changed == status.changed || isExplained else { return false }
    if isRenamed { renamings += 1 }
    (status, name) = (seen, nameNow ?? name)
    return true
  }
}
