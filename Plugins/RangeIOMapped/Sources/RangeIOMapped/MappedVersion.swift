internal import CRangeIOMapped
internal import RangeIO

/// The version of a mapped file: what `fstat` reports about its inode, compared by the rules of `FileSource`.
struct MappedVersion: SourceDescription.Validator, Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int
  var modified: MappedTime
  var changed: MappedTime

  init(_ status: rim_status) {
    device = status.device
    inode = status.inode
    size = Int(status.size)
    modified = MappedTime(status.modified)
    changed = MappedTime(status.changed)
  }

  func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    guard let newer = newer as? MappedVersion else { return .other }
    return change(to: newer)
  }

  /// A longer file is another version: a file overwritten by a longer one looks just like a file that grew.
  func change(to newer: MappedVersion) -> SourceDescription.Change { self == newer ? .same : .other }

  /// All of its numbers. `nil` if the times are whole seconds: in images they are often set by a tool, the same for
  /// each edition, and on file systems that store whole seconds the same time soon occurs again.
  var persistentForm: [UInt8]? {
    guard modified.nanoseconds != 0 || changed.nanoseconds != 0 else { return nil }
    return ([device, inode, UInt64(size)] + modified.words + changed.words).flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// Whether any later change will be visible. If a file changed within the current tick of the clock that stamps it,
  /// it can change again and look the same. File systems that store whole seconds have a tick of two.
  ///
  /// - Parameter changed: the last status change, if that was after the version began.
  func isSettled(at now: Int64, tick: Int64, changed: MappedTime? = nil) -> Bool {
    let changed = changed ?? self.changed
    // Never negative, whatever the tick: a time in the future is never settled.
    let coarse: Duration = changed.nanoseconds == 0 ? .seconds(2) : max(.zero, .nanoseconds(tick))
    return changed.age(at: now) > coarse
  }

  /// The difference to `newer`, for a message.
  func difference(to newer: MappedVersion) -> String {
    if device != newer.device || inode != newer.inode { return "another file is open in its place" }
    if newer.size < size { return "the file shrank from \(size) to \(newer.size) bytes" }
    if newer.size > size {
      return "the file became longer, from \(size) to \(newer.size) bytes (one that grows is followed by a FileSource),"
    }
    if newer.modified != modified { return "the file was rewritten" }
    return """
      the file's status was changed, and not its mode, owner or names, as by a rewrite that sets the time of modification \
      back,
      """
  }
}

/// The version in a description, stored so that it can be found without comparing types of validators.
final class MappedSnapshot: Sendable {
  let version: MappedVersion
  /// How many times the source had switched to another file before.
  let generation: Int

  init(_ version: MappedVersion, _ generation: Int) {
    self.version = version
    self.generation = generation
  }

  static func of(_ source: SourceDescription) -> MappedSnapshot? { source.context as? MappedSnapshot }
}
