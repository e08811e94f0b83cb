import CRangeIOSystem
public import RangeIO

/// The settings of a tier on a disk, for ``TieredStore``.
///
/// ```swift
/// var disk = DiskConfiguration(directory: "/var/cache/app", limit: .gibibytes(20))
/// disk.keepsFastSources = true
/// let store = try await TieredStore(memory: .mebibytes(256), disk: disk)
/// ```
public struct DiskConfiguration: Sendable {
  /// The path of the directory.
  package var directory: String
  /// The number of bytes that the files may take, including preallocated space. Never exceeded.
  package var limit: ByteCount
  /// The codec that compresses. Default: ``BuiltInCodec/automatic``, which weighs the disk against LZ4. A directory may
  /// hold blocks of several codecs: those of ``BuiltInCodec`` are always found, others only with their codec.
  public var codec: any ChunkCodec = AutomaticCodec()
  /// Encrypts what is written, and reads only what was encrypted with a key that is there. Default: `nil`, nothing is
  /// encrypted. If the directory was written the other way before, it begins anew.
  public var encryption: DiskEncryption?
  /// `true` to refuse new blocks when there is no room. Default: the oldest blocks are dropped.
  public var refusesWhenFull = false
  /// Makes written data durable each time this many bytes were written, and after every removal. Default: `nil`, when
  /// the system decides. A process that is killed then loses only what was waiting in memory. A power loss may lose the
  /// last seconds, including removals of that time. The first flush of a process makes durable what earlier ones left, too.
  /// On Apple platforms the order is kept, and the drive may lose what is in its own memory.
  public var syncsEvery: ByteCount?
  /// `true` to write chunks when they enter the tier above, so that chunks that are never evicted also survive a crash.
  /// Default: chunks are written when the tier above evicts them, so only chunks that do not fit there are written.
  public var writesOnInsertion = false
  /// `true` to keep also sources that cost no more to read than a local disk, according to their `SourceDescription.Cost`.
  /// Default: `false`. Sources whose validator has no `SourceDescription.Validator.persistentForm` are never kept.
  public var keepsFastSources = false
  /// `true` to write everything also once the store is full. Default: a full store writes only blocks that are
  /// remembered to have come before, so that blocks that are read once do not push out blocks that are read again.
  public var keepsFirstReads = false
  /// The free space that must remain on the disk. Nothing is written that would leave less. If dropping the oldest blocks
  /// makes room for new ones, the store drops them. If not, it keeps and serves what it has, keeps nothing new, and
  /// `lacksFreeSpace` of the disk's `Counters` is 1. A file system that tells no sizes counts as one with room. Default: 1 GiB.
  public var freeSpaceFloor = ByteCount.gibibytes(1)
  /// The size of a file, in whole pages of 4 KiB. Default: a 256th of the limit, from 4 to 256 MiB; less if the limit
  /// is below 16 MiB.
  public var segmentSize: ByteCount?
  /// `true` to use a private directory below this one if another process has the directory. All processes share one
  /// limit: this one gets what the others leave free. The private directory is temporary and goes with the process.
  /// Default: opening fails, with an error that names the other process.
  public var isShared = false
  /// `true` to only read the directory. Nothing in it is changed, and another process may be using it. Default: `false`.
  public var isReadOnly = false
  /// The time that chunks are kept after they were requested from the source, by the wall clock. Default: for as long
  /// as there is room. Below memory, the age limit of the memory counts instead.
  package var ageLimit: Duration?
  /// The memory for chunks that wait to be written. Blocks of that size and more are not kept. Default: 8 MiB, or an
  /// eighth of the limit if that is less.
  public var stagingLimit: ByteCount?
  /// The time that chunks wait for others, so that neighbours are written next to each other. Default: one second.
  package var writeDelay: Duration = .seconds(1)

  /// The clock of the tiers above. Default: the continuous clock of the system.
  package var time = ReadClock.continuous
  /// Where timers run. Default: Swift's own threads.
  package var background = BackgroundWork()
  /// Called when the store stops keeping what is new, since too little of the disk is free, or none: once, until there is enough.
  package var onLackOfFreeSpace: @Sendable (ReadError) -> Void = { _ in }
  /// The disk.
  package var disk: (any SpillDisk)?
  /// Where calls that wait for the disk run. Default: the directory's own threads, two for reads and one for writes.
  package var work: DiskWork?
  /// The wall clock, in nanoseconds since 1970.
  package var wallClock: @Sendable () -> Int64 = { rio_realtime_ns() }
  /// The rules by which a disk counts as sick.
  var breaker = SpillBreaker.Rules()
  /// After this time a read is late, and the source is read as well.
  var late: Duration = .milliseconds(100)
  /// The number of segment files that stay open at the same time. Default: what the process can spare.
  var maxOpenFiles: Int?
  /// The tries for a turn to create a file while other processes have it, one millisecond apart.
  var quotaTries = 2_000
  /// The process number that is written to `lock`.
  package var processNumber = Int(rio_process_number())
  /// Makes ids of directories.
  package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

  /// Creates a configuration with the defaults.
  ///
  /// - Parameters:
  ///   - directory: the path of the directory. The store needs a directory of its own, creates it if it is missing, and
  ///     closes it to other users. What they could have written to before is dropped. If the directory belongs to
  ///     another user, or others use it too, as they do `/dev/shm`, the store uses `rangeio-UID` below it, which it creates.
  ///   - limit: the number of bytes that the files may take, including preallocated space. Never exceeded.
  public init(directory: String, limit: ByteCount) {
    self.directory = directory
    self.limit = limit
  }

  /// The size of a file in bytes.
  var segmentBytes: Int {
    // Whole pages, since that is what a file takes.
    if let segmentSize { return segmentSize.bytes & ~4095 }
    let usual = min(max(limit.bytes / 256, 4 << 20), 256 << 20)
    return min(usual, max(0, limit.bytes - SpillFormat.fixedBytes) / 4) & ~4095
  }

  var stagingBytes: Int { stagingLimit?.bytes ?? min(8 << 20, limit.bytes / 8) }
}
