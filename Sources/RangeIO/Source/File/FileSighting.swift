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
  /// How often its names were seen to change.
  private(set) var renamings = 0

  init(_ status: FileStatus, name: String?) {
    version = FileVersion(status)
    self.status = status
    self.name = name
  }

  /// Whether `seen` shows nothing new.
  func isSame(_ seen: FileStatus) -> Bool { seen == status }

  /// Whether the file still has the same bytes, as far as a later status shows.
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
