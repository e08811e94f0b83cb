import CRangeIOSystem
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
/// mount is read, looked at, opened and closed by threads of the library's own: a server that hangs holds up nobody else.
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
/// **Names.** A relative path starts from the current directory at the moment of opening, `~` and `~user` are home
/// directories, symbolic links are followed once, at opening. Directories, FIFOs, sockets, character devices, and files
/// that the kernel makes up (`/proc`, `/sys`) are refused with `ReadError.Code.unsupportedSource`.
public final class FileSource: RangeSource {
  enum Location {
    case text(String)
    case path(FilePath)
    case adopted(OpenFile)

    /// Where the file lies; `nil` for a descriptor that was adopted. May ask a server for a home directory.
    func path() throws(ReadError) -> FilePath? {
      switch self {
      case .text(let path): FilePath(try FilePathExpansion.expand(path))
      case .path(let path): try FilePathExpansion.expand(path)
      case .adopted: nil
      }
    }
  }

  let location: Location
  let configuration: Configuration
  let gate = UseGate()
  let waiting = WaitingList()
  let counters = LaneCounters()
  private let opened = PublishedOnce<FileLanes>()
  /// How often another file was found under the path, and opened in the place of the one before.
  let generation = Atomic<Int>(0)
  /// The file opened last, if it is not the first one.
  let renewed = Locked<FileLanes?>(nil)
  /// Tells those who watch the file opened before.
  let renewals = Bell()
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

  /// The file behind `descriptor`, which this source owns from now on: it closes it, and nobody else may.
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

  func currentLanes() async throws -> FileLanes {
    if generation.load(ordering: .acquiring) > 0, let lanes = renewed.withLock({ $0 }) { return lanes }
    return if let open = opened.value { open } else { try await open() }
  }

