/// The version of a file: what `fstat` tells of its inode. Two looks that agree saw the same bytes, with the exceptions
/// that ``FileSource`` names.
struct FileVersion: ExplainedValidator, Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int
  var modified: FileTime
  var changed: FileTime
  /// Of a file that is only added to: the number of its ``AppendOnlyFile``.
  var recording: UInt64 = 0

  init(_ status: FileStatus) {
    device = status.device
    inode = status.inode
    size = status.size
    modified = status.modified
    changed = status.changed
  }

  func change(to newer: any SourceValidator) -> SourceChange {
    guard let newer = newer as? FileVersion else { return .other }
    return change(to: newer)
  }

  /// A longer file is another version too: one that was overwritten by a longer one looks just like one that grew. Growth
  /// has to be chosen, and has a validator of its own, ``RecordingVersion``.
  func change(to newer: FileVersion) -> SourceChange { self == newer ? .same : .other }

  /// All of its numbers, unless the times are of whole seconds: those of images are often what a tool set them to, the same
  /// for each edition, and those of file systems that store no more are soon the same again.
  var persistentForm: [UInt8]? {
    guard modified.nanoseconds != 0 || changed.nanoseconds != 0 else { return nil }
    return ([device, inode, UInt64(size)] + modified.words + changed.words).flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// Whether any later change will show: the kernel stamps times with a clock that ticks, so a file that changed within
  /// the present tick can change again and look the same (the "racy" entries of Git's index, Documentation/technical/
  /// racy-git.txt). File systems that store whole seconds tick by two.
  ///
  /// - Parameter changed: when its status was changed last, if that was after the version began.
  func isSettled(at now: Int64, tick: Int64, changed: FileTime? = nil) -> Bool {
    let changed = changed ?? self.changed
    // No less than nothing, whatever the tick: a time to come is never over.
    let coarse: Duration = changed.nanoseconds == 0 ? .seconds(2) : max(.zero, .nanoseconds(tick))
    return changed.duration(to: FileTime(nanosecondsSince1970: now)) > coarse
  }

  /// How `newer` differs, for a message.
  func difference(to newer: any SourceValidator) -> String? {
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
