package import RangeIO
import SystemPackage

/// The contents of a spill directory on the disk, for tools and tests.
///
/// Changes nothing and locks nothing, so the directory may be in use. Files that are removed at the same time are
/// skipped, and what is being written counts as unfinished. ``survey(progress:)`` tells what a store would find there,
/// from the lists in the segments; ``verify(progress:)`` reads everything and compares all checksums.
package struct SpillInspection {
  package let path: String
  /// The result of reading `store`. Without a valid `store`, nothing in the directory counts.
  package let root: SpillRoot.Reading
  let folder: SpillFolder

  /// Opens a directory.
  ///
  /// - Throws: `ReadError` of the code ``ReadError/Code/notFound`` if there is no directory, or nothing was ever stored
  ///   in it; ``ReadError/Code/invalidConfiguration`` if it is not a spill directory;
  ///   ``ReadError/Code/unsupportedFormat`` and ``ReadError/Code/permissionDenied`` as a store; and errors from the
  ///   system.
  package init(_ path: String, on disk: any SpillDisk = SystemDisk()) throws(ReadError) {
    self.path = path
    folder = try SpillFolder.openToRead(path, on: disk)
    root = try folder.readRoot()
    let names = try folder.names()
    guard expected == nil else { return }
    guard root == .damaged || names.contains(where: { SpillFormat.segmentNumber($0) != nil }) else {
      throw ReadError(.notFound, "nothing was ever stored in the directory: name another", context: folder.context)
    }
    try folder.refuseOtherVersions(names)
  }

  /// `store`, if it is valid.
  var expected: SpillRoot? { if case .good(let root) = root { root } else { nil } }

  /// The number of bytes that the user may still write to the file system.
  package func freeByteCount() throws(ReadError) -> Int {
    try folder.attempt("ask for the free space of the disk") { () throws(Errno) in try folder.directory.freeByteCount()
    }
  }

  /// Directories below it that belong, or belonged, to other processes.
  package func privateDirectories() throws(ReadError) -> [String] {
    try folder.names().filter { SpillFormat.isPrivateName($0) }.sorted()
  }

  /// The segments in the order they were made, and their total size.
  func segments() throws(ReadError) -> (numbers: [UInt64], byteCount: Int) {
    let numbers = try folder.names().compactMap { SpillFormat.segmentNumber($0) }.sorted()
    var byteCount = 0
    // A file may have been stretched to any length.
    for number in numbers { byteCount = ByteRanges.sum(byteCount, status(of: number)?.size ?? 0) }
    return (numbers, byteCount)
  }

  /// `nil` if it is gone, or not one of ours.
  func status(of number: UInt64) -> DiskStatus? { folder.status(of: SpillFormat.segmentName(number)) }

  /// Returns what a store would find. Does what a store does when it opens the directory: reads the lists in the
  /// segments, and all of a segment that is not sealed.
  ///
  /// - Parameter progress: receives the size of each segment after examining it, ``byteCount()`` in total.
  /// - Throws: what `progress` throws; `ReadError` if `store` is missing or damaged.
  /// - Complexity: O(blocks), about 90 bytes of memory each while it runs.
  package func survey(progress: (Int) throws -> Void = { _ in }) throws -> SpillSurvey {
    guard let root = expected else {
      throw ReadError(
        .invalidResponse,
        "the spill directory's file `store` is \(self.root == .missing ? "missing" : "damaged"), so nothing in it is "
          + "believed: the next process that opens it for writing begins anew", context: folder.context)
    }
    var configuration = SpillStore.Configuration(directory: path, limit: .bytes(0))
    configuration.isReadOnly = true
    let opening = SpillOpening(configuration, folder)
    var state = SpillState(stagingLimit: 0, rules: .init())
    var survey = SpillSurvey()
    var counted = SpillOpening.Counted()
    var removed: [Int: SpillRemovedBlocks] = [:]
    for number in try segments().numbers.reversed() {
      let status = status(of: number)
      if let contents = try opening.read(number, root, &counted) {
        // In the order of `survey.segments`, since none is removed.
        let place = state.add(
          .init(segment: contents.segment, rank: number, length: contents.length, isSealed: contents.isSealed))
        state.enter(contents.footer, of: place, &removed)
        survey.segments.append(
          .init(
            number: number, byteCount: contents.isSealed ? contents.length : status?.size ?? contents.length,
            allocatedBytes: status?.allocatedSize ?? 0, isSealed: contents.isSealed,
            chunks: contents.footer.entries.count, tombstones: contents.footer.tombstones.count,
            damaged: contents.damaged))
      } else if status != nil {
        survey.unbelieved += 1
      }
      try progress(status?.size ?? 0)
    }
    for index in survey.segments.indices { survey.segments[index].liveBytes = state.places[index]!.liveBytes }
    survey.segments.reverse()
    survey.add(state)
    return survey
  }

  /// The total size of all segments.
  package func byteCount() throws(ReadError) -> Int { try segments().byteCount }
}

