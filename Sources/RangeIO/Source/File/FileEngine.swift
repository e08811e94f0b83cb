extension FileSource {
  /// How a file is read.
  public enum Engine: String, Hashable, Sendable, CaseIterable {
    /// The fastest way measured on the platform. On Linux, bytes in the page cache are copied on the caller's thread,
    /// and the library's own threads read the rest. On Apple platforms, everything goes through DispatchIO.
    case automatic
    /// Reads everything through DispatchIO.
    case dispatchIO
    /// Reads everything with `pread` on the library's own threads.
    case positional
  }

  /// How a file is opened and read.
  ///
  /// ```swift
  /// let file = FileSource("/mnt/share/survey.bin", configuration: .init(cost: .init(latency: .milliseconds(5))))
  /// ```
  public struct Configuration: Sendable {
    package var engine: Engine
    package var blockSize: ByteCount
    package var isAppendOnly: Bool
    package var cost: SourceDescription.Cost

    package var syscalls = Syscalls.system
    package var threads = IOThreads.shared
    /// For paths, and for files on a server.
    package var pathThreads = PathThreads.shared
    /// The same threads for all of these, for tests.
    package var remoteThreads: IOThreads {
      get { pathThreads.opening }
      set { pathThreads = PathThreads { newValue } }
    }
    /// Makes the system report changes, if it can.
    var watch: @Sendable (CInt, @escaping @Sendable () -> Void) -> FileWatch? = { FileWatch.begin($0, $1) }
    package var buffers = BufferPool.shared
    /// Waits until files are at rest, for all sources.
    package var resting = RestingFiles.shared

    /// Creates a configuration.
    ///
    /// **Files that grow.** With `isAppendOnly` a longer file contains the bytes of the shorter one, so cached bytes
    /// stay valid while it grows. Each check that finds another size or other times compares the first 4 KiB, and the
    /// last 4 KiB before the old end, with the earlier bytes. If the file differs there, or became shorter, reads throw
    /// `ReadError.Code.sourceChanged`. A rewrite elsewhere in the file goes unnoticed. The bytes are cached in memory
    /// only, never on a disk: after a restart the file could not be told from another one.
    ///
    /// **Cost.** The library cannot know it: a path may lead to a drive in this machine or to a distant server. Merging
    /// and read-ahead use it. So does a cache on a disk: it keeps only what takes longer to read again than reading
    /// from that disk. By default it therefore keeps nothing of a file. To cache a file on a network or a slow drive
    /// there, set its cost.
    ///
    /// - Parameters:
    ///   - engine: how bytes are read. Default: ``FileSource/Engine/automatic``.
    ///   - blockSize: the block size that caches use, a power of two; more than 1 GiB counts as 1 GiB. With any other
    ///     size, opening throws `ReadError.Code.invalidConfiguration`. Default: 64 KiB.
    ///   - isAppendOnly: whether the file is still being recorded: bytes are only appended, and existing bytes never
    ///     change. Default: no.
    ///   - cost: what reading the file costs. Default: the cost of a local disk.
    public init(
      engine: Engine = .automatic, blockSize: ByteCount = .kibibytes(64), isAppendOnly: Bool = false,
      cost: SourceDescription.Cost = SourceDescription.Cost()
    ) {
      self.engine = engine
      self.blockSize = blockSize
      self.isAppendOnly = isAppendOnly
      self.cost = cost
    }
  }
}

/// Measured limits between the lanes: see Docs/Decisions/0002-lanes.md.
enum LaneThreshold {
  /// The most bytes that a resident read of one or several ranges copies on the caller's own thread and actor. A larger
  /// read leaves the actor first.
  static let residentInline = 256 * 1024
  /// The number of bytes copied from the page cache between two checks for cancellation.
  static let residentPiece = 1024 * 1024
  /// The size in bytes of the pieces that DispatchIO reads and reports.
  static let dispatchIOPiece = 1024 * 1024
  /// The longest range of one DispatchIO operation, in bytes: what may pile up before the reader takes it.
  static let dispatchIOWindow = 8 * 1024 * 1024
  /// The most DispatchIO operations that a source has in flight. libdispatch on Linux does one `pread` at a time for a
  /// whole disk; further operations would only wait there, where they cannot be withdrawn.
  static let dispatchIOOperations = 8
}
