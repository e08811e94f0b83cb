package import RangeIO
package import RangeIOTiers
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
  ///   `unsupportedFormat` and ``ReadError/Code/permissionDenied`` as a store; and errors from the
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
  package func freeByteCount() throws(ReadError) -> Int { try folder.freeByteCount() }

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
        "the cache directory's file `store` is \(self.root == .missing ? "missing" : "damaged"), so nothing in it is "
          + "believed: the next process that opens it for writing begins anew", context: folder.context)
    }
    var configuration = DiskConfiguration(directory: path, limit: .bytes(0))
    configuration.isReadOnly = true
    let opening = SpillOpening(configuration, folder)
    var state = SpillState()
    var survey = SpillSurvey()
    var counted = SpillOpening.Counted()
    var removed: [Int: SpillRemovedBlocks] = [:]
    for number in try segments().numbers.reversed() {
      let status = status(of: number)
      if let contents = try opening.read(number, root, &counted) {
        // In the order of `survey.segments`, since none is removed.
        state.enter(contents, &removed)
        survey.segments.append(
          .init(
            number: number, byteCount: contents.isSealed ? contents.length : status?.size ?? contents.length,
            allocatedBytes: status?.allocatedSize ?? 0, isSealed: contents.isSealed,
            chunks: contents.footer.entries.count, tombstones: contents.footer.tombstones.count,
            damaged: contents.damaged))
      } else if counted.otherKeys[number] != nil {
        survey.encrypted += 1
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
