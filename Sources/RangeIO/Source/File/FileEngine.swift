extension FileSource {
  /// How a file is read.
  public enum Engine: String, Hashable, Sendable, CaseIterable {
    /// The fastest way measured on the platform. On Linux what is in the page cache is copied on the caller's thread, and
    /// the rest read by threads of the library's own; on Apple platforms everything goes through DispatchIO.
    case automatic
    /// Everything through DispatchIO.
    case dispatchIO
    /// Everything by `pread` on threads of the library's own.
    case positional
  }

  /// How a file is opened and read.
  public struct Configuration: Sendable {
    /// The way bytes are read. Default: ``FileSource/Engine/automatic``.
    public var engine: Engine
    /// The size of blocks that caches key on, a power of two; at most 1 GiB counts. Default: 64 KiB. Any other size makes opening throw
    /// `ReadError.Code.invalidConfiguration`.
    public var blockSize: ByteCount
    /// Whether the file is still being recorded: bytes are added to its end, and those that are there never change.
    /// Default: no.
    ///
    /// A longer file then holds the bytes of the shorter one, so what was read of it stays cached while it grows. Each look
    /// that shows another size or other times compares the first 4 KiB, and the last 4 KiB before the old end, with what was
    /// there: a file that differs there, or became shorter, throws `ReadError.Code.sourceChanged`. One that is rewritten
    /// elsewhere goes unnoticed. What is read is kept in memory only, never on a disk, where it would have to be told from another file
    /// after a restart.
    public var isAppendOnly: Bool
    /// What reading the file costs, which the library cannot know: a path may lead to a drive in this machine or to a
    /// server far away. Default: that of a local disk.
    ///
    /// Merging and read-ahead go by it, and so does a cache on a disk: it keeps only what takes longer to read again
    /// than that disk takes, so by default nothing of a file. State the cost of a file on a network or a slow drive to have it
    /// kept there.
    public var cost: SourceCost

    package var syscalls = Syscalls.system
    package var threads = IOThreads.shared
    /// For paths, and for files of which a server is asked.
    package var pathThreads = PathThreads.shared
    /// The same threads for all of that: for tests.
    package var remoteThreads: IOThreads {
      get { pathThreads.opening }
      set { pathThreads = PathThreads { newValue } }
    }
    /// Has the system tell of changes, if it can.
    var watch: @Sendable (CInt, @escaping @Sendable () -> Void) -> FileWatch? = { FileWatch.begin($0, $1) }
    package var buffers = BufferPool.shared
    /// Waits until files are at rest, for all sources together.
    package var resting = RestingFiles.shared

    /// A configuration with defaults.
    public init(
      engine: Engine = .automatic, blockSize: ByteCount = .kibibytes(64), isAppendOnly: Bool = false,
      cost: SourceCost = SourceCost()
    ) {
      self.engine = engine
      self.blockSize = blockSize
      self.isAppendOnly = isAppendOnly
      self.cost = cost
    }
  }
}

/// Where one lane hands over to the next, measured: see Docs/Decisions/0002-lanes.md.
enum LaneThreshold {
  /// Up to so many bytes a resident read copies on the caller's own thread and actor, whether of one range or of many;
  /// above, it leaves the actor first.
  static let residentInline = 256 * 1024
  /// So many bytes are copied from the page cache between two checks for cancellation.
  static let residentPiece = 1024 * 1024
  /// DispatchIO reads and reports in pieces of so many bytes.
  static let dispatchIOPiece = 1024 * 1024
  /// The longest range of one DispatchIO operation, in bytes: what may pile up before its reader takes it.
  static let dispatchIOWindow = 8 * 1024 * 1024
  /// DispatchIO operations that a source has under way at once. libdispatch on Linux does one `pread` at a time for a
  /// whole disk, so more would only wait there, where they cannot be withdrawn.
  static let dispatchIOOperations = 8
}
