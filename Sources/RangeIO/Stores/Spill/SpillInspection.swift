import SystemPackage

/// A spill directory as it lies on the disk, for whoever wants to know what is in it: a tool, a test.
///
/// Changes nothing and locks nothing, so the directory may be in use: what is removed meanwhile is passed over, and what
/// is being written counts as not finished. ``survey(progress:)`` tells what a store would find there, from what segments
/// list of themselves; ``verify(progress:)`` reads everything and compares all sums.
package struct SpillInspection {
  /// What came of reading `store`, without which nothing in the directory is believed.
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
  /// - Throws: `ReadError` of the code ``ReadError/Code/notFound`` if nothing is there, or nothing was ever stored;
  ///   ``ReadError/Code/invalidConfiguration`` if it is no spill directory; ``ReadError/Code/unsupportedFormat`` and
  ///   ``ReadError/Code/permissionDenied`` as a store; and what the system says.
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

  /// The bytes that the user may still write to the file system.
  package func freeByteCount() throws(ReadError) -> Int {
    try SpillFolder.attempt("ask for the free space of the disk", context) { () throws(Errno) in
      try directory.freeByteCount()
    }
  }

  /// Directories below it that belong to other processes, or did.
  package func privateDirectories() throws(ReadError) -> [String] {
    try names().filter { SpillFormat.isPrivateName($0) }.sorted()
  }

  /// The segments, in the order in which they were made, and the bytes of them all.
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
