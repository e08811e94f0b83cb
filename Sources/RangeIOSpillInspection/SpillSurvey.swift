import RangeIO
import RangeIOTiers

/// The contents of a spill directory, as a store would find them.
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
    /// It is complete. Only the last segment is not, or one left by a process that was killed.
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
  /// Segments that are encrypted, and so cannot be listed.
  package var encrypted = 0
  /// When the oldest and the newest block that can be found were requested from their source, in nanoseconds since
  /// 1970.
  package var births: ClosedRange<Int64>?
}

extension SpillSurvey {
  mutating func add(_ state: borrowing SpillState) {
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
