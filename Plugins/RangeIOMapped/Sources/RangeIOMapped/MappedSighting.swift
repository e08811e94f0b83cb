internal import CRangeIOMapped

/// An open file as it was when it was last found to be the version that is read, by the rules of `FileSource`: size and
/// time of modification decide, and another time of status change is accepted where another mode, owner, group, number of
/// links or name explains it. Each explains one change.
struct MappedSighting {
  let version: MappedVersion
  private(set) var status: rim_status
  private(set) var name: String?

  init(_ status: rim_status, name: String?) {
    version = MappedVersion(status)
    self.status = status
    self.name = name
  }

  /// Whether a look shows nothing new.
  func isSame(_ seen: rim_status) -> Bool { MappedVersion(seen) == MappedVersion(status) && !isExplained(seen) }

  /// Whether the file has the bytes still that it had, as far as a later look tells.
  ///
  /// - Parameter nameNow: the name it went by then.
  /// - Returns: true if so; the next look is compared with this one then.
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
  /// Whether a look shows the file as it was when it was last found to be `version`.
  func isStill(_ version: MappedVersion, _ status: rim_status) -> Bool {
    MappedVersion(status) == version || sighting.withLock { $0?.version == version && $0?.isSame(status) ?? false }
  }

  /// So many looks at most, one after the other: under a writer that is quicker no two agree.
  private static var mostLooks: Int { 8 }

  /// Looks whether the file is `version` still, where one look has shown something else. One that is another at each of
  /// ``mostLooks`` looks is not: it is being written. May wait for a server.
  ///
  /// - Returns: what it showed, and whether it is.
  func confirm(_ version: MappedVersion) throws -> (status: rim_status, name: String?, isStill: Bool) {
    var last: rim_status?
    var looks = 0
    while true {
      looks += 1
      let isLast = looks == Self.mostLooks
      // The name before the look and after it, so that both belong together.
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
      // Of two looks at once the later one may have been judged first, and the earlier one be old.
      let isSeenTwice = last.map { MappedVersion($0) == MappedVersion(status) } ?? false
      if isStill || isLast || isSeenTwice { return (status, name, isStill) }
      last = status
    }
  }

  /// The version that the file is now, which later looks are compared with, and when its status was changed last. May wait
  /// for a server.
  func see() throws -> (MappedVersion, changed: MappedTime) {
    if let status = takeStatusAtOpening() { return (MappedVersion(status), MappedTime(status.changed)) }
    let status = try status()
    let before = sighting.withLock { $0?.version } ?? MappedVersion(status)
    if isStill(before, status) { return (before, MappedTime(status.changed)) }
    let look = try confirm(before)
    if look.isStill { return (before, MappedTime(look.status.changed)) }
    return sighting.withLock { sighting in
      let now = MappedSighting(look.status, name: look.name)
      // Another task may have seen the same meanwhile.
      if let known = sighting, known.isSame(look.status) { return (known.version, MappedTime(look.status.changed)) }
      sighting = now
      return (now.version, MappedTime(look.status.changed))
    }
  }
}
