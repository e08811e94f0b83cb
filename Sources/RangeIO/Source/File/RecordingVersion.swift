import Synchronization

/// The version of a file that is only ever added to: its inode and its size.
///
/// That it was cut short shows in looks that come one after the other, so each look notes when it was taken.
struct RecordingVersion: SourceValidator {
  let device: UInt64
  let inode: UInt64
  let size: Int
  /// Before and after the look, as moments of this process.
  private let began: UInt64
  private let ended: UInt64

  private static let moments = Atomic<UInt64>(0)

  /// A moment later than all before.
  static func nextMoment() -> UInt64 { moments.add(1, ordering: .sequentiallyConsistent).newValue }

  /// - Parameter began: a moment before the look at the file.
  init(_ version: FileVersion, began: UInt64) {
    (device, inode, size) = (version.device, version.inode, version.size)
    self.began = began
    ended = Self.nextMoment()
  }

  /// Longer is the same and more, unless it was seen so before this was.
  func change(to newer: any SourceValidator) -> SourceChange {
    guard let newer = newer as? RecordingVersion, newer.device == device, newer.inode == inode else { return .other }
    if newer.size == size { return .same }
    return newer.size > size && newer.ended >= began ? .extends : .other
  }

  /// Whether `source` describes this version.
  func isSame(_ source: SourceDescription) -> Bool { source.validator.map { $0.change(to: self) } == .same }
}
