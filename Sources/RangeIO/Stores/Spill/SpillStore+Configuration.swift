import CRangeIOSystem

extension SpillStore {
  /// How a store works.
  public struct Configuration: Sendable {
    /// Where it lies: a directory of its own, which is made if it is missing. It must belong to the user who runs the
    /// process and be closed to others.
    public var directory: String
    /// The bytes that the files may take, set-aside space included. Never exceeded.
    public var limit: ByteCount
    /// What compresses. Default: LZ4. What was written with other codecs, ``LZ4Codec`` and ``IdentityCodec`` apart, is
    /// not found.
    public var codec: any ChunkCodec = LZ4Codec()
    /// What happens when there is no room. Default: the oldest is dropped.
    public var whenFull = WhenFull.dropOldest
    /// When what was written is made durable. Default: when the system sees fit.
    public var durability = Durability.none
    /// When chunks are written. Default: when the tier above evicts them.
    public var writes = Writes.onEviction
    /// Of what sources. Default: of those that are more expensive to read than a local disk.
    public var sources = Sources.slowerThanDisk
    /// What is written once the store is full. Default: what comes for the second time.
    public var admission = Admission.secondTimeOnceFull
    /// Nothing is written that would leave the disk with less free space. Default: 1 GiB.
    public var freeSpaceFloor = ByteCount.gibibytes(1)
    /// The bytes of a file, in whole pages of 4 KiB. Default: a 256th of the limit, from 4 to 256 MiB; less if the limit is below 16 MiB.
    public var segmentSize: ByteCount?
    /// What to do if another process has the directory. Default: fail.
    public var sharing = Sharing.exclusive
    /// Whether the directory is only read: nothing in it is changed, and it may be in use. Default: no.
    public var isReadOnly = false
    /// How long chunks are kept after they were asked for from the source, by the wall clock. Default: for as long as
    /// there is room.
    public var ageLimit: Duration?
    /// The bytes of memory that may wait to be written. Default: 8 MiB, or an eighth of the limit if that is less.
    public var stagingLimit: ByteCount?
    /// How long chunks wait for others, so that neighbours are written side by side. Default: a second.
    public var writeDelay: Duration = .seconds(1)
    /// The clock of the tiers above. Default: the continuous clock of the system.
    public var time = TimeSource.continuous
    /// Where timers run. Default: Swift's own threads.
    public var background = BackgroundWork()
    /// The disk.
    package var disk: (any SpillDisk)?
    /// Where calls that wait for the disk run. Default: two threads of the directory's own for reads, and one for writes.
    package var work: DiskWork?
    /// Nanoseconds since 1970.
    package var wallClock: @Sendable () -> Int64 = { rio_realtime_ns() }
    /// When a disk counts as sick.
    var breaker = SpillBreaker.Rules()
    /// After so long a read is late: the source is asked as well.
    var late: Duration = .milliseconds(100)
    /// The segments' files that are kept open at once. Default: what the process can spare.
    var mostOpenFiles: Int?
    /// How often a turn to make a file is asked for that other processes have, a millisecond apart.
    var quotaTries = 2_000
    /// What `lock` says of the process that has the directory.
    package var processNumber = Int(rio_process_number())
    /// Makes ids of directories.
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    /// Defaults, with a place and a limit.
    public init(directory: String, limit: ByteCount) {
      self.directory = directory
      self.limit = limit
    }

    /// The bytes of a file.
    var segmentBytes: Int {
      // Whole pages, since that is what they take.
      if let segmentSize { return segmentSize.bytes & ~4095 }
      let usual = min(max(limit.bytes / 256, 4 << 20), 256 << 20)
      return min(usual, max(0, limit.bytes - SpillStore.fixedBytes) / 4) & ~4095
    }

    var stagingBytes: Int { stagingLimit?.bytes ?? min(8 << 20, limit.bytes / 8) }
  }

  /// What happens when there is no room.
  public enum WhenFull: Hashable, Sendable {
    /// The oldest goes.
    case dropOldest
    /// What is new is refused.
    case refuse
  }

  /// When what was written is made durable.
  public enum Durability: Hashable, Sendable {
    /// When the system sees fit. A process that is killed loses what waited in memory only; a loss of power may lose the
    /// last seconds, and removals of that time.
    case none
    /// Whenever so many bytes were written, and after every removal.
    case fdatasync(every: ByteCount)
  }

  /// When chunks are written.
  public enum Writes: Hashable, Sendable {
    /// When the tier above evicts them, so that each is written that does not fit there.
    case onEviction
    /// When they come into the tier above, so that even what is never evicted survives a crash.
    case onInsertion
  }

  /// Of what sources chunks are written. Never of those whose validator has no ``SourceValidator/persistentForm``.
  public enum Sources: Hashable, Sendable {
    /// Of those that are more expensive to read than a local disk, by their ``SourceDescription/cost``.
    case slowerThanDisk
    /// Of all.
    case all
  }

  /// What is written once the store is full.
  public enum Admission: Hashable, Sendable {
    /// What is remembered to have come before, so that what is read once does not push out what is read again.
    case secondTimeOnceFull
    /// Everything.
    case always
  }

  /// What to do if another process has the directory.
  public enum Sharing: Hashable, Sendable {
    /// Fail, with an error that names it.
    case exclusive
    /// Use a directory of one's own below it, under the same limit: what others leave free. It goes with the process.
    case privateSubdirectory
  }
}
