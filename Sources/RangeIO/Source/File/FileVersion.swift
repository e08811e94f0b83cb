/// The version of a file: what `fstat` tells of its inode. Two looks that agree saw the same bytes, with the exceptions
/// that ``FileSource`` names.
struct FileVersion: SourceValidator, Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int
  var modified: FileTime
  var changed: FileTime
  /// Of a file that is only added to: the number of its ``Recording``.
  var recording: UInt64 = 0
  /// The names that the file has. One that goes changes the time of change as well, but maybe not within one tick of the
  /// clock that stamps it.
  var links: UInt64

  init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
    size = status.size
    modified = status.modified
    links = status.links
    changed = status.changed
  }

  func change(to newer: any SourceValidator) -> SourceChange {
    guard let newer = newer as? FileVersion else { return .other }
    return change(to: newer)
  }

  /// Growth counts as appending: a writer that also rewrote what was there cannot be told from one that did not.
  func change(to newer: FileVersion) -> SourceChange {
    if self == newer { return .same }
    let sameFile = device == newer.device && inode == newer.inode
    // One that lost a name as well may have been replaced.
    return sameFile && newer.size > size && newer.links >= links ? .extends : .other
  }

  /// All numbers but that of the names: a version that is found again has one.
  var persistentForm: [UInt8]? {
    ([device, inode, UInt64(size)] + modified.words + changed.words).flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// Whether `newer` may be a look into the middle of an append: the kernel stamps the times before it moves the end, so
  /// for a moment a file that grows looks like one that was rewritten.
  func mayBeGrowing(into newer: FileVersion) -> Bool {
    device == newer.device && inode == newer.inode && size == newer.size && modified != newer.modified
  }

  /// Whether any later change will show: the kernel stamps times with a clock that ticks, so a file that changed within
  /// the present tick can change again and look the same (the "racy" entries of Git's index, Documentation/technical/
  /// racy-git.txt). File systems that store whole seconds tick by two.
  func isSettled(at now: Int64, tick: Int64) -> Bool {
    // No less than nothing, whatever the tick: a time to come is never over.
    let coarse: Duration = changed.nanoseconds == 0 ? .seconds(2) : max(.zero, .nanoseconds(tick))
    return changed.duration(to: FileTime(nanosecondsSince1970: now)) > coarse
  }

  /// How `newer` differs, for a message.
  func difference(to newer: FileVersion) -> String {
    if device != newer.device || inode != newer.inode { return "the descriptor shows another file" }
    if newer.size < size { return "the file shrank from \(size) to \(newer.size) bytes" }
    if newer.modified != modified { return "the file was rewritten" }
    return "the file was replaced, renamed, removed, linked or had its attributes changed"
  }
}
