/// An open file as it was when it was last found to be the version that is read.
///
/// Size and time of modification decide what is another version. The time of status change alone does not: `chmod`,
/// `chown`, `ln`, `mv` and a name that goes change it too, and leave every byte as it was. It is accepted where one of
/// them shows as well, and what was seen then is what the next look is compared with, so that each explains one change.
struct FileSighting {
  let version: FileVersion
  private(set) var status: FileStatus
  /// The name that the file went by, if the system says so.
  private(set) var name: String?
  /// How often its names were seen to change.
  private(set) var renamings = 0

  init(_ status: FileStatus, name: String?) {
    version = FileVersion(status)
    self.status = status
    self.name = name
  }

  /// Whether a look shows nothing new.
  func isSame(_ seen: FileStatus) -> Bool { seen == status }

  /// Whether the file has the bytes still that it had, as far as a later look tells.
  ///
  /// - Parameter nameNow: the name it went by right after the look.
  /// - Returns: true if so; the next look is compared with this one then.
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