/// What a store would find in a spill directory.
package struct SpillSurvey: Sendable {
  /// A version of a source, on one block size.
  package struct Source: Sendable {
    package let id: String
    /// The user's name for it, or its id.
    package let name: String
    /// The version as its validator encodes it.
    package let version: [UInt8]
    /// The size of the source in bytes.
    package let byteCount: Int
    package let blockSize: Int
    /// The number of blocks that can be found.
    package var blocks = 0
    /// The size of those blocks on the disk, without headers.
    package var storedBytes = 0
    /// The size of those blocks after decoding.
    package var decodedBytes = 0
    /// The blocks that are stored as they are.
    package var plainBlocks = 0
  }

  /// A segment file.
  package struct Segment: Sendable {
    package let number: UInt64
    /// The length of the file.
    package let byteCount: Int
    /// The disk space that the file takes.
    package let allocatedBytes: Int
    /// Whether it is complete. Only the last segment is not, or one left by a process that was killed.
    package let isSealed: Bool
    /// The number of chunks it lists, including those replaced by later ones.
    package let chunks: Int
    package let tombstones: Int
    /// Damaged records that are known before any record of a sealed segment is read.
    package let damaged: Int
    /// The bytes of records whose chunks can be found, including headers.
    package var liveBytes = 0
  }

  package var sources: [Source] = []
  package var segments: [Segment] = []
  /// Files that have the name of a segment, but are not valid ones.
  package var unbelieved = 0
  /// When the oldest and the newest block that can be found were requested from their source, in nanoseconds since
  /// 1970.
  package var births: ClosedRange<Int64>?
}

extension SpillSurvey {
  fileprivate mutating func add(_ state: borrowing SpillState) {
    var decoded: [Int: Int] = [:]
    var plain: [Int: Int] = [:]
    for slot in 1..<UInt32(state.table.slotsUsed) where state.table[slot].isUsed {
      let record = state.table[slot]
      let count = state.sources[record.source].identity.count(ofBlock: record.block)
      decoded[record.source, default: 0] += count
      if Int(record.stored) == count { plain[record.source, default: 0] += 1 }
      let time = record.fetchedAt
      births = births.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }
    sources = state.sources.used.map { slot in
      let entry = state.sources[slot]
      return Source(
        id: entry.identity.id, name: entry.identity.name, version: entry.identity.version,
        byteCount: entry.identity.byteCount,
        blockSize: 1 << entry.identity.shift, blocks: entry.blocks, storedBytes: entry.bytes,
        decodedBytes: decoded[slot] ?? 0, plainBlocks: plain[slot] ?? 0)
    }
    sources.sort { ($0.id, $0.version.count) < ($1.id, $1.version.count) }
  }
}

/// Removes what a store has left in a directory. No process may be using the directory.
package struct SpillClearing: Equatable, Sendable {
  /// The number of segments removed.
  package var segments = 0
  /// The disk space that all removed files took.
  package var byteCount = 0
  /// Directories below it that stay: other processes use them, or have put files into them.
  package var privateDirectoriesLeft = 0
  /// Entries that the library did not make, which stay.
  package var foreignLeft = 0

  /// Removes the library's files from a directory, and nothing else. The directory stays.
  ///
  /// - Throws: `ReadError` of the code ``ReadError/Code/inUse`` if a process has the directory open for writing;
  ///   ``ReadError/Code/unsupportedFormat`` if another version of this library made it, with nothing touched; and as
  ///   ``SpillInspection/init(_:on:)``. An empty directory is no error.
  package static func clear(_ path: String, on disk: any SpillDisk = SystemDisk()) throws(ReadError) -> SpillClearing {
    let folder = try SpillFolder.openToRead(path, on: disk)
    let names = try folder.names()
    guard !names.isEmpty else { return SpillClearing() }
    // Before `lock` is created, in case it is missing.
    _ = try folder.readRoot()
    try folder.refuseOtherVersions(names)
    let (lock, isLocked) = try folder.takeLock()
    guard isLocked else {
      throw ReadError(
        .inUse, "the spill directory is used by \(SpillFolder.owner(lock)): close that first",
        context: folder.context)
    }
    defer { withExtendedLifetime(lock) {} }
    var cleared = SpillClearing()
    // `store` first: without it, the rest is ignored if this is interrupted. `lock` last.
    let fixed = [SpillFolder.storeName, SpillFolder.nextStoreName, SpillFolder.quotaName]
    for name in fixed { try cleared.remove(name, from: folder) }
    try folder.attempt("sync the spill directory") { () throws(Errno) in try folder.directory.sync() }
    for name in names.sorted() where SpillFormat.segmentNumber(name) != nil {
      if try cleared.remove(name, from: folder) { cleared.segments += 1 }
    }
    for name in names.sorted() where SpillFormat.isPrivateName(name) {
      if let byteCount = folder.removePrivate(name) {
        cleared.byteCount += byteCount
      } else {
        cleared.privateDirectoriesLeft += 1
      }
    }
    try cleared.remove(SpillFolder.lockName, from: folder)
    cleared.foreignLeft = try folder.names().count { !SpillFormat.isPrivateName($0) }
    return cleared
  }

  /// Returns whether there was a file of ours with that name.
  @discardableResult private mutating func remove(_ name: String, from folder: SpillFolder) throws(ReadError) -> Bool {
    guard let status = folder.status(of: name), folder.isOurs(name) else { return false }
    try folder.attempt("remove \(name) from the spill directory") { () throws(Errno) in
      try folder.directory.remove(name)
    }
    byteCount += max(status.size, status.allocatedSize)
    return true
  }
}
