import CRangeIOSystem
package import SystemPackage

/// The disk of this machine.
package struct SystemDisk: SpillDisk {
  package init() {}

  package var user: UInt32 { rio_disk_user() }

  package func makeDirectory(_ path: FilePath) throws(Errno) {
    try make(path)
    try path.withPlatformString { rio_disk_check_directory($0) }.orThrow()
  }

  package func openDirectory(_ path: FilePath) throws(Errno) -> any SpillDirectory {
    SystemDirectory(descriptor: try path.withPlatformString { rio_disk_open_directory($0) }.orThrow())
  }

  /// Leaves an existing entry of that name alone, directory or not: it may be a link to a directory, on the way to
  /// another.
  private func make(_ path: FilePath) throws(Errno) {
    // Check first: for an existing directory a system may report another error than that it exists.
    if path.withPlatformString({ rio_disk_check_directory($0) }) == 0 { return }
    do throws(Errno) {
      try path.withPlatformString { rio_disk_make_directory($0) }.orThrow()
    } catch {
      if error == .fileExists { return }
      let parent = path.removingLastComponent()
      guard error == .noSuchFileOrDirectory, !parent.isEmpty, parent != path else { throw error }
      try make(parent)
      let result = path.withPlatformString { rio_disk_make_directory($0) }
      if result != -Errno.fileExists.rawValue { try result.orThrow() }
    }
  }
}

extension FixedWidthInteger {
  /// Returns the result of a call, or throws the error that a negative result stands for.
  @discardableResult func orThrow() throws(Errno) -> Self {
    if self < 0 { throw Errno(result: Int(self)) }
    return self
  }
}
