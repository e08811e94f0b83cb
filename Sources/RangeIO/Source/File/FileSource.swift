import Synchronization
public import SystemPackage

/// Reads a regular file or a block device.
///
/// `RangeReader("/path")` usually creates it for you. Create one yourself to choose an ``Engine`` or to put stages
/// above it:
///
/// ```swift
/// let reader = try await RangeReader(FileSource("/data/survey.bin"), [.observing()])
/// ```
///
/// **Ways to read.** On Linux, bytes in the page cache are copied on the caller's thread (`preadv2` with
/// `RWF_NOWAIT`), and the library's own threads read what must come from disk. On Apple platforms, and with
/// ``Engine/dispatchIO`` anywhere, reads go through DispatchIO. ``statistics()`` counts the bytes of each way.
///
/// **Servers.** The library's own threads read, check, open and close a file on a network file system or a FUSE mount;
/// each remote file system has its own threads. A server that hangs delays only files of its own file systems. There is
/// one exception: no file of the server was opened before, and 64 are being opened now. Then the first opening of a
/// file of each other file system waits until the server answers.
///
/// **Versions.** The file is opened once and checked (`fstat`) after every read. If its size or modification time has
/// changed, reads throw `ReadError.Code.sourceChanged`. A longer file counts as changed, because nothing shows whether
/// it was appended to or replaced; for files that grow, use `isAppendOnly`. A read never mixes two versions and never
/// makes up bytes. Another mode, owner or name is no new version, nor is an open file that was replaced or removed. If
/// only the status change time differs, and none of these explains it, reads throw: the file may have been rewritten
/// and its modification time set back.
///
/// Some changes cannot be detected. A writer through `mmap` need not change the times before `msync`. A writer may set
/// the modification time back and, before the next check, also change mode, owner or names. The client of a network
/// file system may not know yet what other machines wrote. A block device has no version and is not checked.
///
/// **Names.** A relative path starts from the current directory at the moment of opening, also when the path is checked
/// again later. `~` and `~user` are home directories. Symbolic links are followed once, at opening. Directories, FIFOs,
/// sockets and character devices are refused with `ReadError.Code.unsupportedSource`. So are files that are made as
/// they are read: those of `/proc` and `/sys`, and, below some FUSE mounts, files that say they are empty and have
/// bytes.
public final class FileSource: RangeSource {
  let location: Location
  let configuration: Configuration
  let work = ThreadedWork(gate: ShutdownGate(), waiting: WaiterRegistry())
  var gate: ShutdownGate { work.gate }
  private let closing = Closing()
  var waiting: WaiterRegistry { work.waiting }
  let counters = LaneCounters()
  let opened = PublishedOnce<FileLanes>()
  /// The number of times another file was found under the path and opened instead of the one before.
  let generation = Atomic<Int>(0)
  /// The file opened last, if it is not the first one.
  let renewed = Locked<FileLanes?>(nil)
  /// Notifies watchers of the previously opened file.
  let renewals = Notifier()
  /// The last description, returned again while nothing changes.
  let described = Locked<SourceDescription?>(nil)

  /// Creates a source for the file at `path`. The first use opens it, not this call.
  ///
  /// **Files that grow.** With `isAppendOnly` a longer file contains the bytes of the shorter one, so cached bytes stay
  /// valid while it grows. Each check that finds another size or other times compares the first 4 KiB, and the last
  /// 4 KiB before the old end, with the earlier bytes. If the file differs there, or became shorter, reads throw
  /// `ReadError.Code.sourceChanged`. A rewrite elsewhere in the file goes unnoticed. The bytes are cached in memory
  /// only, never on a disk: after a restart the file could not be told from another one.
  ///
  /// **Cost.** The library cannot know it: a path may lead to a drive in this machine or to a distant server. Merging
  /// and read-ahead use it. So does a disk tier: it keeps only sources that are slower than the disk, and so by default
  /// nothing of a file. To keep a file of a network or a slow drive there, set its cost:
  ///
  /// ```swift
  /// let file = FileSource("/mnt/share/survey.bin", cost: .init(latency: .milliseconds(5)))
  /// ```
  ///
  /// - Parameters:
  ///   - path: the file; `~` at its start is the home directory.
  ///   - engine: how bytes are read. Default: ``FileSource/Engine/automatic``.
  ///   - blockSize: the block size that caches use, a power of two; more than 1 GiB counts as 1 GiB. With any other
  ///     size, opening throws `ReadError.Code.invalidConfiguration`. Default: 64 KiB.
  ///   - isAppendOnly: `true` if the file is still being recorded: bytes are only appended, and existing bytes never
  ///     change. Default: no.
  ///   - cost: what reading the file costs. Default: the cost of a local disk.
  public convenience init(
    _ path: String, engine: Engine = .automatic, blockSize: ByteCount = .kibibytes(64), isAppendOnly: Bool = false,
    cost: SourceDescription.Cost = SourceDescription.Cost()
  ) {
    self.init(
      path,
      configuration: Configuration(engine: engine, blockSize: blockSize, isAppendOnly: isAppendOnly, cost: cost))
  }

