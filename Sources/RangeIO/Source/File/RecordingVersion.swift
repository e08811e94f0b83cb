/// The version of a file that is only ever added to: its inode and its size.
struct RecordingVersion: SourceValidator, Equatable {
  let device: UInt64
  let inode: UInt64
  let size: Int

  init(_ version: FileVersion) { (device, inode, size) = (version.device, version.inode, version.size) }

  /// Longer is the same and more.
  func change(to newer: any SourceValidator) -> SourceChange {
    guard let newer = newer as? RecordingVersion, newer.device == device, newer.inode == inode else { return .other }
    return newer.size == size ? .same : newer.size > size ? .extends : .other
  }
}
