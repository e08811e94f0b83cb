import CBenchmarkPeers

/// One row of every group: a way to read, in as many configurations as deserve a try.
struct Contender: Sendable {
  /// Who takes part. The raw value is the row's name in tables and JSON.
  enum Name: String, CaseIterable, Sendable {
    case rangeIO = "RangeIO"
    case rangeIODispatch = "RangeIO .dispatchIO"
    case rangeIODirect = "RangeIO .direct"
    case rangeIOInPlace = "RangeIO, in place"
    case cChecked = "C pread + fstat"
    case cDirect = "C O_DIRECT pread + fstat"
    case cDirectStream = "C O_DIRECT pread, one 1 MiB buffer"
    case cBare = "C pread"
    case cStream = "C pread, 1 MiB malloc a window"
    case cStreamReused = "C pread, one 1 MiB buffer"
    case dispatchIO = "DispatchIO"
    case nio = "NIOFileSystem"
    case fileHandle = "FileHandle"
    case fileDescriptor = "FileDescriptor, blocking tasks"
    case mapped = "C mmap + memcpy"
    case fioBlocking = "fio, psync"
    case fioRing = "fio, io_uring"

    // Those of the cache, where `rangeIO` is a reader with `.caching` under two stages that do nothing.
    case noStages = "RangeIO, no stage above"
    case oneStage = "RangeIO, 1 stage above"
    case threeStages = "RangeIO, 3 stages above"
    case fourStages = "RangeIO, 4 stages above"
    case fiveStages = "RangeIO, 5 stages above"
    case fiveReadyStages = "RangeIO, 5 ready stages above"
    case readerEach = "RangeIO, a reader each"
    case storeEach = "RangeIO, reader and store each"
    case uncached = "RangeIO, no cache"
    case actorDictionary = "dictionary in an actor"
    case nsCache = "NSCache"
    case sortedChunks = "sorted array, searched"
    case sqlite = "SQLite (GRDB)"

    // Those of pipelines that are ready-made.
    case cachingAlone = "RangeIO, Caching alone"
    case farPipeline = "RangeIO, stages for far objects"
    case cancelledSleep = "Task.sleep, cancelled"

    // Those of the compressed tier.
    case bareLZ4 = "C LZ4, no cache"
    case rocksDB = "RocksDB block cache"
    case quiet = "RangeIO, nothing compressed"

    // Those of stores on disk, where `rangeIO` compresses with LZ4.
    case spillIdentity = "RangeIO, not compressed"
    case spillAutomatic = "RangeIO, codec: .automatic"
    case sqliteTuned = "SQLite (GRDB), tuned"
    case sqliteMapped = "SQLite (GRDB), mapped, exclusive"
    case sqliteBatch = "SQLite (GRDB), mapped, one call"
    case sqliteUntuned = "SQLite (GRDB), untuned"
    case cSpill = "C pread + CRC32C + LZ4"
    case cSpillIdentity = "C pread + CRC32C"
    case cWrite = "C pwrite, 1 MiB"
    case dd = "dd bs=1M"
    case ddZero = "dd bs=1M, /dev/zero"

    /// Whether this is the library, by whichever engine.
    var isRangeIO: Bool {
      [.rangeIO, .rangeIODispatch, .rangeIODirect, .rangeIOInPlace].contains(self)
    }

    /// Whether it reads past the page cache.
    var isDirect: Bool { [.rangeIODirect, .cDirect, .cDirectStream].contains(self) }
  }

  let name: Name
  /// The configurations for a cell, the usual one first; the fastest takes part. Empty: it does not do such reads.
  let variants: @Sendable (Cell) -> [Variant]
  /// Gives back what it holds, when all is measured.
  var close: @Sendable () async throws -> Void = {}
}

/// One configuration of a contender.
struct Variant: Sendable {
  let label: String
  let run: @Sendable (Job) async throws -> Outcome
}

/// What a contender is asked to do in one run.
enum Job: Sendable {
  /// Reads of `size` bytes at `offsets`, `concurrency` of them under way.
  case reads(offsets: [Int], size: Int, concurrency: Int)
  /// The first `byteCount` bytes, in order.
  case stream(byteCount: Int)
}

/// What came of a run.
struct Outcome: Sendable {
  var elapsed: Duration
  /// How many reads it did, if fewer than it was asked for.
  var reads: Int?
  /// What the process used for it, if not all of what it used in the run: where much is prepared that is not measured.
  var usage: bench_usage?
  /// Bytes by lane, of contenders that have lanes.
  var lanes: [String: Int] = [:]
  /// What was read from the source, of contenders that cache one.
  var source: SourceUse?
}

/// A contender did not do what it was asked to.
struct WrongBytes: Error, CustomStringConvertible {
  let offset: Int
  let expected: Int
  let got: Int

  var description: String {
    "a read at \(offset) returned "
      + (got == expected ? "other bytes than the file has" : "\(got) of \(expected) bytes")
  }
}
