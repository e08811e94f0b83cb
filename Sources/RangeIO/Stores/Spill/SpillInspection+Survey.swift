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

extension SpillInspection {
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
          + "believed: the next process that opens it for writing begins anew", context: context)
    }
    var configuration = SpillStore.Configuration(directory: path, limit: .bytes(0))
    configuration.isReadOnly = true
    let opening = SpillOpening(
      configuration, disk, SpillFolder(directory: directory, lock: nil, shared: nil, privateName: nil))
    var state = SpillState(stagingLimit: 0, rules: .init())
    var survey = SpillSurvey()
    var counted = SpillOpening.Counted()
    var removed: [Int: SpillRemovedBlocks] = [:]
    var places: [UInt32] = []
    for number in try segments().numbers.reversed() {
      let status = status(of: number)
      if let contents = try opening.read(number, root, &counted) {
        places.append(
          state.add(
            .init(
              segment: contents.segment, rank: number, length: contents.length, isSealed: contents.isSealed)))
        state.enter(contents.footer, of: places[places.count - 1], &removed)
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
    for (index, place) in places.enumerated() { survey.segments[index].liveBytes = state.places[Int(place)]!.liveBytes }
    survey.segments.reverse()
    survey.add(state)
    return survey
  }

  /// The total size of all segments.
  package func byteCount() throws(ReadError) -> Int { try segments().byteCount }
}

extension SpillSurvey {
  fileprivate mutating func add(_ state: borrowing SpillState) {
    var decoded: [Int: Int] = [:]
    for slot in 1..<UInt32(state.table.slotsUsed) where state.table[slot].isUsed {
      let record = state.table[slot]
      decoded[record.source, default: 0] += state.sources[record.source].identity.count(ofBlock: record.block)
      let fetchedAt = record.birthMilliseconds * 1_000_000
      births = births.map { min($0.lowerBound, fetchedAt)...max($0.upperBound, fetchedAt) } ?? fetchedAt...fetchedAt
    }
    sources = state.sources.used.map { slot in
      let entry = state.sources[slot]
      return Source(
        id: entry.identity.id, name: entry.identity.name, version: entry.identity.version,
        byteCount: entry.identity.byteCount,
        blockSize: 1 << entry.identity.shift, blocks: entry.blocks, storedBytes: entry.bytes,
        decodedBytes: decoded[slot] ?? 0)
    }
    sources.sort { ($0.id, $0.version.count) < ($1.id, $1.version.count) }
  }
}