  /// Creates a source for the file at `path`. The first use opens it, not this call. The initializer with a string
  /// describes the parameters.
  public convenience init(
    _ path: FilePath, engine: Engine = .automatic, blockSize: ByteCount = .kibibytes(64), isAppendOnly: Bool = false,
    cost: SourceDescription.Cost = SourceDescription.Cost()
  ) {
    self.init(
      path,
      configuration: Configuration(engine: engine, blockSize: blockSize, isAppendOnly: isAppendOnly, cost: cost))
  }

  /// Creates a source for the file behind `descriptor`. The source owns the descriptor from now on: do not close it
  /// yourself. The initializer with a path describes the other parameters.
  ///
  /// The descriptor's position is not used. If the file cannot be opened a second time, the position is set to the
  /// start. The first use refuses a descriptor that was opened with `O_WRONLY`, `O_PATH` or `O_DIRECT`, with
  /// `ReadError.Code.unsupportedSource`.
  public convenience init(
    adopting descriptor: FileDescriptor, engine: Engine = .automatic, blockSize: ByteCount = .kibibytes(64),
    isAppendOnly: Bool = false, cost: SourceDescription.Cost = SourceDescription.Cost()
  ) {
    self.init(
      adopting: descriptor,
      configuration: Configuration(engine: engine, blockSize: blockSize, isAppendOnly: isAppendOnly, cost: cost))
  }

  package convenience init(_ path: String, configuration: Configuration) {
    self.init(.text(path), configuration)
  }

  package convenience init(_ path: FilePath, configuration: Configuration) {
    self.init(.path(path), configuration)
  }

  /// - Parameter name: for messages. Default: the number of the descriptor.
  package convenience init(adopting descriptor: FileDescriptor, name: String? = nil, configuration: Configuration) {
    let file = OpenFile(
      descriptor: descriptor.rawValue, syscalls: configuration.syscalls,
      name: name ?? "descriptor \(descriptor.rawValue)")
    self.init(.adopted(file), configuration)
  }

  private init(_ location: Location, _ configuration: Configuration) {
    self.location = location
    self.configuration = configuration
  }

