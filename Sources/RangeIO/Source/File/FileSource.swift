import Synchronization
public import SystemPackage

/// Reads a regular file or a block device.
///
/// Usually made for you by `RangeReader("/path")`. Make one yourself to choose an ``Engine`` or to put stages above it:
///
/// ```swift
/// let reader = try await RangeReader(FileSource("/data/survey.bin")) { Observing() }
/// ```
///
/// **Ways.** On Linux what is in the page cache is copied on the caller's thread (`preadv2` with `RWF_NOWAIT`), and what
/// must come from disk is read by threads of the library's own. On Apple platforms, and with ``Engine/dispatchIO``
/// anywhere, reads go through DispatchIO. ``statistics()`` counts the bytes by way. A file on a network file system or a FUSE
/// mount is read, looked at, opened and closed by threads of the library's own, each remote file system by its own. A server
/// that hangs delays the files of its own file systems, and no file that is open elsewhere. There is one exception: 64 files
/// of a server that hangs, opened while no file of it was opened before, delay the opening of other files until it answers.
///
/// **Versions.** The file is opened once and looked at (`fstat`) after every read. If its size or its time of modification
/// is another, reads throw `ReadError.Code.sourceChanged`: it was rewritten, cut, or made longer, and a file that was
/// overwritten by a longer one cannot be told from one that grew. For files that grow there is
/// ``Configuration/isAppendOnly``. A read never mixes two versions and never makes up bytes. What leaves every byte as it
/// was is no other version: another mode, owner or name, one name more or less, a file that was replaced by another or
/// removed while it was open. If only the time of status change is another and nothing of that shows, reads throw: it may
/// have been rewritten and its time of modification set back.
///
/// What no look can see is a writer through `mmap`, which need not change the times before `msync`; one that sets the time
/// of modification back and, before the next look, also changes mode, owner or names; and what other machines write to a
/// network file system whose client caches attributes. A block device has no version and is not checked.
///
/// **Names.** A relative path starts from the current directory at the moment of opening, also when it is looked at again
/// later. `~` and `~user` are home directories, symbolic links are followed once, at opening. Directories, FIFOs, sockets, character devices, and files
/// that the kernel makes up (`/proc`, `/sys`) are refused with `ReadError.Code.unsupportedSource`.
public final class FileSource: RangeSource {
  let location: Location
  let configuration: Configuration
  let gate = ShutdownGate()
  let waiting = WaiterRegistry()
  let counters = LaneCounters()
  let opened = PublishedOnce<FileLanes>()
  /// How often another file was found under the path, and opened in the place of the one before.
  let generation = Atomic<Int>(0)
  /// The file opened last, if it is not the first one.
  let renewed = Locked<FileLanes?>(nil)
  /// Off while the system has no watch to give. Of the source and not of a file: the next file gets none, either.
  let isWatched = Atomic<Bool>(true)
  /// Tells those who watch the file opened before.
  let renewals = Notifier()
  /// The description handed out last, to hand it out again while nothing changes.
  let described = Locked<SourceDescription?>(nil)

  /// The file at `path`. It is opened by the first use, not here.
  public init(_ path: String, configuration: Configuration = Configuration()) {
    location = .text(path)
    self.configuration = configuration
  }

  /// The file at `path`. It is opened by the first use, not here.
  public init(_ path: FilePath, configuration: Configuration = Configuration()) {
    location = .path(path)
    self.configuration = configuration
  }

  /// The file behind `descriptor`, which this source owns from now on: do not close it yourself.
  ///
  /// Its position is not used; where the file cannot be opened a second time, it is set to the start. A descriptor that was
  /// opened with `O_WRONLY`, `O_PATH` or `O_DIRECT` is refused with `ReadError.Code.unsupportedSource` by the first use.
  public init(adopting descriptor: FileDescriptor, configuration: Configuration = Configuration()) {
    location = .adopted(
      OpenFile(
        descriptor: descriptor.rawValue, syscalls: configuration.syscalls, name: "descriptor \(descriptor.rawValue)"))
    self.configuration = configuration
  }

  /// Opens the file if it is not open, and looks at it.
  ///
  /// - Throws: `ReadError` with `notFound`, `permissionDenied`, `unsupportedSource`, `resourcesExhausted`, `inputOutput`
  ///   or `closed`; `CancellationError`, at once, however long the opening hangs.
  public nonisolated(nonsending) func describe() async throws -> SourceDescription {
    guard BlockGrid(blockSize: configuration.blockSize.bytes) != nil else {
      throw ReadError(
        .invalidConfiguration,
        "a block size of \(configuration.blockSize) is no power of two: choose one, such as 64 KiB")
    }
    try enter()
    defer { gate.leave() }
    return try await describe(try await currentLanes())
  }

  /// The bytes of `range`.
  ///
  /// - Throws: `ReadError` with `sourceChanged`, `inputOutput`, `resourcesExhausted` or `closed`; `CancellationError`,
  ///   at once, however long the disk hangs.
  /// - Complexity: what is resident takes one allocation and two system calls, and does not suspend.
  public nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try enter()
    defer { gate.leave() }
    let lanes = try openLanes(for: source)
    let version = FileSnapshot.of(source)?.version
    var seen: FileStatus?
    let bytes: Bytes
    if usesResidentLane(of: lanes), range.count <= LaneThreshold.residentInline {
      let buffer = try configuration.buffers.buffer(range.count)
      let filled = try lanes.resident.fill(buffer.memory, from: range)
      counters.add(filled, to: .resident)
      bytes =
        filled == range.count
        ? buffer.bytes(filled) : try await readRest(of: range, into: buffer, from: filled, lanes, version, &seen)
    } else {
      bytes = try await readLarge(range, lanes, version, &seen)
    }
    // The look itself does not suspend, unless a server has to be asked; only what looks like a change is looked into.
    if let version {
      if seen == nil, !lanes.isRemote { seen = try lanes.file.status() }
      guard let seen, isStill(version, seen, lanes) else {
        try await check(version, after: range, lanes)
        return bytes
      }
    }
    return bytes
  }

  /// Always: no caller waits for the kernel.
  public var isPrompt: Bool { true }

  /// Reads and bytes by lane: `resident`, `positional`, `dispatchIO`.
  public func statistics() -> SourceStatistics { counters.snapshot() }

  /// Closes the file. Reads under way throw `ReadError.Code.closed` at once, and so do later ones.
  ///
  /// Returns when the file is closed. In a cancelled task it returns at once, and the file is closed with the last
  /// reference to this source.
  public nonisolated(nonsending) func close() async {
    guard gate.close() else { return }
    waiting.failAll(ReadError.closed)
    for lanes in allLanes { lanes.stop() }
    do {
      try await gate.drained()
      // Anew: who was opening the file has ended by now.
      for lanes in allLanes { try await lanes.close() }
      if case .adopted(let file) = location { try await file.closed() }
    } catch {
      // Only cancellation ends these waits early.
    }
  }
}
