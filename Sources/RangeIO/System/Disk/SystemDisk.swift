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
    // `try?`: not every file system can, and what is lost otherwise is a cache.
    let parent = path.removingLastComponent()
    try? openDirectory(parent.isEmpty ? "." : parent).sync()
  }
}

extension FixedWidthInteger {
  /// Returns the result of a call, or throws the error that a negative result stands for.
  @discardableResult func orThrow() throws(Errno) -> Self {
    if self < 0 { throw Errno(result: Int(self)) }
    return self
  }
}

/// An open directory on this machine.
final class SystemDirectory: SpillDirectory {
  private let descriptor: CInt

  /// Takes ownership of `descriptor`.
  init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { rio_close(descriptor) }

  package func status() throws(Errno) -> DiskStatus {
    var raw = rio_disk_stat()
    try rio_disk_stat(descriptor, &raw).orThrow()
    return DiskStatus(raw)
  }

  func setMode(_ mode: UInt32) throws(Errno) { try rio_disk_set_mode(descriptor, mode).orThrow() }

  package func names() throws(Errno) -> [String] {
    var names: [String] = []
    let result = withUnsafeMutablePointer(to: &names) { names in
      // A name that is no text is not one of ours; the name made of it here will match nothing.
      rio_disk_names(
        descriptor,
        {
          $0?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: $1!))
          return true
        }, names)
    }
    try result.orThrow()
    return names
  }

  package func status(of name: String) throws(Errno) -> DiskStatus {
    var raw = rio_disk_stat()
    try rio_disk_stat_at(descriptor, component(name), &raw).orThrow()
    return DiskStatus(raw)
  }

  package func create(_ name: String) throws(Errno) -> any SpillFile {
    SystemFile(descriptor: try rio_disk_create_at(descriptor, component(name)).orThrow())
  }

  package func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile {
    SystemFile(descriptor: try rio_disk_open_at(descriptor, component(name), writing).orThrow())
  }

  package func remove(_ name: String) throws(Errno) {
    try rio_disk_remove_at(descriptor, component(name)).orThrow()
  }

  package func rename(_ name: String, to new: String) throws(Errno) {
    try rio_disk_rename_at(descriptor, component(name), component(new)).orThrow()
  }

  package func makeDirectory(_ name: String) throws(Errno) {
    try rio_disk_make_directory_at(descriptor, component(name)).orThrow()
  }

  package func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory {
    SystemDirectory(descriptor: try rio_disk_open_directory_at(descriptor, component(name)).orThrow())
  }

  package func removeDirectory(_ name: String) throws(Errno) {
    try rio_disk_remove_directory_at(descriptor, component(name)).orThrow()
  }

  package func sync() throws(Errno) { try rio_disk_sync_directory(descriptor).orThrow() }

  package func freeByteCount() throws(Errno) -> Int { Int(clamping: try rio_disk_free_bytes(descriptor).orThrow()) }

  /// Returns `name` if it cannot lead out of this directory.
  private func component(_ name: String) throws(Errno) -> String {
    let isOne =
      !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    guard isOne else { throw .invalidArgument }
    return name
  }
}

extension DiskStatus {
  init(_ raw: rio_disk_stat) {
    self.init(
      kind: raw.is_file ? .file : raw.is_directory ? .directory : .other, size: Int(raw.size),
      allocatedSize: Int(raw.allocated_size), owner: raw.owner, mode: raw.mode, linkCount: Int(raw.link_count))
  }
}