  /// Returns when the file may have changed since `source` described it, or its name may lead elsewhere.
  ///
  /// Where the system does not tell of changes, as on network file systems, it waits until it is cancelled.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try enter()
    defer { gate.leave() }
    let lanes = try await currentLanes()
    let answer = renewals.listen()
    defer { renewals.leave(answer) }
    // Of changes by others the system of a remote file does not tell, and to be told of our own we would have to ask there.
    let watch =
      lanes.isRemote ? nil : FileWatch.begin(lanes.file.descriptor) { answer.resolve(.success(())) }
    defer { watch?.end() }
    if watch == nil { lanes.isWatched.store(false, ordering: .relaxed) }
    // What happened before the watch began is seen now, and what comes later by the watch.
    if let version = FileSnapshot.of(source)?.version, hasChanged(version, try await status(of: lanes), lanes) {
      return
    }
    try await waiting.wait(for: answer)
  }

  /// Whether the system tells of what happens to the file, and to its name as far as that is known: not of files on a
  /// server, of what lies behind a symbolic link, nor of one that has lost its name, which another file may get.
  public var tellsOfChanges: Bool {
    let lanes = currentGeneration > 0 ? renewed.withLock { $0 } : opened.value
    return lanes?.tellsOfChanges(followed: configuration.isAppendOnly) ?? false
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
  /// Returns when the kernel has let go of the file and it is closed; in a cancelled task at once, and the file is
  /// closed with the last reference to this source.
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

// MARK: opening

extension FileSource {
  func enter() throws(ReadError) {
    guard gate.enter() else { throw .closed }
  }

  /// The lanes to read the version by that `source` describes.
  func openLanes(for source: SourceDescription) throws(ReadError) -> FileLanes {
    let generation = generation.load(ordering: .acquiring)
    if generation > 0 {
      let lanes = renewed.withLock { $0 }
      guard let lanes, FileSnapshot.of(source)?.generation == generation else {
        throw .changed("another file has been opened under its name", .init(source: source.name))
      }
      return lanes
    }
    guard let lanes = opened.value else {
      throw ReadError(.invalidConfiguration, "the file has not been described yet: call describe() before read")
    }
    return lanes
  }

  /// Opens the file on an I/O thread, since a path may lead to a server that does not answer.
  private func open() async throws -> FileLanes {
    // Of two who open at once the first wins; the other's descriptor closes with its lanes.
    opened.publish(try await openAnew())
  }

  private var allLanes: [FileLanes] { [opened.value, renewed.withLock { $0 }].compactMap { $0 } }

  /// The number of the file opened last.
  var currentGeneration: Int { generation.load(ordering: .acquiring) }

  func openAnew() async throws -> FileLanes {
    try await onThread(of: configuration.remoteThreads) { [location, configuration, gate, waiting] in
      let opened =
        switch location {
        case .text(let path):
          try FileOpening.open(FilePath(FilePathExpansion.expand(path)), name: path, configuration.syscalls)
        case .path(let path):
          try FileOpening.open(FilePathExpansion.expand(path), name: path.string, configuration.syscalls)
        case .adopted(let file): try FileOpening.adopt(file)
        }
      let threads = opened.file.isRemote ? configuration.remoteThreads : configuration.threads
      return FileLanes(opened, threads: threads, gate: gate, waiting: waiting)
    }
  }
}

// MARK: choosing lanes

extension FileSource {
  /// Whether the platform tells what is resident.
  private static let platformHasResidentLane: Bool = {
    #if os(Linux)
      true
    #else
      false
    #endif
  }()

  /// Whether what is resident is read on the caller's thread. Not of a file that a server has: it has to be asked, after
  /// the read, what the file is.
  func usesResidentLane(of lanes: FileLanes) -> Bool {
    Self.platformHasResidentLane && configuration.engine == .automatic && !lanes.isRemote
  }

  /// The lane for what the resident lane leaves.
  private var diskLane: FileLane {
    switch configuration.engine {
    case .positional: .positional
    case .dispatchIO: .dispatchIO
    case .automatic: Self.platformHasResidentLane ? .positional : .dispatchIO
    }
  }

  /// Whether what the resident lane leaves is read by threads of our own.
  var usesPositionalLane: Bool { diskLane == .positional }

  /// A read that would keep the caller's actor busy for too long, or that starts at the disk.
  ///
  /// - Parameter seen: what the file was after the read, if the thread that read it has looked.
  private func readLarge(
    _ range: ByteRange, _ lanes: FileLanes, _ version: FileVersion?, _ seen: inout FileStatus?
  ) async throws -> Bytes {
    if usesResidentLane(of: lanes) {
      let buffer = try configuration.buffers.buffer(range.count)
      let filled = try await fillOffActor(buffer, range, lanes.resident)
      counters.add(filled, to: .resident)
      if filled == range.count { return buffer.bytes(filled) }
      return try await readRest(of: range, into: buffer, from: filled, lanes, version, &seen)
    }
    guard usesPositionalLane else { return try await readThroughDispatchIO(range, lanes, version, &seen) }
    return try await readRest(
      of: range, into: configuration.buffers.buffer(range.count), from: 0, lanes, version, &seen)
  }

  /// The resident lane on a thread of Swift's pool: no hop for a caller that is on no actor.
  @concurrent private func fillOffActor(
    _ buffer: WritableBytes, _ range: ByteRange, _ lane: ResidentLane
  ) async throws -> Int {
    try inPieces(of: range.count) { filled, count in
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.memory[filled..<filled + count])
      let start = range.lowerBound + filled
      return try lane.fill(piece, from: start..<start + count)
    }
  }

  /// Fills `count` bytes piece by piece, so that whoever cancels or closes does not wait for all of them.
  ///
  /// - Parameter fill: fills the next piece after the first `filled` bytes; fewer bytes than asked for end it.
  /// - Returns: the bytes filled.
  /// - Throws: `CancellationError`, `closed`.
  func inPieces(of count: Int, _ fill: (_ filled: Int, _ count: Int) throws -> Int) throws -> Int {
    var filled = 0
    while filled < count {
      try goOn()
      let piece = min(count - filled, LaneThreshold.residentPiece)
      let got = try fill(filled, piece)
      filled += got
      if got < piece { break }
    }
    return filled
  }

  /// Throws if nobody waits any more for what is being copied.
  func goOn() throws {
    if rio_task_is_cancelled() { throw CancellationError() }
    if gate.isClosed { throw ReadError.closed }
  }

  /// What the resident lane left of `range`, by position: `buffer` holds the first `filled` bytes.
  private func readRest(
    of range: ByteRange, into buffer: WritableBytes, from filled: Int, _ lanes: FileLanes, _ version: FileVersion?,
    _ seen: inout FileStatus?
  ) async throws -> Bytes {
    let (count, status) = try await lanes.positional.read(range, into: buffer, from: filled)
    seen = status
    counters.add(count - filled, to: .positional)
    guard count == range.count else { throw try await shrank(version, at: range, got: count, lanes) }
    return buffer.bytes(count)
  }

  private func readThroughDispatchIO(
    _ range: ByteRange, _ lanes: FileLanes, _ version: FileVersion?, _ seen: inout FileStatus?
  ) async throws -> Bytes {
    let bytes = try await lanes.dispatchIOLane { try await self.ask(lanes, $0) }.read(range)
    counters.add(bytes.count, to: .dispatchIO)
    if bytes.count == range.count { return bytes }
    // The file ended, the disk failed, or another descriptor's EBADF swept this operation away: `pread` tells which.
    let rest = range.lowerBound + bytes.count..<range.upperBound
    let buffer = try configuration.buffers.buffer(rest.count)
    let (count, status) = try await lanes.positional.read(rest, into: buffer, from: 0)
    seen = status
    counters.add(count, to: .positional)
    guard count == rest.count else { throw try await shrank(version, at: rest, got: count, lanes) }
    return Bytes(concatenating: [bytes, buffer.bytes(count)])
  }
}
