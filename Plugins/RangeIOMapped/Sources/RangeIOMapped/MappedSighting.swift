internal import CRangeIOMapped

/// The state of an open file when it was last confirmed to be the version being read. The rules are those of
/// `FileSource`: size and modification time decide. A new status change time is accepted if another mode, owner, group,
/// number of links or name explains it. Each explains one change.
struct MappedSighting {
  let version: MappedVersion
  private(set) var status: rim_status
  private(set) var name: String?

  init(_ status: rim_status, name: String?) {
    version = MappedVersion(status)
    self.status = status
    self.name = name
  }

  /// Whether a check shows nothing new.
  func isSame(_ seen: rim_status) -> Bool { MappedVersion(seen) == MappedVersion(status) && !isExplained(seen) }

  /// Whether the file still has the same bytes, as far as a later check can tell.
  ///
  /// - Parameter nameNow: the name of the file at that check.
  /// - Returns: `true` if so. The next check is then compared with this one.
  mutating func accepts(_ seen: rim_status, name nameNow: String?) -> Bool {
    let (before, now) = (MappedVersion(status), MappedVersion(seen))
    guard before.device == now.device, before.inode == now.inode else { return false }
    guard before.size == now.size, before.modified == now.modified else { return false }
    let isMoved = if let name, let nameNow { name != nameNow } else { false }
    guard before.changed == now.changed || isMoved || isExplained(seen) else { return false }
    (status, name) = (seen, nameNow ?? name)
    return true
  }

  private func isExplained(_ seen: rim_status) -> Bool {
    seen.mode != status.mode || seen.owner != status.owner || seen.group != status.group || seen.links != status.links
  }
}

// MARK: looks

extension MappedFile {
  /// Whether `status` shows the file as it was when it was last confirmed to be `version`.
  func isStill(_ version: MappedVersion, _ status: rim_status) -> Bool {
    MappedVersion(status) == version || sighting.withLock { $0?.version == version && $0?.isSame(status) ?? false }
  }

  /// The most checks, one after the other: if a writer is faster than the checks, no two of them agree.
  private static var mostLooks: Int { 8 }

  /// Checks whether the file is still `version`, after one check has shown something else. If each of ``mostLooks``
  /// checks shows another version, the file is being written and is not `version`. May wait for a server.
  ///
  /// - Returns: the result of the last check, and whether the file is still `version`.
  func confirm(_ version: MappedVersion) throws -> (status: rim_status, name: String?, isStill: Bool) {
    var last: rim_status?
    var looks = 0
    while true {
      looks += 1
      let isLast = looks == Self.mostLooks
      // Reads the name before and after the status, so that both belong together.
      let name = calls.name(descriptor)
      let status = try status()
      guard calls.name(descriptor) == name else {
        if isLast { return (status, nil, false) }
        continue
      }
      let isStill = sighting.withLock { sighting -> Bool in
        guard sighting?.version == version else { return false }
        return sighting?.accepts(status, name: name) ?? false
      }
      // Of two concurrent checks the later one may have been processed first, and this one may be out of date.
      let isSeenTwice = last.map { MappedVersion($0) == MappedVersion(status) } ?? false
      if isStill || isLast || isSeenTwice { return (status, name, isStill) }
      last = status
    }
  }

  /// The current version of the file, with which later checks are compared, and the time of its last status change. May
  /// wait for a server.
  func see() throws -> (MappedVersion, changed: MappedTime) {
    if let status = takeStatusAtOpening() { return (MappedVersion(status), MappedTime(status.changed)) }
    let status = try status()
    let before = sighting.withLock { $0?.version } ?? MappedVersion(status)
    if isStill(before, status) { return (before, MappedTime(status.changed)) }
    let look = try confirm(before)
    if look.isStill { return (before, MappedTime(look.status.changed)) }
    return sighting.withLock { sighting in
      let now = MappedSighting(look.status, name: look.name)
      // Another task may have seen the same in between.
      if let known = sighting, known.isSame(look.status) { return (known.version, MappedTime(look.status.changed)) }
      sighting = now
      return (now.version, MappedTime(look.status.changed))
    }
  }
}