  /// Opens the file if it is not open, and returns what it is now.
  ///
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource`, `resourcesExhausted`,
  ///   `inputOutput` or `closed`; `CancellationError`, at once, however long the opening hangs.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    guard BlockGrid(blockSize: configuration.blockSize.bytes) != nil else {
      throw ReadError(
        .invalidConfiguration,
        "a block size of \(configuration.blockSize) is no power of two: choose one, such as 64 KiB")
    }
    guard gate.enter() else { throw ReadError.closedSource }
    defer { gate.leave() }
    return try await describe(try await currentLanes())
  }

  /// Returns the bytes of `range`.
  ///
  /// - Throws: `ReadError` with `sourceChanged`, `inputOutput`, `resourcesExhausted` or `closed`; `CancellationError`,
  ///   at once, however long the disk hangs.
  /// - Complexity: resident bytes take one allocation and two system calls, and the call does not suspend.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try enter()
    defer { gate.leave() }
    let lanes = try openLanes(for: source)
    let version = FileSnapshot.of(source)?.version
    guard lanes.readsHere(range) else { return try await bytes(of: FileRead(range), in: version, lanes) }
    let buffer = try configuration.buffers.buffer(range.count)
    let filled = try lanes.fillHere(buffer, from: range)
    counters.add(filled, to: .resident)
    guard filled == range.count else {
      return try await bytes(of: FileRead(range, into: buffer, filled: filled), in: version, lanes)
    }
    // The check does not suspend. Only an apparent change is examined further.
    if let version, !isStill(version, try lanes.file.status(), lanes) { try await check(version, after: range, lanes) }
    return buffer.bytes(range.count)
  }

  /// Reads and bytes of each way to read: `resident`, `positional`, `dispatchIO`. With ``Engine/direct`` also
  /// `direct`, with the number of files whose system has `refused` it.
  public func statistics() -> [Counters] { counters.snapshot(bypasses: configuration.engine == .direct) }

  /// Closes the file. Reads in flight throw `ReadError.Code.closed` at once, and so do later reads.
  ///
  /// Returns when the file is closed, also if another call closes it and is not cancelled. In a cancelled task it returns
  /// at once, and the file closes with the last reference to this source.
  public nonisolated(nonsending) func close() async {
    guard gate.close() else { return await closing.wait() }
    defer { closing.finish() }
    waiting.failAll(ReadError.closed)
    for lanes in allLanes { lanes.stop() }
    do {
      try await gate.drained()
      // Ask again: a task that was opening the file has ended by now.
      for lanes in allLanes { try await lanes.close() }
      if case .adopted(let file) = location { try await file.closed() }
    } catch {
      // Only cancellation ends these waits early.
    }
  }
}

extension FileSource {
  /// The way a file is read. The default suits most programs: choose another one after you have measured.
  public struct Engine: Hashable, Sendable {
    /// The name, as options of programs and messages say it.
    package let name: String

    private init(_ name: String) { self.name = name }

    /// The fastest way measured on the platform. On Linux, bytes in the page cache are copied on the caller's thread,
    /// and the library's own threads read the rest. On Apple platforms, everything goes through DispatchIO.
    public static let automatic = Engine("automatic")

    /// Reads everything through DispatchIO.
    public static let dispatchIO = Engine("dispatchIO")

    /// Direct I/O: reads past the page cache, with `O_DIRECT` on Linux and `F_NOCACHE` on Apple platforms. Use it for
    /// files that are larger than memory or read once, if need be with a cache of your own.
    ///
    /// Every read waits for the disk, even for bytes in the page cache, and covers whole blocks of the disk. On ext4,
    /// XFS and btrfs you see what others have written through the page cache. On a network file system the bytes may be
    /// older than what this machine has cached. If a file system refuses such reads, as some FUSE mounts do, the file
    /// is read as by ``automatic``, and ``FileSource/statistics()`` count a refusal.
    public static let direct = Engine("direct")

    /// Reads everything with `pread` on the library's own threads: for tests.
    package static let positional = Engine("positional")

    /// All engines.
    package static let allCases: [Engine] = [.automatic, .dispatchIO, .direct, .positional]
  }

  /// The way a file is opened and read: what the public initializers take, and what tests replace.
  package struct Configuration: Sendable {
    var engine: Engine
    package var blockSize: ByteCount
    var isAppendOnly: Bool
    var cost: SourceDescription.Cost

    package var syscalls = Syscalls.system {
      // What other calls do says nothing of a device.
      didSet { (begunReads, beginDirect) = (nil, nil) }
    }
    /// By device: `true` if the kernel begins reads. `nil`: no file asks.
    var begunReads: (@Sendable (UInt64) -> BegunReads)? = { .of($0) }
    /// Begins a read past the page cache for which no thread has to wait. `nil`: each has a thread.
    var beginDirect: KernelReads.Begin? = KernelReads.begin
    package var threads = IOThreads.shared
    /// For paths, and for files on a server.
    var pathThreads = PathThreads.shared
    /// The same threads for all of these, for tests.
    var remoteThreads: IOThreads {
      get { pathThreads.opening }
      set { pathThreads = PathThreads { newValue } }
    }
    /// Makes the system report changes, if it can.
    var watch: @Sendable (CInt, @escaping @Sendable () -> Void) -> FileWatch? = { FileWatch.begin($0, $1) }
    var buffers = BufferPool.shared
    /// Waits until files are at rest, for all sources.
    var resting = RestingFiles.shared

    package init(
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
