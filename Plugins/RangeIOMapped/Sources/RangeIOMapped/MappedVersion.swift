internal import CRangeIOMapped
internal import RangeIO

/// The version of a mapped file: what `fstat` tells of its inode, and the rules by which `FileSource` compares that.
struct MappedVersion: SourceValidator, Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int
  var modified: MappedTime
  var changed: MappedTime
  /// The names that the file has. One that goes changes the time of change as well, but maybe not within one tick of the
  /// clock that stamps it.
  var links: UInt64

  init(_ status: rim_status) {
    device = status.device
    inode = status.inode
    size = Int(status.size)
    modified = MappedTime(status.modified)
    links = status.links
    changed = MappedTime(status.changed)
  }

  func change(to newer: any SourceValidator) -> SourceChange {
    guard let newer = newer as? MappedVersion else { return .other }
    return change(to: newer)
  }

  /// Growth counts as appending: a writer that also rewrote what was there cannot be told from one that did not.
  func change(to newer: MappedVersion) -> SourceChange {
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

  /// Whether `newer` may be a look into the middle of an append: the kernel stamps the times before it moves the end.
  func mayBeGrowing(into newer: MappedVersion) -> Bool {
    device == newer.device && inode == newer.inode && size == newer.size && modified != newer.modified
  }

  /// Whether any later change will show: a file that changed within the present tick of the clock that stamps it can
  /// change again and look the same. File systems that store whole seconds tick by two.
  func isSettled(at now: Int64, tick: Int64) -> Bool {
    // No less than nothing, whatever the tick: a time to come is never over.
    let coarse: Duration = changed.nanoseconds == 0 ? .seconds(2) : max(.zero, .nanoseconds(tick))
    return changed.age(at: now) > coarse
  }

  /// How `newer` differs, for a message.
  func difference(to newer: MappedVersion) -> String {
    if device != newer.device || inode != newer.inode { return "the descriptor shows another file" }
    if newer.size < size { return "the file shrank from \(size) to \(newer.size) bytes" }
    if newer.modified != modified { return "the file was rewritten" }
    return "the file was replaced, renamed, removed, linked or had its attributes changed"
  }
}

/// The version that a description speaks of, where it is found again without comparing types of validators.
final class MappedSnapshot: Sendable {
  let version: MappedVersion
  /// How often the source had turned to another file before.
  let generation: Int

  init(_ version: MappedVersion, _ generation: Int) {
    self.version = version
    self.generation = generation
  }

  static func of(_ source: SourceDescription) -> MappedSnapshot? { source.context as? MappedSnapshot }
}
