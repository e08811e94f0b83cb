import SystemPackage

/// The contents of a spill directory on the disk, for tools and tests.
///
/// Changes nothing and locks nothing, so the directory may be in use. Files that are removed at the same time are
/// skipped, and what is being written counts as unfinished. ``survey(progress:)`` tells what a store would find there,
/// from the lists in the segments; ``verify(progress:)`` reads everything and compares all checksums.
package struct SpillInspection {
  /// The result of reading `store`. Without a valid `store`, nothing in the directory counts.
  package enum Root: Equatable, Sendable {
    /// - Parameter created: nanoseconds since 1970.
    case good(directoryID: UInt64, epoch: UInt64, created: Int64, refusesWhenFull: Bool)
    case missing
    case damaged
  }

  package let path: String
  package let root: Root
  let expected: SpillRoot?
  let directory: any SpillDirectory
  let disk: any SpillDisk
  let context: ReadError.Context

  /// Opens a directory.
  ///
  /// - Throws: `ReadError` of the code ``ReadError/Code/notFound`` if there is no directory, or nothing was ever stored
  ///   in it; ``ReadError/Code/invalidConfiguration`` if it is not a spill directory;
  ///   ``ReadError/Code/unsupportedFormat`` and ``ReadError/Code/permissionDenied`` as a store; and errors from the
  ///   system.
  package init(_ path: String, on disk: any SpillDisk = SystemDisk()) throws(ReadError) {
    var configuration = SpillStore.Configuration(directory: path, limit: .bytes(0))
    configuration.isReadOnly = true
    self.path = path
    self.disk = disk
    context = ReadError.Context(source: path)
    directory = try SpillFolder.open(configuration, on: disk).directory
    switch try SpillFolder.readRoot(directory, on: disk, context) {
    case .good(let root):
      expected = root
      self.root = .good(
        directoryID: root.directoryID, epoch: root.epoch, created: root.created, refusesWhenFull: root.refusesWhenFull)
    case .damaged: (expected, root) = (nil, .damaged)
    case .missing: (expected, root) = (nil, .missing)
    }
    let names = try names()
    guard expected == nil else { return }
    guard root == .damaged || names.contains(where: { SpillFormat.segmentNumber($0) != nil }) else {
      throw ReadError(.notFound, "nothing was ever stored in the directory: name another", context: context)
    }
    try SpillFolder.refuseOtherVersions(names, in: directory, on: disk, context)
  }

  /// The number of bytes that the user may still write to the file system.
  package func freeByteCount() throws(ReadError) -> Int {
    try SpillFolder.attempt("ask for the free space of the disk", context) { () throws(Errno) in
      try directory.freeByteCount()
    }
  }

  /// Directories below it that belong, or belonged, to other processes.
  package func privateDirectories() throws(ReadError) -> [String] {
    try names().filter { SpillFormat.isPrivateName($0) }.sorted()
  }

  /// The segments in the order they were made, and their total size.
  func segments() throws(ReadError) -> (numbers: [UInt64], byteCount: Int) {
    let numbers = try names().compactMap { SpillFormat.segmentNumber($0) }.sorted()
    var byteCount = 0
    for number in numbers { byteCount += status(of: number)?.size ?? 0 }
    return (numbers, byteCount)
  }

  /// `nil` if it is gone, or not one of ours.
  func status(of number: UInt64) -> DiskStatus? {
    guard let status = try? directory.status(of: SpillFormat.segmentName(number)),
      SpillFolder.isOurs(status, on: disk)
    else { return nil }
    return status
  }

  private func names() throws(ReadError) -> [String] {
    try SpillFolder.attempt("list the spill directory", context) { () throws(Errno) in try directory.names() }
  }
}
