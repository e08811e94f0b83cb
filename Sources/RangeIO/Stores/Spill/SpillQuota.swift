import CRangeIOSystem
import SystemPackage

/// The one limit of a directory that several processes share, each with files of its own: whoever makes a file counts
/// what all have, with nobody else making one meanwhile.
struct SpillQuota: Sendable {
  let shared: any SpillDirectory
  /// The name of this process's own directory below it; `nil` for the one that has the directory itself.
  let privateName: String?
  let limit: Int
  /// How often a turn is asked for, a millisecond apart, before others count as busy.
  var tries = 2_000

  /// A time in which nobody else makes a file. Ends when it is let go of.
  struct Turn {
    let file: any SpillFile
  }

  /// What came of asking for a turn.
  enum Answer {
    case turn(Turn)
    /// So many bytes more would be too many.
    case full
    /// Another process has its turn, and does not end it: it is stopped, or its disk hangs. Says nothing about room.
    case busy
  }

  /// Whether there are others.
  private func isShared() throws(Errno) -> Bool {
    guard privateName == nil else { return true }
    return try shared.names().contains { SpillFormat.isPrivateName($0) }
  }

  /// Waits for a turn to take so many bytes. Whoever is alone takes one, too: another may come at this moment.
  func enter(_ bytes: Int) throws(Errno) -> Answer {
    let file: any SpillFile
    do throws(Errno) {
      file = try shared.create(SpillFolder.quotaName)
    } catch .fileExists {
      file = try shared.open(SpillFolder.quotaName, writing: true)
    }
    // Others are in there for the time that it takes to set a file's blocks aside.
    var left = tries
    while !(try file.lock(exclusively: true)) {
      left -= 1
      guard left > 0 else { return .busy }
      rio_pause_ns(1_000_000)
    }
    if try isShared(), try total() + bytes > limit { return .full }
    return .turn(Turn(file: file))
  }

  private func total() throws(Errno) -> Int {
    var sum = try total(of: shared)
    for name in try shared.names() where SpillFormat.isPrivateName(name) {
      // Gone meanwhile: its process has ended.
      guard let below = try? shared.openDirectory(name) else { continue }
      sum += try total(of: below)
    }
    return sum
  }

  private func total(of directory: any SpillDirectory) throws(Errno) -> Int {
    var sum = SpillStore.fixedBytes
    for name in try directory.names() where SpillFormat.segmentNumber(name) != nil {
      guard let status = try? directory.status(of: name) else { continue }
      sum += SpillLedger.charge(of: status)
    }
    return sum
  }

  /// Removes a private directory with all that is in it.
  func leave(_ directory: any SpillDirectory) {
    guard let privateName else { return }
    // What cannot be removed is found by the next who opens the directory.
    for name in (try? directory.names()) ?? []
    where SpillFormat.segmentNumber(name) != nil || SpillFolder.fileNames.contains(name) {
      try? directory.remove(name)
    }
    try? shared.removeDirectory(privateName)
  }
}
